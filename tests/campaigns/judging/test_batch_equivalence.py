"""A batch leaves what its rows leave when they are sent one by one: random campaigns, random rows."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from campaigns.computing.tasks import recompute
from campaigns.models import (
    Campaign,
    Claim,
    Judgment,
    LogHead,
    Membership,
    Postponement,
    Repeat,
    Topic,
    TopicAssignment,
    TrainingAnswer,
    TrainingItem,
)
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

DOCNOS = [f"d{n:02}" for n in range(30)]
LISTS = {"x": {"1": DOCNOS, "2": DOCNOS[:6]}, "y": {"1": DOCNOS[::-1], "2": ["e0", "e1", *DOCNOS[3:8]]}}
ROWS = 40
RULES = ("", "closed", "closed by me", "assigned", "training", "trained", "paused", "wording")


class Undone(Exception):
    """Ends a transaction whose outcome has been looked at."""


def campaign_at_work(random: Random, rule: str) -> tuple[Campaign, Api]:
    """Some have judged, revised, set aside and hold documents; some rules are on."""
    campaign = make_campaign(
        lists=LISTS,
        repeat_share=0.5,
        overlap_share=random.choice([0, 1.0]),
        overlap_assessors=random.choice([2, 3]),
    )
    recompute(campaign.id)
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    for api, times in ((grace, random.choice([12, 18])), (alan, 4)):
        for _ in range(times):
            topic = random.choice("1112")
            reply = api.get("next/", topic=topic)
            if reply.status_code == 200:
                docno = reply.json()["docno"]
                later = random.random() < 0.15
                api.post("later/", {"topic": topic, "docno": docno}) if later else api.judge(topic, docno, 1)
    for _ in range(3):
        acts = list(Judgment.objects.filter(assessor__username="Small-grace").order_by("sequence"))
        if acts:
            mine = random.choice(acts)
            grace.judge(mine.topic.number, mine.document.docno, undo=True)
    grace.get("next/", topic="2")
    decided = Judgment.objects.filter(assessor__username="Small-grace").order_by("-sequence")[:2]
    Judgment.objects.filter(id__in=decided.values("id")).update(adjudication=random.random() < 0.5)
    if random.random() < 0.3:
        Claim.objects.update(expires_at=timezone.now())
    turn_on(rule, random, campaign)
    return campaign, grace


def turn_on(rule: str, random: Random, campaign: Campaign) -> None:
    grace, alan = (User.objects.get(username=f"Small-{name}") for name in ("grace", "alan"))
    if rule.startswith("closed"):
        closer = grace if rule.endswith("me") else alan
        # By another assessor: the topic of most rows, for some of them to be refused.
        number = random.choice("12") if closer == grace else "1"
        Topic.objects.filter(number=number).update(closed_at=timezone.now(), closed_by=closer)
    elif rule == "assigned":
        Campaign.objects.update(topic_choice="assigned")
        topic = Topic.objects.get(number=random.choice("12"))
        TopicAssignment.objects.create(topic=topic, assessor=grace, assigned_by=alan)
    elif rule.startswith("train"):
        Campaign.objects.update(training_required=True)
        topic, document = Topic.objects.get(number="1"), campaign.collection.documents.get(docno="d00")
        item = TrainingItem.objects.create(
            campaign=campaign, position=0, topic=topic, document=document, grade=1
        )
        if rule == "trained":
            TrainingAnswer.objects.create(item=item, assessor=grace, grade=1)
    elif rule == "paused":
        Membership.objects.filter(user=grace).update(paused_at=timezone.now())
    elif rule == "wording":
        Campaign.objects.update(development_required=True)


def random_rows(random: Random) -> list[Any]:
    """Often the same documents and ids: what a row does hangs on those before it."""
    known = [str(each) for each in Judgment.objects.order_by("sequence").values_list("id", flat=True)]
    ids = [str(uuid.UUID(int=random.getrandbits(128), version=4)) for _ in range(ROWS)]
    docnos = [*random.sample(DOCNOS, 12), "d03", "e0", "nowhere"]
    docnos += Claim.objects.values_list("document__docno", flat=True)
    docnos += Postponement.objects.values_list("document__docno", flat=True)
    docnos += Repeat.objects.values_list("document__docno", flat=True)
    rows: list[Any] = []
    for _ in range(ROWS):
        row: dict[str, Any] = {
            "id": random.choice(known if known and random.random() < 0.1 else ids),
            "topic": random.choice("11112" if random.random() < 0.95 else "9"),
            "docno": random.choice(docnos),
        }
        row |= random.choice(
            [
                *[{"grade": grade} for grade in (0, 1, 2)] * 2,
                *({"grade": 7}, {"reason": "other"}, {"reason": "unheard of"}, {"grade": 1, "undo": True}),
                *[{"undo": True}] * 3,
            ]
        )
        if random.random() < 0.4:
            row["revision"] = random.random() < 0.3
        rows.append(row if random.random() < 0.97 else random.choice([5, {}, {"id": "x"}]))
    # One more comes under the id of another assessor's.
    others = Judgment.objects.filter(assessor__username="Small-alan").order_by("sequence").first()
    if others is not None:
        rows.append({"id": str(others.id), "topic": "1", "docno": "d03", "grade": 1})
    return rows


def without_time(outcome: dict[str, Any]) -> dict[str, Any]:
    if "judgment" not in outcome:
        return outcome
    return outcome | {"judgment": outcome["judgment"] | {"created": ""}}


def left_behind() -> dict[str, Any]:
    """Every row that an act may touch, but for times."""
    acts = [{**row, "created": ""} for row in Judgment.objects.order_by("sequence").values()]
    answers = [{**row, "created": ""} for row in Repeat.objects.order_by("created").values()]
    return {
        "acts": acts,
        "answers": answers,
        "claims": list(Claim.objects.order_by("id").values()),
        "aside": list(Postponement.objects.order_by("id").values()),
        "heads": list(LogHead.objects.values()),
    }


def one_by_one(api: Api, rows: list[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    outcomes = []
    for row in rows:
        held: list[Any] = list(Claim.objects.values())
        reply = api.post("judgments/", row)
        body, status = reply.json(), reply.status_code
        sent = row.get("id") if isinstance(row, dict) else None
        said = {"problem": body} if status >= 400 else {"judgment": body["judgment"]}
        outcomes.append(without_time({"id": sent, "status": status, **said}))
        serve_nothing(row, held, taken=status == 201)
    return outcomes, left_behind()


def serve_nothing(row: Any, held: list[Any], *, taken: bool) -> None:
    """Take back what was served after the act; its own claim stays away."""
    Claim.objects.all().delete()
    Claim.objects.bulk_create(Claim(**claim) for claim in held)
    if taken and not row.get("undo"):
        here = {"topic__number": row["topic"], "document__docno": row["docno"]}
        Claim.objects.filter(assessor__username="Small-grace", **here).delete()


def at_once(api: Api, rows: list[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    reply = api.post("judgments/", rows)
    assert reply.status_code == 200, reply.content
    return [without_time(outcome) for outcome in reply.json()["results"]], left_behind()


def both_ways(rule: str) -> Iterator[tuple[int, str]]:
    """Compare the two ways; the status and code of every row, and of every answer to a repeat."""
    random = Random(f"batch {rule}")
    _, grace = campaign_at_work(random, rule)
    rows, answers = random_rows(random), Repeat.objects.count()
    found = []
    for send in (at_once, one_by_one):
        with undone():
            found.append(send(grace, rows))
    (outcomes, left), (expected, expected_left) = found
    for row, outcome, due in zip(rows, outcomes, expected, strict=True):
        assert outcome == due, (rule, row)
    assert left == expected_left, rule
    yield from ((each["status"], each.get("problem", {}).get("code", "")) for each in outcomes)
    yield from [(201, "repeat")] * (len(left["answers"]) - answers)
    yield from ((201, "decision") for row in left["acts"][-len(rows) :] if row["adjudication"])


@contextmanager
def undone() -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
            raise Undone
    except Undone:
        pass


def test_a_batch_does_what_its_rows_do_one_by_one() -> None:
    seen: Counter[tuple[int, str]] = Counter()
    for rule in RULES:
        with undone():
            seen.update(both_ways(rule))
    # All of it was among the rows.
    assert set(seen) >= {
        *((201, kind) for kind in ("", "repeat", "decision")),
        *((400, code) for code in ("invalid", "not_in_pool", "nothing_to_undo", "grade_outside_scale")),
        *((409, code) for code in ("id_taken", "topic_closed", "not_assigned", "training_first")),
        *((200, ""), (404, "unknown_topic"), (409, "development_first"), (400, "unknown_reason")),
    }, seen
