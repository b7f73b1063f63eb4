"""Whether somebody may judge a topic now: it is theirs to judge, still open, and what comes first is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils.translation import gettext

from campaigns.core.database import Statement
from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.models.campaign import TopicChoice
from campaigns.models.judgment import LEAST_TRAINING

# An attempt covers the training if it answers every item there is. Items that came later do not call
# anybody back who has been judging since.
_TRAINED = """
EXISTS (
  SELECT FROM campaigns_traininganswer a JOIN campaigns_trainingitem i ON i.id = a.item_id
  WHERE i.campaign_id = c.id AND a.assessor_id = %(assessor)s
  GROUP BY a.attempt
  HAVING count(*) >= (SELECT count(*) FROM campaigns_trainingitem WHERE campaign_id = c.id)
    OR (count(*) >= %(least)s AND EXISTS (
      SELECT FROM campaigns_judgment j WHERE j.campaign_id = c.id AND j.assessor_id = %(assessor)s
      AND j.created > max(a.created) AND j.id IS DISTINCT FROM %(act)s)))
"""

# Put together from constants only. A closed topic still takes what others than the closer had begun.
_STANDING = Statement(
    "standing",
    f"""
SELECT t.id, t.closed_at IS NOT NULL,
  t.closed_at IS NOT NULL AND t.closed_by_id IS DISTINCT FROM %(assessor)s AND EXISTS (
    SELECT FROM campaigns_judgment j WHERE j.topic_id = t.id AND j.assessor_id = %(assessor)s
    AND j.created < t.closed_at),
  c.topic_choice <> %(assigned)s OR EXISTS (
    SELECT FROM campaigns_topicassignment s WHERE s.topic_id = t.id AND s.assessor_id = %(assessor)s),
  NOT c.training_required OR {_TRAINED},
  NOT c.development_required OR t.developed_by_id IS NOT NULL
    OR (t.description <> '' AND t.narrative <> ''),
  EXISTS (
    SELECT FROM campaigns_membership m WHERE m.campaign_id = c.id AND m.user_id = %(assessor)s
    AND m.paused_at IS NOT NULL)
FROM campaigns_topic t JOIN campaigns_campaign c ON c.id = t.campaign_id
WHERE t.id = ANY(%(topics)s)
""",  # noqa: S608
    assessor="int",
    assigned="text",
    least="int",
    act="uuid",
    topics="bigint[]",
)


@dataclass(frozen=True)
class Admission:
    closed: bool
    # Closed by somebody else while this assessor was at work in it.
    under_way: bool
    assigned: bool
    trained: bool
    developed: bool
    paused: bool


def admissions_of(*, topics: Sequence[int], assessor: int, act: UUID | None = None) -> dict[int, Admission]:
    """How the assessor stands before each topic; an act just written is no reason to admit it."""
    wish: dict[str, Any] = {
        "topics": list(topics),
        "assessor": assessor,
        "assigned": TopicChoice.ASSIGNED,
        "least": LEAST_TRAINING,
        "act": act,
    }
    return {topic: Admission(*standing) for topic, *standing in _STANDING.rows(wish)}


def admission_of(*, topic: int, assessor: int, act: UUID | None = None) -> Admission:
    return admissions_of(topics=[topic], assessor=assessor, act=act)[topic]


_TRAINED_IN = f"SELECT c.id FROM campaigns_campaign c WHERE c.id = ANY(%(campaigns)s) AND {_TRAINED}"  # noqa: S608


def untrained_campaigns(*, campaigns: Sequence[Campaign], assessor: int) -> set[int]:
    """Those of the campaigns, by their ids, that ask the assessor to train first."""
    asking = {campaign.id for campaign in campaigns if campaign.training_required}
    if not asking:
        return set()
    wish: dict[str, Any] = {
        "campaigns": list(asking),
        "assessor": assessor,
        "least": LEAST_TRAINING,
        "act": None,
    }
    with connection.cursor() as cursor:
        cursor.execute(_TRAINED_IN, wish)
        return asking - {row[0] for row in cursor}


def may_be_served(*, topic: int, assessor: int) -> bool:
    """False in a closed topic; refused where something else comes first or the topic is not theirs."""
    found = admission_of(topic=topic, assessor=assessor)
    _refuse(found)
    return not found.closed


def has_next_document(*, topic: int, assessor: int) -> bool:
    """Whether there is a next document for them at all, without a reason if there is none."""
    try:
        return may_be_served(topic=topic, assessor=assessor)
    except Refusal:
        return False


def check_act(*, topic: int, assessor: int, act: UUID | None = None) -> bool:
    """Whether an act is followed by a next document; refused where the act itself must not be taken. From
    somebody who is paused it is taken: they may have judged before they could know."""
    found = admission_of(topic=topic, assessor=assessor, act=act)
    if refused := refusal_of_act(found):
        raise refused
    return not (found.closed or found.paused)


def refusal_of_act(found: Admission) -> Refusal | None:
    """Why an act of somebody who stands so is not taken; None if it is."""
    refused = _refusal(replace(found, paused=False))
    return refused or (topic_closed() if found.closed and not found.under_way else None)


def check_topic_development(*, topic: int, assessor: int) -> None:
    """Refused where the assessor may not word the topic; that nobody has yet is no obstacle."""
    found = admission_of(topic=topic, assessor=assessor)
    _refuse(replace(found, developed=True))
    if found.closed:
        raise topic_closed()


def _refuse(found: Admission) -> None:
    if refused := _refusal(found):
        raise refused


def _refusal(found: Admission) -> Refusal | None:
    if found.paused:
        words = gettext("an organiser has paused your work here; everything you judged is kept")
        return Refusal("paused", words, status=409)
    if not found.assigned:
        return Refusal(
            "not_assigned", gettext("this topic is not assigned to you"), field="topic", status=409
        )
    if not found.trained:
        return Refusal(
            "training_first", gettext("the campaign asks you to train before you judge"), status=409
        )
    if not (found.developed or found.closed):
        detail = gettext("somebody has to write out what this topic is about before it is judged")
        return Refusal("development_first", detail, field="topic", status=409)
    return None


def topic_closed() -> Refusal:
    return Refusal(
        "topic_closed", gettext("this topic is closed; an organiser can open it again"), status=409
    )


def not_open(campaign: Campaign) -> Refusal:
    return Refusal(
        "campaign_not_open",
        gettext("“%(name)s” is %(status)s, not open")
        % {"name": campaign.name, "status": campaign.get_status_display()},
        status=409,
    )
