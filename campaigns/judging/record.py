"""Recording what an assessor said. The row is committed first; everything else can be computed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.rankings import is_ranked
from campaigns.core.database import Statement
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import request_recompute
from campaigns.duplicates.judgment_copies import propagate
from campaigns.judging.claims import ServedDocument
from campaigns.judging.group_commit import commit_in_group
from campaigns.judging.lookup import (
    ActLookup,
    ActPlace,
    ActRequest,
    RecordedJudgment,
    act_place_of,
    look_up_acts,
    recorded_judgments,
)
from campaigns.judging.next_document import (
    Serving,
    next_document,
    open_document,
    recall,
    serve,
    serve_together,
)
from campaigns.judging.progress import AssessorProgress, progress_after
from campaigns.judging.situation import (
    ServingQueue,
    Situation,
    SituationQuery,
    admission_of,
    foreseen_queue,
    not_open,
    situations_of,
)
from campaigns.log import audit
from campaigns.models import Campaign, Claim, Judgment, LogHead, Repeat
from campaigns.models.campaign import JudgmentCopies, Status
from campaigns.models.judgment import REASONS

_COLUMNS = {
    "id": "uuid[]",
    "assessor_id": "int[]",
    "topic_id": "bigint[]",
    "document_id": "int[]",
    "grade": "int[]",
    "reason": "text[]",
    "undo": "bool[]",
    "milliseconds": "int[]",
    "seen": "int[]",
    "method": "text[]",
    "served_exactly": "bool[]",
    "queue_age": "int[]",
    "weight_given_up": "float8[]",
    "inclusion_probability": "float8[]",
    "stale_claim": "bool[]",
    "topic_revision": "int[]",
    "document_revision": "int[]",
    "supersedes_id": "uuid[]",
    "adjudication": "bool[]",
    "created": "timestamptz[]",
}
_NAMES = ", ".join(_COLUMNS)
# Taking the log's next places locks its head until the commit: places are committed in their own order. A
# claim may have lapsed and be another assessor's by now: then it stays.
_APPEND = Statement(
    "append",
    f"""
WITH head AS (
  UPDATE campaigns_loghead SET length = length + %(count)s
  WHERE campaign_id = %(campaign)s AND accepting AND replacements = %(replacements)s
  RETURNING length - %(count)s AS length
), released AS (
  DELETE FROM campaigns_claim k USING unnest(%(claims)s, %(claimants)s) AS held (id, assessor)
  WHERE k.id = held.id AND k.assessor_id = held.assessor
), taken_up AS (
  DELETE FROM campaigns_postponement p
  USING unnest(%(topic_id)s, %(document_id)s, %(assessor_id)s) AS act (topic, document, assessor)
  WHERE p.topic_id = act.topic AND p.document_id = act.document AND p.assessor_id = act.assessor
)
INSERT INTO campaigns_judgment (campaign_id, sequence, {_NAMES})
SELECT %(campaign)s, head.length + act.place, {", ".join(f"act.{name}" for name in _COLUMNS)}
FROM head, unnest({", ".join(f"%({name})s" for name in _COLUMNS)})
  WITH ORDINALITY AS act ({_NAMES}, place)
ORDER BY act.place
RETURNING sequence
""",  # noqa: S608
    campaign="bigint",
    count="int",
    replacements="int",
    claims="bigint[]",
    claimants="int[]",
    **_COLUMNS,
)
_TAKE_UP = """
DELETE FROM campaigns_postponement p USING unnest(%s::bigint[], %s::int[]) AS answer (topic, document)
WHERE p.topic_id = answer.topic AND p.document_id = answer.document AND p.assessor_id = %s
"""


@dataclass(frozen=True)
class JudgmentOutcome(RecordedJudgment):
    progress: AssessorProgress
    next: ServedDocument | None
    # Whether the assessor is asked for a note: another's grade differs.
    asks_note: bool


def record(*, campaign: Campaign, assessor: int, act: ActRequest) -> JudgmentOutcome:
    """Append the act to the log and claim the assessor's next document, in one transaction. The same
    id again changes nothing and gets the same answer."""
    try:
        check_act(campaign, act)
        return commit_in_group(campaign.id, _SentAct(campaign, assessor, act), _commit, _outcomes)
    except (_RecordedBefore, IntegrityError):
        return _again(campaign, assessor, act)
    except TextsReplaced:
        # Looked up again, the act names the text that the assessor saw, or is refused.
        return record(campaign=campaign, assessor=assessor, act=act)
    except Refusal:
        # What was recorded once stays recorded, whatever has changed since.
        if recorded_judgments(campaign=campaign, assessor=assessor, ids=[act.id]):
            return _again(campaign, assessor, act)
        raise


@dataclass(frozen=True)
class _SentAct:
    campaign: Campaign
    assessor: int
    act: ActRequest


@dataclass(frozen=True)
class _PlacedAct(_SentAct):
    """An act that was looked up, as a row to be appended."""

    place: ActPlace
    row: Judgment | Repeat


@dataclass(frozen=True)
class _CommittedAct:
    placed: _PlacedAct
    served: ServedDocument | None


class _RecordedBefore(Exception):
    """A row of the act's id is there."""


class TextsReplaced(Refusal):
    """An upload replaced texts after the acts had been looked up; nothing is recorded."""

    def __init__(self) -> None:
        super().__init__(
            "busy",
            gettext("the campaign changed during the request; nothing was recorded; resend"),
            status=409,
        )


def _commit(acts: Sequence[_SentAct], hand_over: Callable[[], None]) -> list[_CommittedAct | None]:
    """Append acts of one campaign by different assessors, and claim the next document of each, as if they
    had come one after the other. None for those of several that are not recorded but have to come alone. If
    one of the others is refused, none is recorded."""
    campaign = acts[0].campaign
    lookups = look_up_acts(campaign, [one.assessor for one in acts], [one.act for one in acts])
    place = _place if len(acts) == 1 else _place_in_group
    placed = [place(*each) for each in zip(acts, lookups, strict=True)]
    together = [one for one in placed if one is not None]
    committed = iter(_commit_placed(together, hand_over) if together else ())
    return [None if one is None else next(committed) for one in placed]


def _place(sent: _SentAct, lookup: ActLookup | None) -> _PlacedAct:
    campaign, assessor, act = sent.campaign, sent.assessor, sent.act
    place = act_place_of(campaign, act, lookup, is_ranked)
    if lookup is not None and lookup.known:
        raise _RecordedBefore
    return _PlacedAct(campaign, assessor, act, place, row_of(campaign, assessor, act, place, timezone.now()))


def _place_in_group(sent: _SentAct, lookup: ActLookup | None) -> _PlacedAct | None:
    """None if it has to come alone. A refusal is worded in its sender's language, and an answer to a repeat
    check is noted in the history under its sender's name."""
    try:
        placed = _place(sent, lookup)
    except (Refusal, _RecordedBefore):
        return None
    return placed if isinstance(placed.row, Judgment) else None


def _commit_placed(acts: Sequence[_PlacedAct], hand_over: Callable[[], None]) -> list[_CommittedAct]:
    campaign = acts[0].campaign
    with transaction.atomic():
        append_acts(
            campaign=campaign,
            rows=[one.row for one in acts],
            replacements=acts[0].place.replacements,
            claims=[
                (one.place.claim.id, one.assessor)
                for one in acts
                if one.place.claim is not None and not one.act.undo
            ],
        )
        # Behind the log's lock: a topic cannot close between this look and the commit.
        situations = situations_of(_situation_queries(acts))
        if situations[0].judgment_copies != JudgmentCopies.OFF:
            situations = _after_copies(acts) or situations
        served = serve_together(
            [
                (situation.topic, _serve_after(situation, one.act, one.place))
                for situation, one in zip(situations, acts, strict=True)
            ]
        )
        request_recompute(campaign.id)
        # The log stays locked until the commit; the next group can look up its acts until then.
        hand_over()
    return [_CommittedAct(*each) for each in zip(acts, served, strict=True)]


def _situation_queries(acts: Sequence[_PlacedAct], copies: int = 0) -> list[SituationQuery]:
    """`copies`: log entries that were appended behind the acts, which the queues must know, too."""
    last = max((one.row.sequence for one in acts if isinstance(one.row, Judgment)), default=0)
    return [
        SituationQuery(
            one.campaign,
            one.place.topic,
            one.assessor,
            one.act.id,
            (last + copies if copies else one.row.sequence) if isinstance(one.row, Judgment) else None,
        )
        for one in acts
    ]


def _after_copies(acts: Sequence[_PlacedAct]) -> list[Situation]:
    """Copy the acts to duplicates. Returns the situations thereafter; none where nothing was copied."""
    judgments = [one.row for one in acts if isinstance(one.row, Judgment)]
    places = [(row.topic_id, row.document_id) for row in judgments]
    copies = propagate(campaign=acts[0].campaign.id, places=places) if places else 0
    return situations_of(_situation_queries(acts, copies)) if copies else []


def _outcomes(committed: Sequence[_CommittedAct]) -> list[JudgmentOutcome]:
    placed = [one.placed for one in committed]
    progress = progress_after(campaign=placed[0].campaign, acts=[one.row for one in placed])
    return [_outcome(one, *after) for one, after in zip(committed, progress, strict=True)]


def _outcome(one: _CommittedAct, progress: AssessorProgress, asks_note: bool) -> JudgmentOutcome:
    row, act, revises = one.placed.row, one.placed.act, one.placed.place.revises
    return JudgmentOutcome(row, act.topic, act.docno, True, revises, progress, one.served, asks_note)


def check_act(campaign: Campaign, act: ActRequest) -> None:
    """Refusal where the campaign records no such act from any assessor."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if act.grade is not None and act.grade not in {row["grade"] for row in campaign.grades}:
        scale = ", ".join(str(row["grade"]) for row in campaign.grades)
        raise Refusal(
            "grade_outside_scale",
            gettext("%(grade)s is not a grade here: %(scale)s") % {"grade": act.grade, "scale": scale},
            field="grade",
        )
    if act.reason and act.reason not in REASONS:
        raise Refusal(
            "unknown_reason",
            gettext("the reason is one of: %(reasons)s") % {"reasons": ", ".join(REASONS)},
            field="reason",
        )


def _serve_after(situation: Situation, act: ActRequest, place: ActPlace) -> Serving:
    """Serving after the act; refused, together with the act, where the topic takes none."""
    admission, topic, assessor = situation.admission, situation.topic, situation.assessor
    if admission.refusal_of_act is not None:
        raise admission.refusal_of_act
    if admission.over is not None or admission.paused:
        return None
    if act.undo:
        purpose = Claim.Purpose.REPEAT if place.repeats else Claim.Purpose.FIRST
        queue = ServingQueue(
            [place.document], place.method, inclusion=[place.inclusion_probability], purposes=[purpose]
        )
        served = recall(queue, topic=topic, assessor=assessor)
        # While another assessor has it open, the work goes on with what there is.
        served = served or open_document(topic=topic, assessor=assessor)
        if served is not None:
            return served
    return (yield from serve(situation, foreseen=_foreseen(situation, act, place), shown=place.shown))


def _foreseen(situation: Situation, act: ActRequest, place: ActPlace) -> ServingQueue | None:
    """Queue that the worker computed for just this grade while the document was on screen."""
    held = place.claim
    if held is None or held.lookahead_configuration != situation.campaign.configuration:
        return None
    if place.repeats or act.undo:
        return None
    if act.grade is None and (held.recalled or place.purpose):
        # Without this grade, another assessor's may stand: "no grade" was not what was foreseen.
        return None
    outcome = "" if act.grade is None else str(act.grade)
    return foreseen_queue(held.lookahead, outcome, method=situation.method, as_of=held.lookahead_as_of)


def _again(campaign: Campaign, assessor: int, act: ActRequest) -> JudgmentOutcome:
    recorded = recorded_judgments(campaign=campaign, assessor=assessor, ids=[act.id]).get(act.id)
    if recorded is None:
        raise id_in_use()
    row = recorded.judgment
    [(progress, asks_note)] = progress_after(campaign=campaign, acts=[row])
    goes_on = campaign.status == Status.OPEN and admission_of(topic=row.topic_id, assessor=assessor).has_next
    served = next_document(campaign=campaign, topic=row.topic, assessor=assessor) if goes_on else None
    parts = (row, recorded.topic, recorded.docno, False, recorded.revision)
    return JudgmentOutcome(*parts, progress, served, asks_note)


def id_in_use() -> Refusal:
    return Refusal("id_taken", gettext("this id belongs to another judgment"), field="id", status=409)


def row_of(
    campaign: Campaign, assessor: int, act: ActRequest, place: ActPlace, created: datetime
) -> Judgment | Repeat:
    """The act as a row, of the log or beside it; it has no place in the log yet."""
    columns: dict[str, Any] = {
        "id": act.id,
        "campaign": campaign,
        "topic_id": place.topic,
        "document_id": place.document,
        "assessor_id": assessor,
        "grade": act.grade,
        "reason": act.reason,
        "undo": act.undo,
        "milliseconds": act.milliseconds,
        "document_revision": place.document_revision,
        "created": created,
    }
    if place.repeats is not None:
        return Repeat(**columns, first_id=place.repeats)
    return Judgment(
        **columns,
        seen=act.seen,
        # Who judges again what they adjudicated, adjudicates it again.
        adjudication=place.decides,
        method=place.method,
        served_exactly=place.exact,
        queue_age=place.queue_age,
        weight_given_up=place.weight_given_up,
        inclusion_probability=place.inclusion_probability,
        stale_claim=not (act.undo or (place.claim and place.claim.live)),
        topic_revision=place.topic_revision,
        supersedes_id=place.earlier,
    )


def append_acts(
    *,
    campaign: Campaign,
    rows: Sequence[Judgment | Repeat],
    replacements: int,
    claims: Sequence[tuple[int, int]],
) -> None:
    """Add acts, in their order, and let go of these claims, each by its id and its assessor's. The log is
    locked until the surrounding transaction ends. TextsReplaced if there are more `replacements` than when
    the acts were looked up."""
    judgments = [row for row in rows if isinstance(row, Judgment)]
    answers = [row for row in rows if isinstance(row, Repeat)]
    if judgments:
        _append_to_log(campaign, judgments, replacements, claims)
    its = [claim for claim, _ in claims]
    if answers and not append_repeats(answers=answers, replacements=replacements, claims=its):
        raise _closed_meanwhile(campaign)


def _append_to_log(
    campaign: Campaign,
    judgments: Sequence[Judgment],
    replacements: int,
    claims: Sequence[tuple[int, int]],
) -> None:
    parameters: dict[str, Any] = {
        "campaign": campaign.id,
        "count": len(judgments),
        "replacements": replacements,
        "claims": [claim for claim, _ in claims],
        "claimants": [assessor for _, assessor in claims],
        **{name: [getattr(judgment, name) for judgment in judgments] for name in _COLUMNS},
    }
    places = [row[0] for row in _APPEND.rows(parameters)]
    if not places:
        raise _closed_meanwhile(campaign)
    for judgment, place in zip(judgments, places, strict=True):
        judgment.sequence = place


def _closed_meanwhile(campaign: Campaign) -> Exception:
    """Closed between the look at its status and this moment, or texts were replaced."""
    if LogHead.objects.filter(campaign=campaign, accepting=True).exists():
        return TextsReplaced()
    campaign.refresh_from_db(fields=["status"])
    return not_open(campaign)


def append_repeats(*, answers: Sequence[Repeat], replacements: int, claims: Sequence[int]) -> bool:
    """Add an assessor's answers, and let go of these claims and of what was answered; False if the campaign
    takes nothing more. Like judgments they hold the log's lock until the commit."""
    campaign, assessor = answers[0].campaign_id, answers[0].assessor_id
    heads = LogHead.objects.select_for_update(no_key=True)
    heads = heads.filter(campaign=campaign, accepting=True, replacements=replacements)
    if heads.first() is None:
        return False
    Claim.objects.filter(id__in=claims, assessor_id=assessor).delete()
    given = [(answer.topic_id, answer.document_id) for answer in answers if not answer.undo]
    with connection.cursor() as cursor:
        cursor.execute(
            _TAKE_UP, [[topic for topic, _ in given], [document for _, document in given], assessor]
        )
    Repeat.objects.bulk_create(answers)
    _note(answers)
    return True


def _note(answers: Sequence[Repeat]) -> None:
    """For organisers: an assessor's own history holds judgments alone, so that nothing shows them."""
    rows = Repeat.objects.filter(id__in=[answer.id for answer in answers])
    # The log is locked meanwhile: no texts are read, however many answers there are.
    places = {
        id: place for id, *place in rows.values_list("id", "topic__number", "document__docno", "first__grade")
    }
    for answer in answers:
        topic, docno, before = places[answer.id]
        detail = {"grade": answer.grade, "reason": answer.reason, "undo": answer.undo, "before": before}
        audit.note(campaign=answer.campaign, kind="shown again", topic=topic, docno=docno, **detail)
