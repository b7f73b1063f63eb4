"""Exports of a campaign as lines of text: the same for page, API and command."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext

from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.exchange import versions
from campaigns.exchange.lines import (
    grade_lines,
    judged_topics,
    log_as_csv,
    log_as_json,
    passages_as_json,
)
from campaigns.exchange.prels import current_prels
from campaigns.exchange.random_pools import found_ahead, pooled_only
from campaigns.formats.grading import gain_lines
from campaigns.formats.prels import PrelMethod, format_prel
from campaigns.formats.qrels import JUNK, NOT_JUDGED, format_qrel
from campaigns.formats.tables import csv_lines
from campaigns.log.searched import IS_SERVED
from campaigns.models import Campaign, Sample
from campaigns.models.campaign import Policy
from campaigns.quality.exclusions import count_excluded
from campaigns.results import score_ranges
from campaigns.results.topic_scope import TopicScope, check_scope

TEXT, CSV, JSON_LINES = "text/plain", "text/csv", "application/x-ndjson"


@dataclass(frozen=True)
class Export:
    """`ending`: of the file's name, behind the campaign's. `lines`: of a campaign by a policy, made as they
    are asked for. `version`: what they depend on beside the policy. `graded`: the file holds one grade a
    document, so its name says by which policy. `scoped`: `lines` takes over which topics means are, too, in
    place of the policy."""

    ending: str
    kind: str
    lines: Callable[[Campaign, str], Generator[str]]
    version: Callable[[Campaign], versions.Version] = versions.of_log
    graded: bool = False
    scoped: bool = False

    def file_name(self, campaign: Campaign, policy: str = "", topics: TopicScope = "all") -> str:
        by = f".{policy or campaign.policy}" if self.graded else ""
        of = f".{topics}-topics" if topics != "all" else ""
        without = excluded_words(campaign) if self.graded or self.scoped else ""
        return f"{campaign.slug}{by}{of}{without}.{self.ending}"


def excluded_words(campaign: Campaign) -> str:
    """For a file's name: how many assessors' judgments are left out; empty if all count."""
    count = count_excluded(campaign=campaign)
    return f".without-{count}-assessor{'s' if count > 1 else ''}" if count else ""


def check_policy(policy: str) -> str:
    if policy and policy not in Policy.values:
        known = ", ".join(Policy.values)
        detail = gettext("a policy is one of %(known)s, not “%(policy)s”")
        raise Refusal("bad_policy", detail % {"known": known, "policy": policy[:40]}, field="policy")
    return policy


def qrels(campaign: Campaign, policy: str) -> Generator[str]:
    with consistent_reads():
        yield from grade_lines(campaign, policy, judged_topics(campaign), before=" 0 ")


def qrels_with_pool(campaign: Campaign, policy: str) -> Generator[str]:
    """The qrels, and behind them as -1 what random samples are drawn from and is not judged. Documents found
    by search count as not judged until their random order has come to them."""
    with consistent_reads():
        ahead = found_ahead(campaign=campaign)
        hidden = {topic: ", ".join(map(str, sorted(documents))) for topic, documents in ahead.items()}
        for some, topics in groupby(judged_topics(campaign), key=lambda topic: hidden.get(topic.id, "")):
            shown = f"document_id NOT IN ({some})" if some else ""
            yield from grade_lines(campaign, policy, topics, before=" 0 ", only=shown)
        for number, docno in pooled_only(campaign=campaign, besides=ahead):
            yield format_qrel(number, docno, NOT_JUDGED)


def served_qrels(campaign: Campaign, policy: str) -> Generator[str]:
    """The qrels of what a method served, or a file held: without what was found by search."""
    with consistent_reads():
        yield from grade_lines(campaign, policy, judged_topics(campaign), before=" 0 ", only=IS_SERVED)


# Where nothing was drawn, documents are judged for other reasons, and certain.
_CERTAIN = f" {PrelMethod.OTHERWISE.value} 1.0"


def prels(campaign: Campaign, policy: str) -> Generator[str]:
    with consistent_reads():
        drawn = set(Sample.objects.filter(topic__campaign=campaign).values_list("topic_id", flat=True))
        for sampled, some in groupby(judged_topics(campaign), key=lambda topic: topic.id in drawn):
            if not sampled:
                yield from grade_lines(campaign, policy, some, before=" ", behind=_CERTAIN, only=IS_SERVED)
                continue
            topics = [topic.id for topic in some]
            for row in current_prels(campaign=campaign, policy=policy, topics=topics):
                yield format_prel(row.topic, row.docno, row.grade, row.method, row.inclusion)


def gains(campaign: Campaign, _: str) -> Generator[str]:
    """The gain of each grade, as `--gains` of commands on files reads it: with the qrels and the runs, they
    find the site's own scores. Junk is worth nothing, whatever grade 0 is."""
    scale = {row["grade"]: float(row["gain"]) for row in campaign.grades}
    yield from gain_lines({JUNK: 0.0} | scale)


def _score_lines(campaign: Campaign, topics: str) -> Generator[str]:
    rows = score_ranges.score_rows(campaign=campaign, topics=check_scope(topics or "all"))
    yield from csv_lines(score_ranges.COLUMNS, rows)


EXPORTS = {
    "qrels": Export("qrels.txt", TEXT, qrels, graded=True),
    "qrels-served": Export("served.qrels.txt", TEXT, served_qrels, graded=True),
    "qrels-pooled": Export("pooled.qrels.txt", TEXT, qrels_with_pool, graded=True),
    "gains": Export("gains.txt", TEXT, gains),
    "prels": Export("prels.txt", TEXT, prels, versions.of_prels, graded=True),
    "judgments-csv": Export("judgments.csv", CSV, lambda campaign, _: log_as_csv(campaign)),
    "judgments-jsonl": Export("judgments.jsonl", JSON_LINES, lambda campaign, _: log_as_json(campaign)),
    "passages": Export(
        "passages.jsonl", JSON_LINES, lambda campaign, _: passages_as_json(campaign), versions.of_annotations
    ),
    "scores-csv": Export(
        "scores.csv",
        CSV,
        _score_lines,
        versions.of_score_ranges,
        scoped=True,
    ),
}
