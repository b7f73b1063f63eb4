"""Many acts of one assessor at once, each decided as if it had come by itself, in the order given.

Nothing is served after them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.rankings import ranked_of
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import request_recompute
from campaigns.duplicates.judgment_copies import propagate
from campaigns.judging.lookup import (
    ActLookup,
    ActPlace,
    ActRequest,
    RecordedJudgment,
    act_place_of,
    look_up_acts,
    recorded_judgments,
)
from campaigns.judging.record import TextsReplaced, append_acts, check_act, id_in_use, row_of
from campaigns.judging.situation import Admission, admissions_of
from campaigns.models import Campaign, Judgment, LogHead, Repeat

MOST_ACTS = 1000
BATCH_ATTEMPTS = 5
# Their times decide which of two acts came later.
ACT_SPACING = timedelta(microseconds=1)


def record_all(
    *, campaign: Campaign, assessor: int, acts: Sequence[ActRequest]
) -> list[RecordedJudgment | Refusal]:
    """Append the acts that are not refused, in one transaction; of each, in their order, what became of
    it. One that is refused does not stop the others."""
    for _ in range(BATCH_ATTEMPTS):
        batch = _batch_of(campaign, assessor, acts)
        outcomes = [batch.outcome(act, lookup) for act, lookup in zip(acts, batch.lookups, strict=True)]
        try:
            _append(batch)
        except (IntegrityError, TextsReplaced, _OutdatedLookup):
            # The same acts came on another line, or something was closed: other answers are due.
            campaign.refresh_from_db(fields=["status"])
        else:
            return outcomes
    raise Refusal(
        "busy", gettext("the campaign changed during the request; nothing was recorded; resend"), status=409
    )


class _OutdatedLookup(Exception):
    """Signal that a lookup made before the log was locked is out of date."""


def _append(batch: _Batch) -> None:
    if not batch.rows:
        return
    with transaction.atomic():
        heads = LogHead.objects.select_for_update(no_key=True)
        heads = heads.filter(campaign=batch.campaign, accepting=True)
        # Behind the log's lock: no topic closes between this look and the commit.
        if heads.first() is None or batch.admissions != batch.admissions_now():
            raise _OutdatedLookup
        claims = [(claim, batch.assessor) for claim in batch.released]
        append_acts(campaign=batch.campaign, rows=batch.rows, replacements=batch.replacements, claims=claims)
        propagate(
            campaign=batch.campaign.id,
            places=[(row.topic_id, row.document_id) for row in batch.rows if isinstance(row, Judgment)],
        )
        request_recompute(batch.campaign.id)


@dataclass
class _Batch:
    """Lookups of a group of acts, and the results of the acts so far."""

    campaign: Campaign
    assessor: int
    lookups: list[ActLookup | None]
    # By topic and document, those that a run ranks.
    ranked: set[tuple[int, int]]
    recorded: dict[UUID, RecordedJudgment]
    now: datetime
    admissions: dict[int, Admission] = field(init=False)
    rows: list[Judgment | Repeat] = field(default_factory=list)
    released: list[int] = field(default_factory=list)
    # By topic and document, as they stand after the acts so far.
    standing: dict[tuple[int, int | None], ActLookup] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.admissions = self.admissions_now()

    @property
    def replacements(self) -> int:
        return next(lookup.replacements for lookup in self.lookups if lookup is not None)

    def admissions_now(self) -> dict[int, Admission]:
        topics = {lookup.topic for lookup in self.lookups if lookup is not None}
        return admissions_of(topics=sorted(topics), assessor=self.assessor)

    def outcome(self, act: ActRequest, lookup: ActLookup | None) -> RecordedJudgment | Refusal:
        if before := self.recorded.get(act.id):
            return replace(before, created=False)
        try:
            check_act(self.campaign, act)
            here = lookup and self.standing.get((lookup.topic, lookup.document), lookup)
            place = act_place_of(self.campaign, act, here, lambda *pair: pair in self.ranked)
        except Refusal as refused:
            return refused
        if lookup is None or here is None or lookup.known:
            return id_in_use()
        return self.admissions[place.topic].refusal_of_act or self._take(act, here, place)

    def _take(self, act: ActRequest, here: ActLookup, place: ActPlace) -> RecordedJudgment:
        row = row_of(self.campaign, self.assessor, act, place, self.now + len(self.rows) * ACT_SPACING)
        self.rows.append(row)
        if place.claim is not None and not act.undo:
            self.released.append(place.claim.id)
        self.standing[place.topic, place.document] = here.after(row)
        self.recorded[act.id] = RecordedJudgment(row, act.topic, act.docno, True, place.revises)
        return self.recorded[act.id]


def _batch_of(campaign: Campaign, assessor: int, acts: Sequence[ActRequest]) -> _Batch:
    lookups = look_up_acts(campaign, [assessor] * len(acts), acts)
    ids = [act.id for act, one in zip(acts, lookups, strict=True) if one is None or one.known]
    recorded = recorded_judgments(campaign=campaign, assessor=assessor, ids=ids)
    unseen: dict[int, set[int]] = defaultdict(set)
    for one in lookups:
        if one is not None and one.document is not None and not one.handed_out:
            unseen[one.topic].add(one.document)
    ranked = {(topic, document) for topic in unseen for document in ranked_of(topic, unseen[topic])}
    return _Batch(campaign, assessor, lookups, ranked, recorded, timezone.now())
