"""Every run scored on every topic, and the means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign
from campaigns.management.offline.rankings import rankings_of
from campaigns.management.offline.relevance import Relevance
from campaigns.management.offline.rows import Row, mean
from evaluation.measure import Measure, Scored

NEUTRAL = Relevance()


@dataclass(frozen=True)
class Outcome:
    means: list[Row]
    by_topic: list[Row]


def score_runs(
    campaign: OfflineCampaign,
    measures: Sequence[Measure],
    grading: Grading,
    progress: Callable[[], object] = lambda: None,
    relevance: Relevance = NEUTRAL,
) -> Outcome:
    """Score all; `progress` is called after each topic. Where a run misses a topic, its ranking is empty."""
    needs = {measure.needs for measure in measures}
    scored: dict[tuple[int, int], list[Scored]] = {}
    for topic in campaign.topics:
        rankings = rankings_of(topic, grading, needs, relevance)
        for place, measure in enumerate(measures):
            for run, cell in enumerate(measure.scores(rankings).each()):
                scored.setdefault((run, place), []).append(cell)
        progress()
    means, by_topic = [], []
    for (run, place), cells in sorted(scored.items()):
        names = campaign.runs[run], measures[place].name
        means.append(Row(*names, None, mean(cells)))
        pairs = zip(campaign.topics, cells, strict=True)
        by_topic += [Row(*names, topic.number, cell) for topic, cell in pairs]
    return Outcome(means, by_topic)
