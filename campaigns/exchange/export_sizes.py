"""About how large the exported files are, without making them: lines so far, times what some lines take."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from django.db import connection

from campaigns.exchange.exports import CERTAIN
from campaigns.exchange.log_lines import CSV_LINE, FROM_LOG, JSON_LINE
from campaigns.formats.tables import csv_lines
from campaigns.models import Campaign
from campaigns.results.intervals import COLUMNS, score_rows

# The latest acts stand for all: docnos and numbers of one campaign are much alike.
LOOKED_AT = 200

# Put together from constants only.
_SAMPLE = f"""
SELECT avg(octet_length(t.number) + octet_length(d.docno)), avg(octet_length({CSV_LINE})),
  avg(octet_length({JSON_LINE})) {FROM_LOG} AND j.sequence > %s
"""
# Beside topic and docno: " 0 ", a space, the grade and the line's end.
_QREL = 6


@dataclass(frozen=True)
class Sizes:
    """Bytes, or None while there is nothing in it."""

    qrels: int | None = None
    prels: int | None = None
    csv: int | None = None
    json: int | None = None
    scores: int | None = None


def sizes(*, campaign: Campaign, judged: int, log: int, score_lines: int) -> Sizes:
    """A few look-ups that cost the same however long the log is."""
    scores = _of_scores(campaign, score_lines)
    with connection.cursor() as cursor:
        cursor.execute(_SAMPLE, [campaign.id, log - LOOKED_AT])
        names, csv, json = cursor.fetchone()
    if names is None:
        return Sizes(scores=scores)
    name = float(names)
    return Sizes(
        qrels=round(judged * (name + _QREL)),
        prels=round(judged * (name + _QREL - 2 + len(CERTAIN))),
        csv=round(log * float(csv)),
        json=round(log * float(json)),
        scores=scores,
    )


def _of_scores(campaign: Campaign, lines: int) -> int | None:
    """The first run, which is named much like the others, stands for all: each is a question of its own."""
    topics = campaign.topics.count()
    with closing(score_rows(campaign=campaign)) as rows:
        some = list(islice(rows, min(topics + 1, LOOKED_AT)))
    if not some:
        return None
    header, *told = (len(line.encode()) for line in csv_lines(COLUMNS, some))
    return round(header + lines * sum(told) / len(told))
