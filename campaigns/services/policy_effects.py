"""What each policy does to the order of the runs: only documents that several people graded can matter, so
the bases of the campaign's own policy are moved by what those documents weigh."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from campaigns.models import Campaign
from campaigns.models.campaign import Policy
from campaigns.policies import LATEST, Opinion, grade_by, scale_of
from campaigns.services.disputes import Place, weights_in_runs
from campaigns.services.intervals import intervals_of
from evaluation.run_orders import kendall
from evaluation.tau_ap import tau_ap

# The best runs, among which pairs are looked at.
BEST = 10
# Sums in another order differ by less.
SAME = 1e-12


@dataclass(frozen=True)
class Effect:
    """Against the campaign's own policy: in how many documents the grade differs; how alike the orders of the
    runs by base are (None where a side has no order); of the pairs among the best runs, how many change
    places; and the run whose base changes most, by how much."""

    policy: str
    own: bool
    documents: int
    tau: float | None
    tau_ap: float | None
    swapped: int
    pairs: int
    run: str
    change: float


_SEVERAL = """
several AS (
  SELECT *, count(*) OVER (PARTITION BY topic_id, document_id) AS people FROM latest WHERE grade IS NOT NULL)
SELECT topic_id, document_id, sequence, grade, adjudication FROM several WHERE people > 1
"""


def policy_effects(*, campaign: Campaign) -> list[Effect]:
    """Empty where there are no two runs, or nothing that several people graded."""
    several = _opinions(campaign)
    # Where all say the same, so does every policy.
    opinions = {place: said for place, said in several.items() if len({one.grade for one in said}) > 1}
    rows = {row.id: row for row in intervals_of(campaign=campaign)}
    scale = scale_of(campaign)
    grades = {
        policy: {place: grade_by(policy, said, scale) for place, said in opinions.items()}
        for policy in Policy.values
    }
    own = grades[campaign.policy]
    moved = {place for policy in grades.values() for place in policy if policy[place] != own[place]}
    runs, weights = weights_in_runs(campaign=campaign, places=moved)
    if len(runs) < 2 or not several:
        return []
    names = [rows[run].run for run in runs]
    before = np.array([rows[run].base for run in runs])
    return [_effect(campaign, policy, names, before, own, found, weights) for policy, found in grades.items()]


def _opinions(campaign: Campaign) -> Mapping[Place, list[Opinion]]:
    found: defaultdict[Place, list[Opinion]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(LATEST + _SEVERAL, [campaign.id])
        for topic, document, *said in cursor.fetchall():
            found[topic, document].append(Opinion(*said))
    return found


def _effect(
    campaign: Campaign,
    policy: str,
    names: list[str],
    before: NDArray[np.float64],
    own: Mapping[Place, int | None],
    grades: Mapping[Place, int | None],
    weights: Mapping[Place, NDArray[np.float64]],
) -> Effect:
    differing = [place for place in grades if grades[place] != own[place]]
    change = np.zeros(len(before))
    for place in differing:
        change += (_gain(campaign, grades[place]) - _gain(campaign, own[place])) * weights[place]
    change /= campaign.topics.count()
    after = before + change
    best = np.argsort(-before, kind="stable")[:BEST].tolist()
    pairs = list(combinations(best, 2))
    most = int(np.abs(change).argmax())
    return Effect(
        policy=policy,
        own=policy == campaign.policy,
        documents=len(differing),
        tau=_defined(kendall(before, after)),
        tau_ap=_defined(tau_ap(before, after)),
        swapped=sum(bool(after[other] - after[one] > SAME) for one, other in pairs),
        pairs=len(pairs),
        run=names[most],
        change=float(change[most]),
    )


def _gain(campaign: Campaign, grade: int | None) -> float:
    return 0.0 if grade is None else campaign.gain_of(grade) or 0.0


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
