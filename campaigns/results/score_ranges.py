"""Score ranges of runs: of a topic, and means over topics."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Case, Subquery, When

from campaigns.log.judgments import acts_since_judging_began
from campaigns.models import Campaign, Computed, Interval, Run, Topic
from campaigns.models.packed import unpack_runs, unpack_weights
from campaigns.results.topic_scope import TopicScope, judged_topics
from evaluation.measures.bounds import projected_score

# Base and residual of a cell that was not computed yet.
UNKNOWN_BOUNDS = (0.0, 1.0)
# Base, residual, projected score, and the act of the log up to which they are right.
StoredScores = tuple[float, float, float, int]
UNKNOWN_SCORES: StoredScores = (0.0, 1.0, 1.0, 0)


@dataclass(frozen=True)
class RunScoreRange:
    id: int
    run: str
    group: str
    base: float
    residual: float
    top: float
    projected: float
    as_of: int
    contributes: bool
    late: bool
    withdrawn: bool


def computed_of(*, campaign: Campaign) -> Computed:
    """Latest computation; an empty one before the first."""
    return Computed.objects.filter(campaign=campaign).first() or Computed()


def score_ranges_of(
    *,
    campaign: Campaign,
    topic: Topic | None = None,
    withdrawn: bool = False,
    computed: Computed | None = None,
    topics: TopicScope = "all",
    only: Collection[int] | None = None,
) -> list[RunScoreRange]:
    """The interval of every run that takes part (and, if asked for, of withdrawn ones), over all topics,
    over those with a judgment, or for one. A run not computed yet can still score anything: [0, 1]. `only`:
    of these runs."""
    if topic is not None:
        scores = _of_topic(topic)
    else:
        computed = computed or computed_of(campaign=campaign)
        scores = mean_scores(computed) if topics == "all" else _judged_means(campaign, computed, only)
    runs = campaign.runs.all() if withdrawn else campaign.runs.taking_part()
    runs = runs if only is None else runs.filter(id__in=only)
    late = Case(When(created__gt=_first_created(campaign), then=True), default=False)
    # Only these columns: a run may have brought a long list of what was noticed.
    named = runs.order_by("id").values_list("id", "tag", "group", "contributes_to_pool", "withdrawn_at")
    rows = [(*row, *scores.get(row[0], UNKNOWN_SCORES)) for row in named.annotate(late=late)]
    return [
        RunScoreRange(
            id=run,
            run=tag,
            group=group,
            base=base,
            residual=residual,
            top=base + residual,
            projected=projected,
            as_of=as_of,
            contributes=contributes,
            late=came_late,
            withdrawn=withdrawn_at is not None,
        )
        for run, tag, group, contributes, withdrawn_at, came_late, base, residual, projected, as_of in rows
    ]


def _first_created(campaign: Campaign) -> Subquery:
    return Subquery(acts_since_judging_began(campaign).values("created")[:1])


def first_judgment(*, campaign: Campaign) -> datetime | None:
    """Time of the first judgment; a run uploaded later is late."""
    return acts_since_judging_began(campaign).values_list("created", flat=True).first()


def is_late(run: Run, began: datetime | None) -> bool:
    return began is not None and run.created > began


def mean_scores(computed: Computed) -> dict[int, StoredScores]:
    """Means over all topics, by run."""
    packed = (computed.bases, computed.residuals, computed.projections)
    columns = [unpack_weights(values).tolist() for values in packed]
    rows = zip(unpack_runs(computed.runs).tolist(), *columns, strict=True)
    return {run: (*scores, computed.applied) for run, *scores in rows}


# A cell that was not computed yet is [0, 1]. Projected is the mean over topics in which something is judged.
_JUDGED_MEANS = """
SELECT run_id, sum(base) / %(topics)s, (sum(residual) + %(topics)s - count(*)) / %(topics)s,
  coalesce(avg(base / (1 - residual)) FILTER (WHERE residual < 1), 1)
FROM campaigns_interval WHERE topic_id = ANY(%(judged)s)
AND (%(only)s::bigint[] IS NULL OR run_id = ANY(%(only)s)) GROUP BY run_id
"""


def _judged_means(
    campaign: Campaign, computed: Computed, only: Collection[int] | None
) -> dict[int, StoredScores]:
    """Exact means over the topics with a judgment."""
    judged = judged_topics(campaign=campaign)
    if len(judged) == campaign.topics.count():
        return mean_scores(computed)
    parameters: dict[str, Any] = {"topics": float(len(judged)), "judged": judged}
    parameters["only"] = None if only is None else list(only)
    with connection.cursor() as cursor:
        cursor.execute(_JUDGED_MEANS, parameters)
        return {
            run: (base, residual, projected, computed.applied) for run, base, residual, projected in cursor
        }


def _of_topic(topic: Topic) -> dict[int, StoredScores]:
    rows = Interval.objects.filter(topic=topic).values_list("run_id", "base", "residual", "as_of")
    return {
        run: (base, residual, projected_score(base, residual), as_of) for run, base, residual, as_of in rows
    }


def summary_of(*, campaign: Campaign, computed: Computed | None = None) -> dict[str, Any]:
    """Summary of the last computation for the whole campaign."""
    computed = computed or computed_of(campaign=campaign)
    return {
        "measure": campaign.rbp,
        "as_of": computed.applied,
        "judged": computed.judged,
        "relevant": computed.relevant,
    }
