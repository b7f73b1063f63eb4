"""What can be taken out of a campaign as lines of text: the same for page, API and command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from campaigns.formats.prels import format_prel
from campaigns.formats.qrels import format_qrel
from campaigns.formats.qrels_rows import NOT_JUDGED
from campaigns.formats.tables import csv_lines, json_lines
from campaigns.models import Campaign
from campaigns.models.campaign import Policy
from campaigns.services import scores
from campaigns.services.errors import Refused
from campaigns.services.pooled import pooled_only
from campaigns.services.prels import current_prels
from campaigns.services.qrels import LOG, current_qrels, judgment_log

TEXT, CSV, JSON_LINES = "text/plain", "text/csv", "application/x-ndjson"


@dataclass(frozen=True)
class Export:
    """ending : of the file's name, behind the campaign's; lines : of a campaign by a policy, made as they are
    asked for; graded : holds one grade a document, so the name says by which policy"""

    ending: str
    kind: str
    lines: Callable[[Campaign, str], Iterator[str]]
    graded: bool = False

    def file_name(self, campaign: Campaign, policy: str = "") -> str:
        by = f".{policy or campaign.policy}" if self.graded else ""
        return f"{campaign.slug}{by}.{self.ending}"


def check_policy(policy: str) -> str:
    if policy and policy not in Policy.values:
        known = ", ".join(Policy.values)
        detail = gettext("a policy is one of %(known)s, not “%(policy)s”")
        raise Refused("bad_policy", detail % {"known": known, "policy": policy[:40]}, field="policy")
    return policy


def qrels(campaign: Campaign, policy: str) -> Iterator[str]:
    for topic, docno, grade in current_qrels(campaign=campaign, policy=policy):
        yield format_qrel(topic, docno, grade)


def qrels_with_pool(campaign: Campaign, policy: str) -> Iterator[str]:
    """The qrels, and behind them as -1 what random samples are drawn from and nobody judged."""
    yield from qrels(campaign, policy)
    for topic, docno in pooled_only(campaign=campaign):
        yield format_qrel(topic, docno, NOT_JUDGED)


def prels(campaign: Campaign, policy: str) -> Iterator[str]:
    for row in current_prels(campaign=campaign, policy=policy):
        yield format_prel(row.topic, row.docno, row.grade, row.method, row.inclusion)


EXPORTS = {
    "qrels": Export("qrels.txt", TEXT, qrels, graded=True),
    "qrels-pooled": Export("pooled.qrels.txt", TEXT, qrels_with_pool, graded=True),
    "prels": Export("prels.txt", TEXT, prels, graded=True),
    "judgments-csv": Export(
        "judgments.csv", CSV, lambda campaign, _: csv_lines(list(LOG), judgment_log(campaign=campaign))
    ),
    "judgments-jsonl": Export(
        "judgments.jsonl", JSON_LINES, lambda campaign, _: json_lines(judgment_log(campaign=campaign))
    ),
    "scores-csv": Export(
        "scores.csv", CSV, lambda campaign, _: csv_lines(scores.COLUMNS, scores.score_rows(campaign=campaign))
    ),
}
