from __future__ import annotations

import random
import uuid
from collections.abc import Collection
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.log.current import Opinion, current_qrels, grade_by, grades_of
from campaigns.models import Campaign, Deed, Interval, Judgment, LogHead
from campaigns.models.campaign import Policy
from campaigns.people.members import add_member
from campaigns.quality.adjudication import decide, undo_decision
from campaigns.quality.disputes import adjudication_queue
from campaigns.results.topic_rows import topics_of
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, make_user
from tests.campaigns.quality.dispute_list import disputes_of

pytestmark = pytest.mark.django_db

SCALE = [0, 1, 3]
GRADES = [
    {"grade": 0, "label": "no", "gain": 0.0, "key": "0"},
    {"grade": 1, "label": "some", "gain": 0.5, "key": "1"},
    {"grade": 3, "label": "much", "gain": 1.0, "key": "3"},
]


def said(*grades: int | None, decided: int | None = None) -> list[Opinion]:
    """Decided first, so that the later assessor has the latest grade."""
    opinions = [Opinion(place, grade) for place, grade in enumerate(grades, start=2)]
    return opinions if decided is None else [Opinion(1, decided, True), *opinions]


@pytest.mark.parametrize(
    ("policy", "opinions", "grade"),
    [
        ("adjudicated", said(0, 3), 3),
        ("adjudicated", said(0, 3, decided=1), 1),
        ("latest", said(0, 3, decided=1), 3),
        ("latest", said(3, None), 3),
        ("majority", said(1, 1, 0), 1),
        ("majority", said(1, 0), 0),
        ("majority", said(1, 0, decided=1), 1),
        ("mean", said(0, 1), 1),
        ("mean", said(1, 3), 3),
        ("mean", said(0, 3), 1),
        ("mean", said(-2, 1), 1),
        ("mean", said(-2, -2), -2),
        ("mean", said(None, 0), 0),
        ("mean", said(None), None),
        ("adjudicated", [], None),
    ],
)
def test_a_grade_by_policy(policy: str, opinions: list[Opinion], grade: int | None) -> None:
    assert grade_by(policy, opinions, SCALE) == grade


def judged_by_three(seed: int) -> Campaign:
    """Two assessors and an organiser judge, revise and take back; another organiser decides some of it."""
    campaign = make_campaign(f"judged-{seed}", grades=GRADES)
    judge = make_user(f"judge-{seed}")
    add_member(campaign=campaign, username=judge.username, role="organiser")
    dice = random.Random(seed)
    people = [Api(campaign, f"{campaign.name}-{name}") for name in ("grace", "alan", "ada")]
    acts: list[dict[str, Any]] = [*({"grade": grade} for grade in SCALE), {"undo": True}, {"reason": "other"}]
    for turn in range(90):
        dice.choice(people).judge("1", dice.choice("abcdef"), **dice.choice(acts))
        if turn % 9 == 0 and (disputes := disputes_of(campaign, judge.id)):
            row = dice.choice(disputes)
            docno = campaign.collection.documents.get(id=row.place[1]).docno
            given: dict[str, Any] = {"campaign": campaign, "adjudicator": judge, "topic": "1", "docno": docno}
            seen = str(row.decision or "")
            decide(**given, id=uuid.uuid4(), grade=dice.choice(SCALE), seen=seen)
    return campaign


def opinions_of(
    campaign: Campaign, without: Collection[uuid.UUID] = ()
) -> dict[tuple[int, int], dict[int, Opinion]]:
    found: dict[tuple[int, int], dict[int, Opinion]] = {}
    for row in Judgment.objects.filter(campaign=campaign).exclude(id__in=without).order_by("sequence"):
        place = found.setdefault((row.topic_id, row.document_id), {})
        place.pop(row.assessor_id, None)
        if not row.undo:
            place[row.assessor_id] = Opinion(row.sequence, row.grade, row.adjudication)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_database_and_the_rule_agree_and_so_does_the_worker(seed: int) -> None:
    campaign = judged_by_three(seed)
    assert campaign.judgments.filter(adjudication=True).exists()
    seen = set()
    for policy in Policy.values:
        services.change_settings(campaign=campaign, policy=policy)
        expected = {
            place: grade
            for place, opinions in opinions_of(campaign).items()
            if (grade := grade_by(policy, opinions.values(), SCALE)) is not None
        }
        stored = grades_of(campaign=campaign)
        assert {(topic, one): g for topic, row in stored.items() for one, g in row.items()} == expected
        assert len(list(current_qrels(campaign=campaign))) == len(expected)
        relevant = sum(grade > 0 for grade in expected.values())
        assert topics_of(campaign=campaign)[0].relevant == relevant
        recompute(campaign.id)
        docs = dict(campaign.collection.documents.values_list("docno", "id"))
        topic = campaign.topics.get(number="1").id
        gain = {0: 0.0, 1: 0.5, 3: 1.0}
        ranked = ["a", "b", "c", "d", "e"]
        base = sum(
            0.2 * 0.8**place * gain[expected[topic, docs[docno]]]
            for place, docno in enumerate(ranked)
            if (topic, docs[docno]) in expected
        )
        cell = Interval.objects.get(run__tag="x", run__campaign=campaign, topic=topic)
        assert cell.base == pytest.approx(base, abs=1e-12)
        seen.add(tuple(sorted(expected.items())))
    assert len(seen) > 1


def test_another_policy_is_a_change_of_the_configuration_and_told() -> None:
    campaign = make_campaign()
    before = campaign.configuration
    services.change_settings(campaign=campaign, policy="mean")
    assert campaign.configuration == before + 1
    assert Deed.objects.get(campaign=campaign, kind="settings").detail == {
        "changes": {"policy": ["adjudicated", "mean"]}
    }
    with pytest.raises(Refusal, match="no policy"):
        services.change_settings(campaign=campaign, policy="loudest")


@pytest.fixture
def differing() -> Campaign:
    """On a and c people differ by one grade, on b by two, on d they agree."""
    campaign = make_campaign()
    given = {"grace": {"a": 0, "b": 2, "c": 2, "d": 1}, "alan": {"a": 1, "b": 0, "c": 1, "d": 1}}
    for name, row in given.items():
        for docno, grade in row.items():
            Api(campaign, f"Small-{name}").judge("1", docno, grade)
    return campaign


def ada() -> User:
    return User.objects.get(username="Small-ada")


def decided(campaign: Campaign, docno: str, grade: int, **more: Any) -> Judgment:
    wish = {"adjudicator": ada(), "id": uuid.uuid4(), "topic": "1", "docno": docno, "seen": "", **more}
    return decide(campaign=campaign, grade=grade, **wish)


def waiting(campaign: Campaign, reader: int | None = None) -> list[str]:
    places = adjudication_queue(campaign=campaign, reader=reader).waiting
    docnos = campaign.collection.documents.in_bulk([document for _, document in places])
    return [docnos[document].docno for _, document in places]


def test_the_widest_difference_comes_first_then_what_weighs_most(differing: Campaign) -> None:
    assert waiting(differing) == ["b", "a", "c"]
    decided(differing, "b", 1)
    assert waiting(differing) == ["a", "c"]


def test_a_decision_decides_until_it_is_taken_back(differing: Campaign) -> None:
    first = decided(differing, "b", 1)
    assert {row[1]: row[2] for row in current_qrels(campaign=differing)} == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert {row[1]: row[2] for row in current_qrels(campaign=differing, policy="latest")}["b"] == 1
    # A later judgment does not undo it.
    Api(differing, "Small-grace").judge("1", "b", 2)
    assert {row[1]: row[2] for row in current_qrels(campaign=differing)}["b"] == 1
    second = decided(differing, "b", 0, seen=str(first.id))
    assert second.supersedes_id == first.id
    undo_decision(campaign=differing, adjudicator=ada(), id=uuid.uuid4(), topic="1", docno="b")
    assert {row[1]: row[2] for row in current_qrels(campaign=differing)}["b"] == 2
    assert "b" in waiting(differing)


def test_sent_twice_it_is_one_decision(differing: Campaign) -> None:
    name = uuid.uuid4()
    assert decided(differing, "b", 1, id=name) == decided(differing, "b", 1, id=name)
    assert LogHead.objects.get(campaign=differing).length == 9


def test_what_may_not_be_decided(differing: Campaign) -> None:
    grace = User.objects.get(username="Small-grace")
    first = decided(differing, "b", 1)
    for code, docno, grade, more in (
        ("own_judgment", "a", 1, {"adjudicator": grace}),
        ("decided_meanwhile", "b", 2, {}),
        ("no_dispute", "d", 1, {}),
        ("no_dispute", "nowhere", 1, {}),
        ("no_dispute", "a", 1, {"topic": "9"}),
        ("grade_outside_scale", "a", 7, {}),
        ("id_taken", "a", 1, {"id": first.id, "adjudicator": grace}),
    ):
        with pytest.raises(Refusal) as refused:
            decided(differing, docno, grade, **more)
        assert refused.value.code == code
    with pytest.raises(Refusal, match="have not decided"):
        undo_decision(campaign=differing, adjudicator=ada(), id=uuid.uuid4(), topic="1", docno="a")
    assert LogHead.objects.get(campaign=differing).length == 9


def test_after_the_campaign_is_closed_there_is_time_to_decide(differing: Campaign) -> None:
    services.close(campaign=differing)
    assert decided(differing, "a", 0).adjudication


def test_who_decides_again_from_the_judging_page_decides(differing: Campaign) -> None:
    decided(differing, "b", 1)
    Api(differing, "Small-ada").judge("1", "b", 0)
    latest = differing.judgments.order_by("-sequence").first()
    assert latest is not None
    assert latest.adjudication
