"""Exports of a campaign as tables, each in several formats: the same for page, API and command."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils.translation import gettext

from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.exchange import score_table, versions
from campaigns.exchange.lines import (
    grade_lines,
    judged_topics,
    log_as_csv,
    log_as_json,
    passages_as_json,
)
from campaigns.exchange.random_pools import found_ahead, pooled_only
from campaigns.formats.grading import gain_lines
from campaigns.formats.prels import PrelMethod, format_prel, format_stratum
from campaigns.formats.qrels import JUNK, NOT_JUDGED, format_qrel
from campaigns.formats.tables import (
    Columns,
    FileFormat,
    TableRow,
    csv_lines,
    json_lines,
    parquet_pieces,
)
from campaigns.log.judgments import LOG_COLUMNS
from campaigns.log.searched import IS_SERVED
from campaigns.measurement import measured_rows
from campaigns.measurement.prels import current_prels, drawn_topics
from campaigns.measurement.sampled_strata import strata_grades
from campaigns.models import Campaign
from campaigns.models.campaign import Policy
from campaigns.quality.exclusions import count_excluded
from campaigns.results.topic_scope import TopicScope, check_scope
from campaigns.topic_offers.draws import DRAW_COLUMNS, draw_rows

TREC, CSV, JSON_LINES, PARQUET = FileFormat
Lines = Callable[[Campaign, str], Generator[str]]


@dataclass(frozen=True)
class Export:
    """`ending`: of the file's name, between the campaign's and the format's. `written`: lines of a campaign
    by a policy in those formats that have a writer of their own; `rows`: the same for all other formats.
    `form`: the format if none is chosen. `version`: what they depend on beside the policy. `graded`: the file
    holds one grade a document, so its name says by which policy. `scoped`: in place of the policy, the lines
    are told over which topics means are. `scored`: the file holds scores, so its name says how many
    assessors' judgments are left out."""

    ending: str
    columns: Columns
    form: FileFormat
    written: Mapping[FileFormat, Lines]
    rows: Callable[[Campaign, str], Generator[TableRow]]
    version: Callable[[Campaign], versions.Version] = versions.of_log
    graded: bool = False
    scoped: bool = False
    scored: bool = False

    @property
    def formats(self) -> list[FileFormat]:
        """TREC has lines for some tables alone."""
        return [form for form in FileFormat if form is not TREC or form in self.written]

    def lines(self, campaign: Campaign, asked: str) -> Generator[str]:
        return self.written[self.form](campaign, asked)

    def pieces(self, campaign: Campaign, asked: str, form: FileFormat | None = None) -> Generator[bytes]:
        """The file in one of its formats. `asked`: the policy, or the topics if it is scoped."""
        form = form or self.form
        if form in self.written:
            return encoded(self.written[form](campaign, asked))
        return written_table(self.columns, self.rows(campaign, asked), form)

    def file_name(
        self,
        campaign: Campaign,
        policy: str = "",
        topics: TopicScope = "all",
        form: FileFormat | None = None,
    ) -> str:
        by = f".{policy or campaign.policy}" if self.graded else ""
        of = f".{topics}-topics" if topics != "all" else ""
        without = excluded_words(campaign) if self.graded or self.scored else ""
        return f"{campaign.slug}{by}{of}{without}.{self.ending}.{(form or self.form).ending}"


# Handing a piece to the web server costs as much as making some hundred lines.
PIECE_CHARACTERS = 64 * 1024


def encoded(lines: Generator[str]) -> Generator[bytes]:
    gathered: list[str] = []
    size = 0
    with closing(lines):
        for line in lines:
            gathered.append(line)
            size += len(line)
            if size >= PIECE_CHARACTERS:
                yield "".join(gathered).encode()
                gathered, size = [], 0
    if gathered:
        yield "".join(gathered).encode()


def written_table(columns: Columns, rows: Generator[TableRow], form: FileFormat) -> Generator[bytes]:
    with closing(rows):
        if form is PARQUET:
            yield from parquet_pieces(columns, rows)
        else:
            named = ({name: row[name] for name in columns} for row in rows)
            yield from encoded(csv_lines([*columns], named) if form is CSV else json_lines(named))


def check_form(form: str, formats: list[FileFormat], default: FileFormat) -> FileFormat:
    """The format of this name, or the default for none; refused if the file is not written so."""
    if form and form not in formats:
        detail = gettext("this file is written as %(formats)s, not as %(form)s")
        values = {"formats": ", ".join(formats), "form": form[:40]}
        raise Refusal("bad_format", detail % values, field="format")
    return FileFormat(form) if form else default


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
        drawn = drawn_topics(campaign)
        for sampled, some in groupby(judged_topics(campaign), key=lambda topic: topic.id in drawn):
            if not sampled:
                yield from grade_lines(campaign, policy, some, before=" ", behind=_CERTAIN, only=IS_SERVED)
                continue
            topics = [topic.id for topic in some]
            for row in current_prels(campaign=campaign, policy=policy, topics=topics):
                yield format_prel(row.topic, row.docno, row.grade, row.method, row.inclusion)


def strata(campaign: Campaign, policy: str) -> Generator[str]:
    with consistent_reads():
        for row in strata_grades(campaign=campaign, policy=policy):
            yield format_stratum(*row)


def gains(campaign: Campaign, _: str) -> Generator[str]:
    """The gain of each grade, as `--gains` of commands on files reads it: with the qrels and the runs, they
    find the site's own scores. Junk is worth nothing, whatever grade 0 is."""
    scale = {row["grade"]: float(row["gain"]) for row in campaign.grades}
    yield from gain_lines({JUNK: 0.0} | scale)


def _score_rows(campaign: Campaign, topics: str) -> Generator[TableRow]:
    return score_table.score_rows(campaign=campaign, topics=check_scope(topics or "all"))


def _score_lines(campaign: Campaign, topics: str) -> Generator[str]:
    yield from csv_lines([*score_table.COLUMNS], _score_rows(campaign, topics))


def _measured_rows(campaign: Campaign, _: str) -> Generator[TableRow]:
    return measured_rows.measured_rows(campaign=campaign)


def _of_words(ending: str, columns: Columns, lines: Lines, **about: Any) -> Export:
    """A table whose lines are words. A column without a name is in the lines alone."""
    named = {name: kind for name, kind in columns.items() if name}

    def rows(campaign: Campaign, asked: str) -> Generator[TableRow]:
        with closing(lines(campaign, asked)) as pieces:
            for piece in pieces:
                for line in piece.split("\n")[:-1]:
                    words = dict(zip(columns, line.split(" "), strict=True))
                    yield {name: kind(words[name]) for name, kind in named.items()}

    return Export(ending, named, TREC, {TREC: lines}, rows, **about)


def _of_objects(ending: str, columns: Columns, lines: Lines, **about: Any) -> Export:
    """A table whose lines are objects of JSON."""
    times = [name for name, kind in columns.items() if kind is datetime]

    def rows(campaign: Campaign, asked: str) -> Generator[TableRow]:
        with closing(lines(campaign, asked)) as pieces:
            for piece in pieces:
                for line in piece.split("\n")[:-1]:
                    row = json.loads(line)
                    yield row | {name: datetime.fromisoformat(row[name]) for name in times}

    return Export(ending, columns, JSON_LINES, {JSON_LINES: lines}, rows, **about)


_OTHERS = {
    "grade": int,
    "undo": bool,
    "adjudication": bool,
    "milliseconds": int,
    "seen": int,
    "served_exactly": bool,
    "inclusion_probability": float,
    "stale_claim": bool,
    "topic_revision": int,
    "document_revision": int,
    "sequence": int,
    "created": datetime,
}
_QRELS: Columns = {"topic": str, "": str, "docno": str, "grade": int}
_PRELS: Columns = {"topic": str, "docno": str, "grade": int, "method": int, "probability": float}
_STRATA: Columns = {"topic": str, "": str, "docno": str, "stratum": int, "grade": int}
_PASSAGES: Columns = {
    "topic": str,
    "docno": str,
    "assessor": str,
    "grade": int,
    "start": int,
    "end": int,
    "text": str,
    "when": datetime,
    "note": str,
}
_LOG: Columns = {name: _OTHERS.get(name, str) for name in LOG_COLUMNS}
_JUDGMENTS = _of_objects("judgments", _LOG, lambda campaign, _: log_as_json(campaign))
_JUDGMENTS = replace(
    _JUDGMENTS, written={**_JUDGMENTS.written, CSV: lambda campaign, _: log_as_csv(campaign)}
)
_SCORES = Export(
    "scores",
    score_table.COLUMNS,
    CSV,
    {CSV: _score_lines},
    _score_rows,
    lambda campaign: (*versions.of_prediction(campaign), *versions.of_score_ranges(campaign)),
    scoped=True,
    scored=True,
)
_MEASURES = Export(
    "measures",
    measured_rows.COLUMNS,
    CSV,
    {CSV: lambda campaign, _: csv_lines([*measured_rows.COLUMNS], _measured_rows(campaign, ""))},
    _measured_rows,
    # Groups of runs change without being measured again.
    lambda campaign: (*versions.of_measured(campaign), *versions.of_score_ranges(campaign)),
    scored=True,
)

EXPORTS = {
    "qrels": _of_words("qrels", _QRELS, qrels, graded=True),
    "qrels-served": _of_words("served.qrels", _QRELS, served_qrels, graded=True),
    "qrels-pooled": _of_words("pooled.qrels", _QRELS, qrels_with_pool, graded=True),
    "gains": _of_words("gains", {"grade": int, "gain": float}, gains),
    "prels": _of_words("prels", _PRELS, prels, version=versions.of_prels, graded=True),
    "strata": _of_words("strata", _STRATA, strata, graded=True),
    "topic-draws": Export(
        "topic-draws", DRAW_COLUMNS, CSV, {}, lambda campaign, _: draw_rows(campaign), versions.of_draws
    ),
    "judgments": _JUDGMENTS,
    "passages": _of_objects(
        "passages",
        _PASSAGES,
        lambda campaign, _: passages_as_json(campaign),
        version=versions.of_annotations,
    ),
    "scores": _SCORES,
    "measures": _MEASURES,
    # Names of one format each, which scripts know.
    "judgments-csv": replace(_JUDGMENTS, form=CSV),
    "judgments-jsonl": _JUDGMENTS,
    "scores-csv": _SCORES,
}
