"""Every run's score ranges by topic, and their means with what is predicted of them, as rows of a table."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from campaigns.core.database import consistent_reads
from campaigns.models import Campaign, Interval
from campaigns.predictions.standings import Standings, standings_of
from campaigns.results.score_ranges import UNKNOWN_BOUNDS, score_ranges_of
from campaigns.results.topic_scope import TopicScope, judged_topics
from evaluation.measures.bounds import projected_score

PREDICTED = ("place", "expected", "low", "high", "best", "predicted_as_of")
COLUMNS: dict[str, type] = {
    **dict.fromkeys(("run", "group", "topic", "measure"), str),
    **dict.fromkeys(("base", "residual", "top", "projected"), float),
    "as_of": int,
    "withdrawn": bool,
    "place": int,
    **dict.fromkeys(("expected", "low", "high", "best"), float),
    "predicted_as_of": int,
}
# In place of a topic's number, `topics` names the mean: "all" or "judged".


def score_rows(*, campaign: Campaign, topics: TopicScope = "all") -> Generator[dict[str, Any]]:
    """Run by run, its topics in order and then its mean; as of the last computation. What was not computed
    yet can still be anything: [0, 1]. Only means have what the overview shows of a prediction."""
    with consistent_reads():
        numbers = dict(campaign.topics.order_by("position").values_list("id", "number"))
        if topics == "judged":
            numbers = {topic: numbers[topic] for topic in judged_topics(campaign=campaign)}
        standings = standings_of(campaign=campaign, topics=topics)
        places = {row.id: place for place, row in enumerate(standings.rows, 1)}
        for run in score_ranges_of(campaign=campaign, withdrawn=True, topics=topics):
            rows = Interval.objects.filter(run_id=run.id)
            by_topic = {topic: bounds for topic, *bounds in rows.values_list("topic", "base", "residual")}
            # A cell that no judgment has touched for long is as recent as the others.
            named = {"run": run.run, "group": run.group, "measure": campaign.rbp, "as_of": run.as_of}
            named["withdrawn"] = run.withdrawn
            for topic, number in numbers.items():
                cells = _cells(*by_topic.get(topic, UNKNOWN_BOUNDS))
                yield named | {"topic": number} | cells | dict.fromkeys(PREDICTED)
            means = {"base": run.base, "residual": run.residual, "top": run.top, "projected": run.projected}
            yield named | {"topic": topics} | means | _predicted(standings, places, run.id)


def _cells(base: float, residual: float) -> dict[str, float]:
    projected = projected_score(base, residual)
    return {"base": base, "residual": residual, "top": base + residual, "projected": projected}


def _predicted(standings: Standings, places: dict[int, int], run: int) -> dict[str, Any]:
    """The row of the overview's table that shows the run; identical runs share one."""
    row = standings.of_run(run)
    if row is None or row.expected is None:
        return dict.fromkeys(PREDICTED)
    ends = (None, None, None) if row.too_early else (row.low, row.high, row.best)
    cells = (places[row.id], row.expected, *ends, standings.predicted_as_of)
    return dict(zip(PREDICTED, cells, strict=True))
