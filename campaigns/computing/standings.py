"""What the worker writes of scores: intervals, and the events that tell of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from django.db import connection

from campaigns.computing.live import Change, LiveCampaign
from campaigns.computing.scores import Scores
from campaigns.log import events
from campaigns.models import Campaign

TOLD_AT_ONCE = 50


def write_intervals(scores: Scores, cells: Iterable[tuple[int, int]] | None) -> None:
    """Those of some topics and runs, by their places; None: of all."""
    arrays, bounds = scores.arrays, scores.bounds
    if cells is None:
        cells = [(topic, run) for topic in range(len(arrays.topics)) for run in range(len(arrays.runs))]
    at = np.array(sorted(cells), dtype=np.int64).reshape(-1, 2)
    if not len(at):
        return
    topics, runs = np.array(arrays.topics)[at[:, 0]], np.array(arrays.runs)[at[:, 1]]
    base = bounds.base[at[:, 0], at[:, 1]]
    residual = bounds.residual[at[:, 0], at[:, 1]]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO campaigns_interval (topic_id, run_id, base, residual, as_of)"
            " SELECT *, %s FROM unnest(%s::bigint[], %s::bigint[], %s::float8[], %s::float8[])"
            " ON CONFLICT (run_id, topic_id) DO UPDATE"
            " SET base = excluded.base, residual = excluded.residual, as_of = excluded.as_of",
            [scores.applied, topics.tolist(), runs.tolist(), base.tolist(), residual.tolist()],
        )


def announce(live: LiveCampaign, change: Change, *, everything: bool) -> None:
    """The judgments that came, and the runs that they moved."""
    if everything:
        # A first computation tells of the whole, not of every judgment that ever was.
        announce_scores(live.scores)
        return
    acts = change.acts[-TOLD_AT_ONCE:]
    numbers = _topic_numbers(live, {act.topic for act in acts})
    told: list[tuple[str, dict[str, Any]]] = [
        (
            "judgment",
            {
                "sequence": act.sequence,
                "topic": numbers[act.topic],
                "judged": live.tally[act.topic].judged,
                "relevant": live.tally[act.topic].relevant,
            },
        )
        for act in acts
    ]
    moved = sorted({run for _, run in change.cells})
    events.publish(campaign=live.campaign_id, events=[*told, ("intervals", _intervals(live.scores, moved))])


def announce_scores(scores: Scores) -> None:
    """Of all runs."""
    told = _intervals(scores, range(len(scores.arrays.runs)))
    events.publish(campaign=scores.campaign, events=[("intervals", told)])


def _intervals(scores: Scores, moved: Iterable[int]) -> dict[str, Any]:
    bases, residuals = scores.bounds.means()
    arrays = scores.arrays
    # Pages have no withdrawn runs.
    runs = [run for run in moved if not arrays.withdrawn[run]]
    return {
        "as_of": scores.applied,
        "judged": scores.judged,
        "relevant": scores.relevant,
        "runs": [[arrays.runs[run], float(bases[run]), float(residuals[run])] for run in runs],
    }


def _topic_numbers(live: LiveCampaign, topics: set[int]) -> dict[int, str]:
    rows = Campaign.objects.get(id=live.campaign_id).topics.filter(id__in=topics)
    return dict(rows.values_list("id", "number"))
