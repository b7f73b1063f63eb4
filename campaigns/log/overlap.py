"""Documents that several people graded, and on which they disagree.

They are few, so whatever compares people reads no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from campaigns.log.current import by_assessors, counting, excluded, is_by_assessor, latest_acts
from campaigns.log.tallies import (
    TallyCounts,
    TallyKind,
    own_work,
    stored_counts,
    tally_counts_of,
    tally_counts_of_each,
)
from campaigns.models import Campaign, Document

# What is said of a document, added up: people differ; it was decided; with decisions, grades differ; and so
# many times the last, how far the grades that differ are apart.
HAS_DISAGREEMENT, HAS_DECISION, NOT_ALIKE, APART = 1, 2, 4, 8
_SEVERAL = "several"

_SAID = "FILTER (WHERE own)"
_FIRST = "FILTER (WHERE own AND NOT adjudication)"
# Beside each such document, its last act that stands; and how many documents several people graded.
_BY_PLACE = f""",
shared AS (
  SELECT topic_id, document_id, max(sequence) AS last,
    CASE WHEN min(grade) {_FIRST} < max(grade) {_FIRST} THEN {HAS_DISAGREEMENT}
      + {APART} * (greatest(max(grade) {_FIRST}, 0) - greatest(min(grade) {_FIRST}, 0)) ELSE 0 END
    + CASE WHEN bool_or(adjudication) AND count(*) {_FIRST} > 0 THEN {HAS_DECISION} ELSE 0 END
    + CASE WHEN min(grade) {_SAID} < max(grade) {_SAID} THEN {NOT_ALIKE} ELSE 0 END AS states
  FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id HAVING count(*) {_SAID} > 1)
SELECT topic_id || ' ' || document_id, states, last FROM shared WHERE states > 0
UNION ALL SELECT '{_SEVERAL}', count(*), 0 FROM shared
"""  # noqa: S608


def _by_place(campaign: Campaign, where: str) -> str:
    columns = f"sequence, grade, adjudication, {is_by_assessor()} AS own"
    return f"WITH {latest_acts(counting(campaign, where), columns=columns)}{_BY_PLACE}"


def _rule(campaign: Campaign) -> str:
    return f"{own_work(campaign)} and how far apart {campaign.exclusion_changes or ''}"


OVERLAP_TALLY = TallyKind("shared", _by_place, _rule)


def differs_from_others(act: Mapping[str, str], until: str = "") -> str:
    """Condition: another assessor's standing grade of a document differs, decisions left out. `act`: the
    expressions for topic, document, assessor and grade; `until`: a further condition on the others' acts."""
    where = f"""topic_id = {act["topic"]} AND document_id = {act["document"]}
    AND assessor_id <> {act["assessor"]}{until} AND NOT {excluded()}"""
    others = latest_acts(by_assessors(where), columns="grade, adjudication")
    return f"EXISTS (WITH {others} SELECT FROM latest WHERE grade <> {act['grade']} AND NOT adjudication)"


def count_overlapping(*, campaign: Campaign) -> int:
    """Number of documents with standing grades of more than one person."""
    return tally_counts_of(campaign, OVERLAP_TALLY).get(_SEVERAL, [0, 0])[0]


def places_where(
    *, campaign: Campaign, mask: int, as_stored: bool = False
) -> dict[tuple[int, int], tuple[int, int]]:
    """Places (topic, document) with any of these states: all states of the place, and its last standing
    act. `as_stored`: as they were last counted."""
    counts = (stored_counts if as_stored else tally_counts_of)(campaign, OVERLAP_TALLY)
    counts.pop(_SEVERAL, None)
    pairs = ((key.split(), states, last) for key, (states, last) in counts.items() if states & mask)
    return {(int(topic), int(document)): (states, last) for (topic, document), states, last in pairs}


def disagreement_places(*, campaign: Campaign, prefix: str = "") -> dict[tuple[int, int], int]:
    """Documents whose standing grades differ, and the last act on each. `prefix`: how docnos begin."""
    places = places_where(campaign=campaign, mask=NOT_ALIKE)
    if prefix:
        ids = list({document for _, document in places})
        rows = Document.objects.filter(id__in=ids, docno__startswith=prefix)
        matching = set(rows.values_list("id", flat=True))
        return {place: last for place, (_, last) in places.items() if place[1] in matching}
    return {place: last for place, (_, last) in places.items()}


def count_undecided(*, campaign: Campaign) -> int:
    """On how many documents people differ without a decision."""
    return _undecided(tally_counts_of(campaign, OVERLAP_TALLY))


def undecided_in_each(*, campaigns: Sequence[Campaign]) -> dict[int, int]:
    """The same, by campaign."""
    tallies = tally_counts_of_each(campaigns, OVERLAP_TALLY)
    return {campaign: _undecided(tally) for campaign, tally in tallies.items()}


def _undecided(tally: TallyCounts) -> int:
    open_states = (states for key, (states, _) in tally.items() if key != _SEVERAL)
    return sum(states & (HAS_DISAGREEMENT | HAS_DECISION) == HAS_DISAGREEMENT for states in open_states)
