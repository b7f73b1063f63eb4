"""Situation of an assessor in a topic: their permissions and the state of its queues, looked up by one
statement.

Everything that decides who gets what next is read from one immutable `Situation`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from django.utils.translation import gettext

from campaigns.collection.rankings import docno_order
from campaigns.computing.lookahead import Successors
from campaigns.core.database import Statement
from campaigns.core.errors import Refusal
from campaigns.log.current import is_by_assessor
from campaigns.models import Campaign, Judgment, Ranking, Sample, Topic
from campaigns.models.campaign import SAMPLING_METHODS, Method, Scope, TopicChoice
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.models.packed import unpack_ids, unpack_weights
from campaigns.models.topics import Release
from selection.pool import build_topic_pool
from selection.registry import method_entry

# A queue as of no log entry at all: never up to date.
NEVER_EXACT = -1


def _own(assessor: str) -> str:
    return f"j.assessor_id = {assessor} AND {is_by_assessor('j')}"


# An attempt covers the training if it answers every item there is. Items that came later do not
# send assessors back to training who have judged since. `assessor` and `act` stand for expressions, here and
# below.
def _trained(assessor: str, act: str) -> str:
    own = _own(assessor)
    return f"""
EXISTS (
  SELECT FROM campaigns_traininganswer a JOIN campaigns_trainingitem i ON i.id = a.item_id
  WHERE i.campaign_id = c.id AND a.assessor_id = {assessor}
  GROUP BY a.attempt
  HAVING count(*) >= (SELECT count(*) FROM campaigns_trainingitem WHERE campaign_id = c.id)
    OR (count(*) >= %(least)s AND EXISTS (
      SELECT FROM campaigns_judgment j WHERE j.campaign_id = c.id AND {own}
      AND j.created > max(a.created) AND j.id IS DISTINCT FROM {act})))
"""  # noqa: S608 — put together from constants only, like the statements below


# A closed topic still takes what others than the closer had begun.
def _admission(assessor: str, act: str) -> str:
    own = _own(assessor)
    return f"""
  t.closed_at IS NOT NULL,
  t.closed_at IS NOT NULL AND t.closed_by_id IS DISTINCT FROM {assessor} AND EXISTS (
    SELECT FROM campaigns_judgment j WHERE j.topic_id = t.id AND {own}
    AND j.created < t.closed_at),
  c.topic_choice = '{TopicChoice.FREE}' OR EXISTS (
    SELECT FROM campaigns_topicassignment s WHERE s.topic_id = t.id AND s.assessor_id = {assessor}),
  NOT c.training_required OR {_trained(assessor, act)},
  NOT c.development_required OR t.developed_by_id IS NOT NULL
    OR (t.description <> '' AND t.narrative <> ''),
  EXISTS (
    SELECT FROM campaigns_membership m WHERE m.campaign_id = c.id AND m.user_id = {assessor}
    AND m.paused_at IS NOT NULL),
  t.release = '{Release.RELEASED}' OR EXISTS (
    SELECT FROM campaigns_judgment j WHERE j.topic_id = t.id AND {own}),
  EXISTS (
    SELECT FROM campaigns_topiccompletion e WHERE e.topic_id = t.id AND e.assessor_id = {assessor})
"""  # noqa: S608


_ADMISSIONS = Statement(
    "admissions",
    f"""
SELECT t.id, {_admission("%(assessor)s", "NULL::uuid")}
FROM campaigns_topic t JOIN campaigns_campaign c ON c.id = t.campaign_id WHERE t.id = ANY(%(topics)s)
""",  # noqa: S608
    topics="bigint[]",
    assessor="int",
    least="int",
)
# The LATERAL has a LIMIT, which the planner leaves alone: topics are looked up one by one, by their keys.
_SITUATIONS = Statement(
    "situations",
    f"""
SELECT found.* FROM unnest(%(topics)s, %(assessors)s, %(acts)s, %(places)s)
  WITH ORDINALITY AS asked (topic, assessor, act, place, turn),
LATERAL (
  SELECT {_admission("asked.assessor", "asked.act")},
    t.method, coalesce(asked.place, h.length),
    (SELECT j.sequence FROM campaigns_judgment j
     WHERE j.topic_id = t.id AND (asked.place IS NULL OR j.sequence < asked.place)
     ORDER BY j.sequence DESC LIMIT 1), c.judgment_copies,
    q.method, q.configuration, q.as_of, q.documents, q.sources, q.inclusion, q.remaining,
    q.inclusion IS NOT NULL AND EXISTS (SELECT FROM campaigns_sample s WHERE s.topic_id = t.id)
  FROM campaigns_topic t JOIN campaigns_campaign c ON c.id = t.campaign_id
  JOIN campaigns_loghead h ON h.campaign_id = c.id
  LEFT JOIN campaigns_priority q ON q.topic_id = t.id WHERE t.id = asked.topic LIMIT 1) AS found
ORDER BY asked.turn
""",  # noqa: S608
    topics="bigint[]",
    assessors="int[]",
    acts="uuid[]",
    places="int[]",
    least="int",
)
_TRAINED_IN = f"""
SELECT c.id FROM campaigns_campaign c
WHERE c.id = ANY(%(campaigns)s) AND {_trained("%(assessor)s", "NULL::uuid")}
"""  # noqa: S608


@dataclass(frozen=True)
class Admission:
    """Permission of the assessor to judge the topic; see `refusal` for the order of the reasons."""

    closed: bool
    # Closed by another person while this assessor was at work in it.
    under_way: bool
    assigned: bool
    trained: bool
    developed: bool
    paused: bool
    # By the campaign's order of topics; assessors go on in topics that they have begun.
    released: bool = True
    # The assessor is done with the topic, for themself alone.
    done: bool = False

    @property
    def refusal(self) -> Refusal | None:
        """Reason why nothing is served to the assessor, although the topic may be open."""
        if self.paused:
            words = gettext("an organiser has paused your work here; everything you judged is kept")
            return Refusal("paused", words, status=409)
        if not self.assigned:
            return Refusal(
                "not_assigned", gettext("this topic is not assigned to you"), field="topic", status=409
            )
        if not self.released:
            words = gettext("this topic is not released yet; the organisers’ order has others first")
            return Refusal("not_released", words, field="topic", status=409)
        if not self.trained:
            return Refusal(
                "training_first", gettext("the campaign asks you to train before you judge"), status=409
            )
        if not (self.developed or self.closed):
            detail = gettext("this topic needs a description before it is judged")
            return Refusal("development_first", detail, field="topic", status=409)
        return None

    @property
    def refusal_of_act(self) -> Refusal | None:
        """Reason why an act of the assessor is not recorded. A paused assessor's act is, and so is one in a
        topic that is held back: they may have judged before they could know."""
        refused = replace(self, paused=False, released=True).refusal
        return refused or (topic_closed() if self.closed and not self.under_way else None)

    @property
    def over(self) -> Refusal | None:
        """Reason why the topic serves the assessor no further document: it is closed, or they are done with
        it."""
        if self.closed:
            return topic_closed()
        words = gettext("you are done with this topic; choose “Judge on” to go on")
        return Refusal("topic_done", words, field="topic", status=409) if self.done else None

    @property
    def has_next(self) -> bool:
        """True if there is a next document for them at all."""
        return self.over is None and self.refusal is None


def admissions_of(*, topics: Sequence[int], assessor: int) -> dict[int, Admission]:
    """Admission of the assessor to each topic."""
    values = {"topics": list(topics), "assessor": assessor, "least": LEAST_TRAINING}
    return {topic: Admission(*columns) for topic, *columns in _ADMISSIONS.rows(values)}


def admission_of(*, topic: int, assessor: int) -> Admission:
    return admissions_of(topics=[topic], assessor=assessor)[topic]


def check_is_theirs(*, topic: int, assessor: int) -> Admission:
    """Refusal where something else comes first or the topic is not the assessor's; a topic that is over for
    them is no obstacle."""
    admission = admission_of(topic=topic, assessor=assessor)
    if admission.refusal is not None:
        raise admission.refusal
    return admission


def check_topic_development(*, topic: int, assessor: int) -> None:
    """Refusal where the assessor may not develop the topic; an undeveloped topic is no obstacle."""
    admission = replace(admission_of(topic=topic, assessor=assessor), developed=True)
    if admission.refusal is not None:
        raise admission.refusal
    if admission.closed:
        raise topic_closed()


def untrained_campaigns(*, campaigns: Sequence[Campaign], assessor: int) -> set[int]:
    """Ids of the campaigns that ask the assessor to train first."""
    asking = {campaign.id for campaign in campaigns if campaign.training_required}
    if not asking:
        return set()
    values: dict[str, Any] = {
        "campaigns": list(asking),
        "assessor": assessor,
        "least": LEAST_TRAINING,
    }
    with connection.cursor() as cursor:
        cursor.execute(_TRAINED_IN, values)
        return asking - {row[0] for row in cursor}


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


@dataclass(frozen=True)
class ServingQueue:
    """Candidates in serving order, the method that chose them, and how far along the log they are right."""

    documents: Sequence[int]
    method: str
    as_of: int = NEVER_EXACT
    # Of each candidate, where there are such: who serves it instead, and how likely it was to be drawn.
    sources: Sequence[str] = ()
    inclusion: Sequence[float | None] = ()
    # Why it comes although it has been judged; empty: it has not.
    purposes: Sequence[str] = ()
    # Nothing unjudged lies beyond these documents.
    complete: bool = False

    def only(self, document: int) -> ServingQueue:
        """Just this candidate, if the queue holds it."""
        at = list(self.documents).index(document) if document in self.documents else len(self.documents)
        return self.part(at, at + 1)

    def part(self, first: int, end: int | None) -> ServingQueue:
        """The candidates from the place `first` to before `end`, counted from 0."""
        return replace(
            self,
            documents=self.documents[first:end],
            sources=self.sources[first:end],
            inclusion=self.inclusion[first:end],
            purposes=self.purposes[first:end],
            complete=False,
        )


@dataclass(frozen=True)
class Situation:
    """An assessor before a topic, at one moment of the log."""

    campaign: Campaign
    topic: int
    assessor: int
    admission: Admission
    # The method that serves the topic.
    method: str
    # Log entries of the campaign; and the topic's last one, the assessor's act of this moment aside.
    length: int
    topic_length: int
    # Whether the assessor's act of this moment is among the log entries.
    act_in_log: bool
    # Duplicates to which judgments are copied.
    judgment_copies: str
    _priority: Sequence[Any]

    @property
    def needed(self) -> int:
        """The log entry up to which a queue that was foreseen for the act must be right to be up to date: the
        topic's last, or the campaign's where the topic's method depends on other topics."""
        return self.length - self.act_in_log if self._depends_on_other_topics else self.topic_length

    @property
    def _depends_on_other_topics(self) -> bool:
        return self.campaign.scope == Scope.CAMPAIGN and method_entry(self.method).across_topics

    @property
    def needed_of_stored(self) -> int:
        """The same of the stored queue, which must know the act, too."""
        return self.length if self.act_in_log else self.needed

    def age_of(self, queue: ServingQueue, needed: int) -> int | None:
        """Number of judgments that the queue lacks to be right up to the log entry `needed`; None if the
        worker did not make it for these runs and settings."""
        if queue.as_of == NEVER_EXACT or queue.as_of >= needed:
            return None if queue.as_of == NEVER_EXACT else 0
        if self._depends_on_other_topics:
            return needed - queue.as_of
        lacking = Judgment.objects.filter(topic=self.topic, sequence__gt=queue.as_of, sequence__lte=needed)
        return lacking.count()

    def stored_queue(self) -> ServingQueue:
        """The worker's last queue. One made for other runs or settings is served, but never as exact."""
        method, configuration, as_of, documents, sources, inclusion, remaining, is_sampled = self._priority
        if documents is None:
            return ServingQueue([], "")
        chances = [] if inclusion is None else _chances(unpack_weights(inclusion).tolist())
        if method in SAMPLING_METHODS and any(chances) and not is_sampled:
            # Drawn for other runs than the campaign was opened with.
            return ServingQueue([], method)
        candidates = unpack_ids(documents).tolist()
        return ServingQueue(
            candidates,
            method,
            as_of if configuration == self.campaign.configuration else NEVER_EXACT,
            sources=(json.loads(sources) if isinstance(sources, str) else sources) or (),
            inclusion=chances,
            complete=remaining <= len(candidates),
        )


def _chances(inclusion: list[float]) -> list[float | None]:
    return [None if isnan(chance) else chance for chance in inclusion]


@dataclass(frozen=True)
class SituationQuery:
    """`act`: what the assessor has just done, which is no reason to admit it; `place`: the log entry that it
    became, None where it is not in the log. Entries behind that one are taken not to be there yet."""

    campaign: Campaign
    topic: int
    assessor: int
    act: UUID | None = None
    place: int | None = None


def situation_of(*, campaign: Campaign, topic: int, assessor: int) -> Situation:
    [situation] = situations_of([SituationQuery(campaign, topic, assessor)])
    return situation


def situations_of(asked: Sequence[SituationQuery]) -> list[Situation]:
    """Situations for these queries, in their order, by one statement."""
    values = {
        "topics": [one.topic for one in asked],
        "assessors": [one.assessor for one in asked],
        "acts": [one.act for one in asked],
        "places": [one.place for one in asked],
        "least": LEAST_TRAINING,
    }
    rows = _SITUATIONS.rows(values)
    return [_situation(one, row) for one, row in zip(asked, rows, strict=True)]


def _situation(asked: SituationQuery, row: Sequence[Any]) -> Situation:
    admission, (method, length, topic_length, copies), priority = Admission(*row[:8]), row[8:12], row[12:]
    return Situation(
        *(asked.campaign, asked.topic, asked.assessor, admission, method or asked.campaign.method),
        *(length, topic_length or 0, asked.place is not None, copies, priority),
    )


def foreseen_queue(
    lookahead: Mapping[str, Any] | None, outcome: str, *, method: str, as_of: int | None
) -> ServingQueue | None:
    """Queue that the worker computed for one outcome, read from a claim's look-ahead; None if there is
    none."""
    row = (lookahead or {}).get(outcome)
    if row is None or as_of is None:
        return None
    successors = Successors.from_json(row)
    return ServingQueue(
        successors.documents, method, as_of, sources=successors.sources, inclusion=successors.inclusion
    )


def fallback_queue(topic_id: int) -> ServingQueue:
    """Candidates when a silent worker's queue is used up. A sampled topic is served from its sample and from
    nothing else; the others by Method A weight (Moffat, Webber and Zobel 2007), from the rankings alone."""
    topic = Topic.objects.select_related("campaign").get(id=topic_id)
    method = topic.method or topic.campaign.method
    if method in (Method.RANDOM, Method.SAMPLE, Method.STRATA):
        # Anything else among the documents drawn, and they would no longer be a sample.
        return ServingQueue([], method)
    if method in SAMPLING_METHODS:
        sample = Sample.objects.filter(topic=topic).first()
        if sample is None:
            # Nothing may be served before the worker has drawn it; where MTC serves the topic alone, too,
            # because only the worker knows.
            return ServingQueue([], Method.STATAP)
        documents = unpack_ids(sample.documents).tolist()
        return ServingQueue(documents, Method.STATAP, inclusion=unpack_weights(sample.inclusion).tolist())
    return ServingQueue(_by_method_a(topic), Method.A)


def _by_method_a(topic: Topic) -> list[int]:
    """Every document of the topic's pool, judged or not, by Method A weight descending."""
    packed = Ranking.objects.filter(topic=topic, run__contributes_to_pool=True)
    rankings = [unpack_ids(row) for row in packed.order_by("run_id").values_list("documents", flat=True)]
    if not rankings:
        return []
    everybody = np.ones(len(rankings), dtype=np.bool_)
    pool = build_topic_pool(rankings, topic.campaign.p, everybody, sort_key=docno_order)
    return [int(document) for document in pool.documents]
