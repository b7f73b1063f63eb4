"""How far assessors agree with each other, on documents that several have judged, and with themselves, on
documents shown to them once more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

import numpy as np
from django.db import connection

from campaigns.models import Campaign
from campaigns.policies import OF_PLACES
from campaigns.services.sharing import shared_places
from evaluation.kappa import cohen_kappa, fleiss_kappa
from evaluation.krippendorff import krippendorff_alpha
from evaluation.pairwise_kappa import mean_cohen_kappa
from evaluation.resampling import Estimate

# Of fewer documents, an interval would say nothing but that there are too few.
LEAST = 10
RESAMPLES = 500
MOST_PAIRS = 12


@dataclass(frozen=True)
class Pair:
    """Two assessors and the documents that both have graded; None while those are too few, or where they
    used one grade alone."""

    one: str
    other: str
    documents: int
    same: int
    kappa: Estimate | None

    @property
    def lacking(self) -> int:
        return max(LEAST - self.documents, 0)


@dataclass(frozen=True)
class Agreement:
    documents: int
    people: int
    cohen: Estimate | None
    # Fleiss takes documents of equally many grades: those of the most frequent number.
    fleiss: Estimate | None
    fleiss_documents: int
    fleiss_grades: int
    krippendorff: Estimate | None
    pairs: list[Pair]
    more_pairs: int

    @property
    def lacking(self) -> int:
        """How many documents with two grades are still needed before anything can be said."""
        return max(LEAST - self.documents, 0)

    @property
    def fleiss_lacking(self) -> int:
        return max(LEAST - self.fleiss_documents, 0)


# Each assessor's latest act on a document counts. What came from a file is nobody's opinion here, and
# who adjudicates knows what the others said.
_GRADES = f"""
WITH latest AS (
  SELECT DISTINCT ON (topic_id, document_id, assessor_id) topic_id, document_id, assessor_id, grade,
    adjudication OR (method = '' AND NOT stale_claim) AS aside
  FROM campaigns_judgment WHERE {OF_PLACES}
  ORDER BY topic_id, document_id, assessor_id, sequence DESC),
graded AS (
  SELECT *, count(*) OVER (PARTITION BY topic_id, document_id) AS people
  FROM latest WHERE grade IS NOT NULL AND NOT aside)
SELECT topic_id, document_id, u.username, grade FROM graded JOIN auth_user u ON u.id = assessor_id
WHERE people > 1 ORDER BY topic_id, document_id, u.username
"""  # noqa: S608


def agreement_of(*, campaign: Campaign) -> Agreement:
    names, ratings = _ratings(campaign)
    documents = ratings.shape[1]
    pairs = sorted(_shared(names, ratings), key=lambda pair: -pair[2].size)
    enough = documents >= LEAST
    counts = _equally_often(ratings)
    return Agreement(
        documents=documents,
        people=len(names),
        cohen=_defined(mean_cohen_kappa(ratings, resamples=RESAMPLES)) if enough else None,
        fleiss=_defined(fleiss_kappa(counts, resamples=RESAMPLES)) if len(counts) >= LEAST else None,
        fleiss_documents=len(counts),
        fleiss_grades=int(counts[0].sum()) if len(counts) else 0,
        krippendorff=(
            _defined(krippendorff_alpha(ratings, "ordinal", resamples=RESAMPLES)) if enough else None
        ),
        pairs=[_pair(*pair) for pair in pairs[:MOST_PAIRS]],
        more_pairs=len(pairs[MOST_PAIRS:]),
    )


def agreement_with(*, campaign: Campaign, username: str) -> list[Pair]:
    """Somebody and each of the others, those with most documents in common first; `one` is always they."""
    names, ratings = _ratings(campaign)
    pairs = [
        (one, other, first, second) if one == username else (other, one, second, first)
        for one, other, first, second in _shared(names, ratings)
        if username in (one, other)
    ]
    return [_pair(*pair) for pair in sorted(pairs, key=lambda pair: -pair[2].size)[:MOST_PAIRS]]


def _ratings(campaign: Campaign) -> tuple[list[str], np.ndarray]:
    """Who graded documents that others graded, too; their grades (rows) of these (columns), NaN for none."""
    with connection.cursor() as cursor:
        cursor.execute(_GRADES, [campaign.id, *shared_places(campaign=campaign)])
        rows = cursor.fetchall()
    documents = {place: at for at, place in enumerate(dict.fromkeys((row[0], row[1]) for row in rows))}
    names = sorted({row[2] for row in rows})
    ratings = np.full((len(names), len(documents)), np.nan)
    for topic, document, name, grade in rows:
        ratings[names.index(name), documents[topic, document]] = grade
    return names, ratings


_Shared = tuple[str, str, np.ndarray, np.ndarray]


def _shared(names: Sequence[str], ratings: np.ndarray) -> list[_Shared]:
    """Every two people who have graded a document in common, with their grades of those."""
    found = []
    for one, other in combinations(range(len(names)), 2):
        both = ~np.isnan(ratings[one]) & ~np.isnan(ratings[other])
        if both.any():
            grades = ratings[one, both].astype(np.int64), ratings[other, both].astype(np.int64)
            found.append((names[one], names[other], *grades))
    return found


def _pair(one: str, other: str, first: np.ndarray, second: np.ndarray) -> Pair:
    kappa = cohen_kappa(first, second, resamples=RESAMPLES) if len(first) >= LEAST else None
    return Pair(one, other, len(first), int((first == second).sum()), kappa and _defined(kappa))


def _equally_often(ratings: np.ndarray) -> np.ndarray:
    """How often each grade (columns) was given to each of the documents (rows) with the most frequent
    number of grades; of two such numbers, the larger."""
    given = (~np.isnan(ratings)).sum(axis=0)
    if not given.size:
        return np.zeros((0, 0), dtype=np.int64)
    often, _ = max(Counter(given.tolist()).items(), key=lambda item: (item[1], item[0]))
    grades = np.unique(ratings[~np.isnan(ratings)])
    chosen = ratings[:, given == often]
    return np.asarray((chosen[:, :, None] == grades).sum(axis=0), dtype=np.int64)


def _defined(estimate: Estimate) -> Estimate | None:
    return None if isnan(estimate.value) else estimate


@dataclass(frozen=True)
class Steadiness:
    """How an assessor graded documents shown once more: how many, how many alike, how many they then could
    not judge, by how much the grade rose on average, and kappa where there are enough."""

    username: str
    graded: int
    same: int
    unjudged: int
    shift: float | None
    kappa: Estimate | None

    @property
    def lacking(self) -> int:
        return max(LEAST - self.graded, 0)


_ANSWERS = """
WITH latest AS (
  SELECT DISTINCT ON (topic_id, document_id, assessor_id) assessor_id, first_id, grade, undo
  FROM campaigns_repeat WHERE campaign_id = %s
  ORDER BY topic_id, document_id, assessor_id, created DESC)
SELECT u.username, j.grade, latest.grade FROM latest
JOIN auth_user u ON u.id = assessor_id JOIN campaigns_judgment j ON j.id = first_id
WHERE NOT latest.undo AND j.grade IS NOT NULL ORDER BY u.username
"""


def steadiness_of(*, campaign: Campaign) -> list[Steadiness]:
    """Of everybody who was shown a document once more and answered, by name."""
    answers: defaultdict[str, list[tuple[int, int | None]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERS, [campaign.id])
        for name, before, after in cursor.fetchall():
            answers[name].append((before, after))
    return [_steadiness(name, pairs) for name, pairs in answers.items()]


def _steadiness(name: str, pairs: list[tuple[int, int | None]]) -> Steadiness:
    graded = np.array([pair for pair in pairs if pair[1] is not None], dtype=np.int64).reshape(-1, 2)
    first, second = graded[:, 0], graded[:, 1]
    kappa = cohen_kappa(first, second, resamples=RESAMPLES) if len(graded) >= LEAST else None
    return Steadiness(
        username=name,
        graded=len(graded),
        same=int((first == second).sum()),
        unjudged=len(pairs) - len(graded),
        shift=float((second - first).mean()) if len(graded) else None,
        kappa=kappa and _defined(kappa),
    )
