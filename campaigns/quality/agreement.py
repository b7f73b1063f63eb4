"""Agreement of assessors with each other, on documents that several have judged, and with themselves, on
documents shown to them once more."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from math import isnan

import numpy as np
from django.contrib.auth.models import User
from django.db import connection

from campaigns.log.current import OF_CAMPAIGN, by_assessors, latest_acts, latest_repeats
from campaigns.log.tallies import TallyKind, own_work, tally_counts_of
from campaigns.models import Campaign
from evaluation.agreement.kappa import cohen_kappa, fleiss_kappa, mean_cohen_kappa
from evaluation.agreement.krippendorff import krippendorff_alpha
from evaluation.resampling import Estimate

# Of fewer documents, an interval would say nothing but that there are too few.
LEAST_COMMON_DOCUMENTS = 10
RESAMPLES = 500
MOST_PAIRS = 12
# Of fewer, an assessor could work out from their own figures how another one graded a document.
LEAST_FOR_ASSESSORS = 20


@dataclass(frozen=True)
class AssessorPair:
    """Two assessors and the documents that both have graded; None while those are too few, or where they
    used one grade alone."""

    one: str
    other: str
    documents: int
    same: int
    kappa: Estimate | None

    @property
    def lacking(self) -> int:
        return max(LEAST_COMMON_DOCUMENTS - self.documents, 0)


@dataclass(frozen=True)
class AssessorAgreement:
    """`apart`: the number of documents with grades of several texts, which are not compared."""

    documents: int
    apart: int
    people: int
    cohen: Estimate | None
    # Fleiss takes documents of equally many grades: those of the most frequent number.
    fleiss: Estimate | None
    fleiss_documents: int
    fleiss_grades: int
    krippendorff: Estimate | None
    pairs: list[AssessorPair]
    more_pairs: int

    @property
    def lacking(self) -> int:
        """Number of documents with two grades that are missing for a first statement."""
        return max(LEAST_COMMON_DOCUMENTS - self.documents, 0)

    @property
    def fleiss_lacking(self) -> int:
        return max(LEAST_COMMON_DOCUMENTS - self.fleiss_documents, 0)


# Each assessor's latest act on a document counts, unless it adjudicates: then they know what others said.
# Only grades of one text are compared; documents with grades of several texts are counted.
_APART = "apart"
_GRADES = f""",
texts AS (
  SELECT topic_id, document_id, count(*) AS people,
    string_agg(assessor_id || ':' || grade, ' ' ORDER BY assessor_id) AS said
  FROM latest WHERE grade IS NOT NULL AND NOT adjudication
  GROUP BY topic_id, document_id, document_revision)
SELECT said, count(*), 0 FROM texts WHERE people > 1 GROUP BY said
UNION ALL SELECT '{_APART}', count(*), 0
FROM (SELECT FROM texts GROUP BY topic_id, document_id HAVING count(*) > 1) several
"""  # noqa: S608


def _grades(_: Campaign, where: str) -> str:
    acts = latest_acts(by_assessors(where), columns="grade, adjudication, document_revision")
    return f"WITH {acts}{_GRADES}"


def _rule(campaign: Campaign) -> str:
    return f"{own_work(campaign)} of one text"


# Documents of which the same people said the same are counted, not kept.
AGREEMENT_TALLY = TallyKind("alike", _grades, _rule)


@dataclass(frozen=True)
class Ratings:
    """Assessors who graded documents that others graded, too; their grades (rows) of each way to be graded
    (columns), NaN for none; the number of documents graded so; and of those with grades of several texts."""

    names: list[str]
    grades: np.ndarray
    times: np.ndarray
    apart: int


def agreement_of(*, campaign: Campaign) -> AssessorAgreement:
    ratings = _ratings(campaign)
    grades, times, documents = ratings.grades, ratings.times, int(ratings.times.sum())
    pairs = sorted(_shared(ratings), key=lambda pair: -pair.times.sum())
    enough = documents >= LEAST_COMMON_DOCUMENTS
    counts, counted = _equally_often(ratings)
    return AssessorAgreement(
        documents=documents,
        apart=ratings.apart,
        people=len(ratings.names),
        cohen=_defined(mean_cohen_kappa(grades, times=times, resamples=RESAMPLES)) if enough else None,
        fleiss=(
            _defined(fleiss_kappa(counts, times=counted, resamples=RESAMPLES))
            if counted.sum() >= LEAST_COMMON_DOCUMENTS
            else None
        ),
        fleiss_documents=int(counted.sum()),
        fleiss_grades=int(counts[0].sum()) if len(counts) else 0,
        krippendorff=(
            _defined(krippendorff_alpha(grades, "ordinal", times=times, resamples=RESAMPLES))
            if enough
            else None
        ),
        pairs=[_pair(pair) for pair in pairs[:MOST_PAIRS]],
        more_pairs=len(pairs[MOST_PAIRS:]),
    )


def agreement_with(*, campaign: Campaign, username: str) -> list[AssessorPair]:
    """An assessor and each of the others, those with most documents in common first; `one` is always they."""
    pairs = [
        pair if pair.one == username else pair.turned()
        for pair in _shared(_ratings(campaign))
        if username in (pair.one, pair.other)
    ]
    return [_pair(pair) for pair in sorted(pairs, key=lambda pair: -pair.times.sum())[:MOST_PAIRS]]


def agreement_with_others(*, campaign: Campaign, username: str) -> Estimate | None:
    """Kappa of an assessor's grades with those of all others, for the assessor; None where too few documents
    are in common. A document that several others graded counts once with each."""
    shared = [pair for pair in _shared(_ratings(campaign)) if username in (pair.one, pair.other)]
    if sum(int(pair.times.sum()) for pair in shared) < LEAST_FOR_ASSESSORS:
        return None
    turned = [pair if pair.one == username else pair.turned() for pair in shared]
    first, second, times = (
        np.concatenate([getattr(pair, name) for pair in turned]) for name in ("first", "second", "times")
    )
    return _defined(cohen_kappa(first, second, times=times, resamples=RESAMPLES))


def own_repeats(*, campaign: Campaign, assessor: int) -> Estimate | None:
    """Kappa of an assessor with themself on documents shown again, for the assessor; None for too few."""
    rows = self_agreement_of(campaign=campaign, assessor=assessor)
    return next((row.kappa for row in rows if row.graded >= LEAST_FOR_ASSESSORS), None)


def _ratings(campaign: Campaign) -> Ratings:
    counted = tally_counts_of(campaign, AGREEMENT_TALLY)
    apart, _ = counted.pop(_APART, [0, 0])
    ways = {key: count for key, (count, _) in sorted(counted.items()) if count}
    grade_lists = [[tuple(map(int, one.split(":"))) for one in key.split()] for key in ways]
    ids = {person for way in grade_lists for person, _ in way}
    people = dict(User.objects.filter(id__in=ids).order_by("username").values_list("id", "username"))
    rows = {person: row for row, person in enumerate(people)}
    grades = np.full((len(people), len(grade_lists)), np.nan)
    for column, way in enumerate(grade_lists):
        for person, grade in way:
            grades[rows[person], column] = grade
    return Ratings(list(people.values()), grades, np.array(list(ways.values()), dtype=np.int64), apart)


@dataclass(frozen=True)
class _SharedGrades:
    """Two people's grades of documents that both graded, and how many were graded so."""

    one: str
    other: str
    first: np.ndarray
    second: np.ndarray
    times: np.ndarray

    def turned(self) -> _SharedGrades:
        return _SharedGrades(self.other, self.one, self.second, self.first, self.times)


def _shared(ratings: Ratings) -> list[_SharedGrades]:
    """Every two people who have graded a document in common."""
    pairs = []
    has_grade = ~np.isnan(ratings.grades)
    for one, other in combinations(range(len(ratings.names)), 2):
        both = has_grade[one] & has_grade[other]
        if both.any():
            names = ratings.names[one], ratings.names[other]
            first, second = ratings.grades[[one, other]][:, both].astype(np.int64)
            pairs.append(_SharedGrades(*names, first, second, ratings.times[both]))
    return pairs


def _pair(pair: _SharedGrades) -> AssessorPair:
    documents = int(pair.times.sum())
    same = int(pair.times[pair.first == pair.second].sum())
    if documents < LEAST_COMMON_DOCUMENTS:
        return AssessorPair(pair.one, pair.other, documents, same, None)
    kappa = cohen_kappa(pair.first, pair.second, times=pair.times, resamples=RESAMPLES)
    return AssessorPair(pair.one, pair.other, documents, same, _defined(kappa))


def _equally_often(ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
    """Count the grades (columns) of documents (rows) with the most frequent number of grades, and the
    documents that each row stands for. Of two equally frequent numbers, the larger is used."""
    sizes = (~np.isnan(ratings.grades)).sum(axis=0)
    if not sizes.size:
        return np.zeros((0, 0), dtype=np.int64), np.zeros(0, dtype=np.int64)
    often = max(np.unique(sizes).tolist(), key=lambda number: (ratings.times[sizes == number].sum(), number))
    grades = np.unique(ratings.grades[~np.isnan(ratings.grades)])
    chosen = ratings.grades[:, sizes == often]
    counts = np.asarray((chosen[:, :, None] == grades).sum(axis=0), dtype=np.int64)
    return counts, ratings.times[sizes == often]


def _defined(estimate: Estimate) -> Estimate | None:
    return None if isnan(estimate.value) else estimate


@dataclass(frozen=True)
class SelfAgreement:
    """Self-agreement of an assessor on documents shown once more: the number graded, graded alike, and no
    longer judgeable, the mean rise of the grade, and kappa where there are enough."""

    username: str
    graded: int
    same: int
    unjudged: int
    shift: float | None
    kappa: Estimate | None

    @property
    def lacking(self) -> int:
        return max(LEAST_COMMON_DOCUMENTS - self.graded, 0)


_OF_ONE = "(%(assessor)s::int IS NULL OR assessor_id = %(assessor)s)"
_ANSWERS = f"""
WITH {latest_repeats(f"{OF_CAMPAIGN} AND {_OF_ONE}", columns="first_id, grade, undo, document_revision")}
SELECT u.username, j.grade, again.grade FROM again
JOIN auth_user u ON u.id = again.assessor_id JOIN campaigns_judgment j ON j.id = first_id
WHERE NOT again.undo AND j.grade IS NOT NULL AND again.document_revision = j.document_revision
ORDER BY u.username, j.sequence
"""  # noqa: S608


def self_agreement_of(*, campaign: Campaign, assessor: int | None = None) -> list[SelfAgreement]:
    """Self-agreement of everybody who judged a document shown once more, by name; `assessor`: of this one."""
    answers: defaultdict[str, list[tuple[int, int | None]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERS, {"campaign": campaign.id, "assessor": assessor})
        for name, before, after in cursor.fetchall():
            answers[name].append((before, after))
    return [_steadiness(name, pairs) for name, pairs in answers.items()]


def _steadiness(name: str, pairs: list[tuple[int, int | None]]) -> SelfAgreement:
    graded = np.array([pair for pair in pairs if pair[1] is not None], dtype=np.int64).reshape(-1, 2)
    first, second = graded[:, 0], graded[:, 1]
    kappa = cohen_kappa(first, second, resamples=RESAMPLES) if len(graded) >= LEAST_COMMON_DOCUMENTS else None
    return SelfAgreement(
        username=name,
        graded=len(graded),
        same=int((first == second).sum()),
        unjudged=len(pairs) - len(graded),
        shift=float((second - first).mean()) if len(graded) else None,
        kappa=kappa and _defined(kappa),
    )
