"""Several people at once in the same topics, with second opinions and documents that come once more."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest
from django.contrib.auth.models import User

from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.judging import next_document, record
from campaigns.judging.lookup import ActRequest
from campaigns.judging.overlap_and_repeats import waiting_of
from campaigns.judging.prefetch import look_ahead
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Claim, Judgment, Repeat
from selection.randomness import lot
from tests.campaigns.concurrency import together
from tests.campaigns.factories import make_campaign, make_user

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE, WANTED, SHARE, AGAIN = 5, 3, 0.5, 0.2
DOCNOS = {topic: [f"{topic}-{n:03}" for n in range(45)] for topic in ("1", "2")}


class Worker:
    """Judges what is served until nothing is; now and then asks ahead, takes back, sends twice."""

    def __init__(self, campaign: Campaign, user: User) -> None:
        self.campaign = Campaign.objects.get(id=campaign.id)
        self.user = user
        self.random = Random(user.username)
        self.held: list[tuple[str, str]] = []

    def work(self) -> None:
        for topic in sorted(DOCNOS, key=lambda _: self.random.random()):
            aside = 0
            while (docno := self._next(topic)) is not None:
                self.held.append((topic, docno))
                if aside < 3 and self.random.random() < 0.05:
                    aside += 1
                    self._topic(topic, next_document.postpone, docno=docno)
                else:
                    self._judge(topic, docno)

    def _topic(self, number: str, ask: Callable[..., object], **more: object) -> object:
        topic = self.campaign.topics.get(number=number)
        return ask(campaign=self.campaign, topic=topic, assessor=self.user.id, **more)

    def _next(self, topic: str) -> str | None:
        served = next_document.next_document(
            campaign=self.campaign, topic=self.campaign.topics.get(number=topic), assessor=self.user.id
        )
        if served is not None and self.random.random() < 0.3:
            # Refused where documents change hands at this moment.
            with suppress(Refusal):
                self._topic(topic, look_ahead, docno=served.docno, have=frozenset())
        return served.docno if served else None

    def _judge(self, topic: str, docno: str) -> None:
        act = ActRequest(
            id=uuid.uuid4(), topic=topic, docno=docno, grade=self.random.randrange(3), revision=False
        )
        for _ in range(2 if self.random.random() < 0.1 else 1):
            record.record(campaign=self.campaign, assessor=self.user.id, act=act)
        if self.random.random() < 0.1:
            record.record(
                campaign=self.campaign,
                assessor=self.user.id,
                act=ActRequest(id=uuid.uuid4(), topic=topic, docno=docno, undo=True),
            )


def test_nobody_is_served_what_is_not_theirs_and_the_counts_are_right() -> None:
    lists = {"x": DOCNOS, "y": {topic: docnos[::-1] for topic, docnos in DOCNOS.items()}}
    campaign = make_campaign(
        lists=lists, overlap_share=SHARE, overlap_assessors=WANTED, repeat_share=AGAIN, min_judgments=1
    )
    recompute(campaign.id)
    workers = [Worker(campaign, make_user(f"person {n}")) for n in range(PEOPLE)]
    assert [error for error in together([worker.work for worker in workers]) if error is not None] == []
    # Reserves of those who stopped first are let go; then the rest is judged, one after the other.
    Claim.objects.all().delete()
    for worker in workers:
        worker.work()

    latest = Judgment.objects.order_by("topic_id", "document_id", "assessor_id", "-sequence")
    rows = latest.distinct("topic_id", "document_id", "assessor_id")
    people = Counter((row.topic.number, row.document.docno) for row in rows if not row.undo)
    aside = {(topic, docno) for worker in workers for topic, docno in _set_aside(worker)}
    for topic, docnos in DOCNOS.items():
        for docno in docnos:
            twice = lot("overlap", campaign.seed, topic, docno) < SHARE
            assert people[topic, docno] <= (WANTED if twice else 1), docno
            if (topic, docno) not in aside:
                assert people[topic, docno] == (WANTED if twice else 1), docno
    assert waiting_of(campaign=campaign).documents <= len(aside)
    assert not Judgment.objects.filter(stale_claim=True).exists()

    answers = Repeat.objects.filter(undo=False).select_related("first", "topic", "document", "assessor")
    assert answers.exists()
    for row in answers:
        assert row.first.assessor_id == row.assessor_id
        assert (
            lot("repeat", campaign.seed, row.topic.number, row.document.docno, row.assessor.username) < AGAIN
        )
    acts = Judgment.objects.filter(grade__isnull=False, assessor__in=[worker.user for worker in workers])
    assert acts.filter(supersedes__grade__isnull=False).count() == 0, "a repeat went to the log"
    assert len(list(current_qrels(campaign=campaign))) == len(people)


def _set_aside(worker: Worker) -> set[tuple[str, str]]:
    judged = Judgment.objects.filter(assessor=worker.user).values_list("topic__number", "document__docno")
    return set(worker.held) - set(judged)
