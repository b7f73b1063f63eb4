"""Every run's interval in every topic, and its means, as rows of a table."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from campaigns.core.database import consistent_reads
from campaigns.models import Campaign, Interval
from campaigns.results.intervals import NOTHING_KNOWN, intervals_of
from evaluation.measures.bounds import projected

COLUMNS = ("run", "group", "topic", "measure", "base", "residual", "top", "projected", "as_of", "withdrawn")
# In place of a topic's number: the mean over all topics.
MEAN = "all"


def score_rows(*, campaign: Campaign) -> Generator[dict[str, Any]]:
    """Run by run, its topics in order and then its mean; as of the last computation. What was not computed
    yet can still be anything: [0, 1]."""
    with consistent_reads():
        topics = list(campaign.topics.order_by("position").values_list("id", "number"))
        for run in intervals_of(campaign=campaign, withdrawn=True):
            rows = Interval.objects.filter(run_id=run.id)
            known = {topic: bounds for topic, *bounds in rows.values_list("topic", "base", "residual")}
            # A cell that no judgment has touched for long is as recent as the others.
            named = {"run": run.run, "group": run.group, "measure": campaign.measure, "as_of": run.as_of}
            named["withdrawn"] = run.withdrawn
            for topic, number in topics:
                yield named | {"topic": number} | _cells(*known.get(topic, NOTHING_KNOWN[:2]))
            yield named | {"topic": MEAN} | _cells(run.base, run.residual)


def _cells(base: float, residual: float) -> dict[str, Any]:
    return {
        "base": base,
        "residual": residual,
        "top": base + residual,
        "projected": float(projected(base, residual)),
    }
