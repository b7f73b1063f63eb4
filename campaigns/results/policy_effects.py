"""Effect of each policy on the order of the runs: only documents that several people graded can matter, so
the bases of the campaign's own policy are moved by the weight of those documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from campaigns.log.current import (
    OF_PLACES,
    Opinion,
    counting,
    grade_by,
    latest_acts,
    place_parameters,
    scale_of,
)
from campaigns.log.overlap import count_overlapping, disagreement_places
from campaigns.models import Campaign
from campaigns.models.campaign import Policy
from campaigns.quality.dispute_weights import DocumentPlace, weights_in_runs
from campaigns.results.score_ranges import score_ranges_of
from evaluation.comparison.rank_correlation import kendall, tau_ap

# The best runs, among which pairs are looked at.
EFFECT_RUNS = 10
# Sums in another order differ by less.
SAME_SCORE = 1e-12


@dataclass(frozen=True)
class PolicyEffect:
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


# Grades in the order in which they were given, and which of them are decisions.
_OPINIONS = """
SELECT topic_id, document_id, array_agg(grade ORDER BY sequence), array_agg(adjudication ORDER BY sequence)
FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id
"""

# What is said of a document: grades, and whether each is a decision. However many documents there are, there
# are few of these, and the policy is asked once for each.
DocumentOpinions = tuple[tuple[int, bool], ...]


def policy_effects(*, campaign: Campaign) -> list[PolicyEffect]:
    """Empty where there are no two runs, or nothing that several people graded."""
    # Where all say the same, so does every policy.
    opinions = _opinions(campaign)
    rows = {row.id: row for row in score_ranges_of(campaign=campaign)}
    grades = {policy: _grades(campaign, policy, opinions) for policy in Policy.values}
    own = grades[campaign.policy]
    moved = {place for policy in grades.values() for place in policy if policy[place] != own[place]}
    runs, weights = weights_in_runs(campaign=campaign, places=moved)
    if len(runs) < 2 or not count_overlapping(campaign=campaign):
        return []
    names = [rows[run].run for run in runs]
    before = np.array([rows[run].base for run in runs])
    return [_effect(campaign, policy, names, before, own, other, weights) for policy, other in grades.items()]


def _opinions(campaign: Campaign) -> dict[DocumentPlace, DocumentOpinions]:
    places = place_parameters(disagreement_places(campaign=campaign))
    query = f"WITH {latest_acts(counting(campaign, OF_PLACES))} {_OPINIONS}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, **places})
        return {
            (topic, document): tuple(zip(grades, decisions, strict=True))
            for topic, document, grades, decisions in cursor
        }


def _grades(
    campaign: Campaign, policy: str, opinions: Mapping[DocumentPlace, DocumentOpinions]
) -> dict[DocumentPlace, int | None]:
    scale = scale_of(campaign)

    def decided(of_document: DocumentOpinions) -> int | None:
        return grade_by(policy, (Opinion(at, *one) for at, one in enumerate(of_document)), scale)

    answers = {of_document: decided(of_document) for of_document in set(opinions.values())}
    return {place: answers[of_document] for place, of_document in opinions.items()}


def _effect(
    campaign: Campaign,
    policy: str,
    names: list[str],
    before: NDArray[np.float64],
    own: Mapping[DocumentPlace, int | None],
    grades: Mapping[DocumentPlace, int | None],
    weights: Mapping[DocumentPlace, NDArray[np.float64]],
) -> PolicyEffect:
    differing = [place for place in grades if grades[place] != own[place]]
    gains = {grade: _gain(campaign, grade) for grade in {*grades.values(), *own.values()}}
    more = np.array([gains[grades[place]] - gains[own[place]] for place in differing])
    change = more @ np.array([weights[place] for place in differing]).reshape(-1, len(before))
    change /= campaign.topics.count()
    after = before + change
    best = np.argsort(-before, kind="stable")[:EFFECT_RUNS].tolist()
    pairs = list(combinations(best, 2))
    most = int(np.abs(change).argmax())
    return PolicyEffect(
        policy=policy,
        own=policy == campaign.policy,
        documents=len(differing),
        tau=_defined(kendall(before, after)),
        tau_ap=_defined(tau_ap(before, after)),
        swapped=sum(bool(after[other] - after[one] > SAME_SCORE) for one, other in pairs),
        pairs=len(pairs),
        run=names[most],
        change=float(change[most]),
    )


def _gain(campaign: Campaign, grade: int | None) -> float:
    return 0.0 if grade is None else campaign.gain_of(grade) or 0.0


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
