"""Judgments copied to near-duplicates: when, from where, and how they follow what changes."""

from __future__ import annotations

import random
import threading
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from campaigns.collection.topics import set_method
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.duplicates.judgment_copies import copy_count, count_differing_groups, propagate
from campaigns.judging.progress import judged_by
from campaigns.log.current import grades_of, made_by_assessors
from campaigns.log.tallies import judged_by_each
from campaigns.models import Claim, Computed, LogHead, Priority
from campaigns.models.judgment import COPIED
from campaigns.models.packed import unpack_ids
from campaigns.quality.adjudication import decide
from campaigns.quality.exclusions import exclude, include
from tests.campaigns.duplicates.copying_campaign import (
    RUNS,
    STORY,
    TEXTS,
    change,
    compare,
    copies,
    copying,
    import_qrels,
    judge,
    person,
    standing,
    store,
)
from tests.campaigns.factories import add_run, make_campaign

pytestmark = pytest.mark.django_db


def test_nothing_is_copied_by_default() -> None:
    campaign = copying("off")
    judge(person(campaign, "grace"), "a", 1)
    assert standing(campaign) == {"a": 1}
    assert propagate(campaign=campaign.id) == 0


@pytest.mark.parametrize(("setting", "found"), [("same", "ab"), ("near", "abcd")])
def test_ranked_duplicates_get_the_grade_in_the_topic(setting: str, found: str) -> None:
    campaign = copying(setting)
    judge(person(campaign, "grace"), "a", 2)
    assert standing(campaign) == dict.fromkeys(found, 2)
    assert standing(campaign, "2") == {}
    copied = [(docno, "a", "grace", 2) for docno in found[1:]]
    assert copies(campaign) == copied
    assert copy_count(campaign) == len(copied)
    length = LogHead.objects.get(campaign=campaign).length
    assert length == campaign.judgments.count() == 1 + len(copied)
    assert propagate(campaign=campaign.id) == 0


def test_a_reason_is_not_copied_and_not_covered() -> None:
    campaign = copying()
    grace = person(campaign, "grace")
    judge(grace, "b", reason="unreadable")
    assert copies(campaign) == []
    judge(grace, "a", 1)
    assert standing(campaign) == {"a": 1, "c": 1, "d": 1}


def test_copies_follow_a_revision_and_an_undo() -> None:
    campaign = copying("same")
    grace = person(campaign, "grace")
    judge(grace, "a", 1)
    judge(grace, "a", 2)
    assert standing(campaign) == {"a": 2, "b": 2}
    judge(grace, "a", undo=True)
    assert standing(campaign) == {}
    assert copies(campaign) == [("b", "a", "grace", 1), ("b", "a", "grace", 2), ("b", "a", "grace", None)]
    judge(grace, "a", 0)
    assert standing(campaign) == {"a": 0, "b": 0}


@pytest.mark.parametrize("name", ["grace", "alan"])
def test_an_own_judgment_stands_above_a_copy(name: str) -> None:
    campaign = copying("same")
    grace, other = person(campaign, "grace"), person(campaign, name)
    judge(grace, "a", 1)
    judge(other, "b", 1)
    assert standing(campaign) == {"a": 1, "b": 1}
    assert copy_count(campaign) == 0
    judge(grace, "a", 2)
    assert standing(campaign) == {"a": 2, "b": 1}
    judge(other, "b", undo=True)
    assert standing(campaign) == {"a": 2, "b": 2}
    judge(grace, "a", undo=True)
    assert standing(campaign) == {}


def test_several_grades_are_not_copied() -> None:
    campaign = copying()
    grace, alan = person(campaign, "grace"), person(campaign, "alan")
    judge(grace, "a", 1)
    judge(alan, "c", 0)
    assert standing(campaign) == {"a": 1, "c": 0}
    assert count_differing_groups(campaign) == 1
    change(campaign, judgment_copies="same")
    campaign.refresh_from_db()
    assert (standing(campaign), count_differing_groups(campaign)) == ({"a": 1, "b": 1, "c": 0}, 0)
    change(campaign, judgment_copies="near")
    judge(alan, "c", 1)
    assert standing(campaign) == dict.fromkeys("abcd", 1)
    judge(grace, "a", undo=True)
    assert standing(campaign) == dict.fromkeys("abcd", 1)
    assert copies(campaign)[-3:] == [(docno, "c", "alan", 1) for docno in "abd"]


def test_many_judgments_in_one_request_are_copied() -> None:
    campaign = copying()
    person(campaign, "grace").judge_all("1", {"e": 0, "c": 2})
    assert standing(campaign) == {"e": 0} | dict.fromkeys("abcd", 2)


def test_imported_judgments_are_copied_and_replace_copies() -> None:
    campaign = copying("same")
    import_qrels(campaign, b"1 0 a 1\n2 0 w 2\n")
    assert (standing(campaign), standing(campaign, "2")) == ({"a": 1, "b": 1}, {"a": 2, "w": 2})
    import_qrels(campaign, b"1 0 b 2\n")
    assert standing(campaign) == {"a": 1, "b": 2}
    assert [row.first for row in campaign.imports.order_by("first")] == [1, 5]


def test_an_excluded_assessor_is_no_source() -> None:
    campaign = copying("same")
    name = f"{campaign.name}-grace"
    judge(person(campaign, "grace"), "a", 1)
    exclude(campaign=campaign, username=name)
    assert standing(campaign) == {}
    judge(person(campaign, "alan"), "b", 2)
    assert standing(campaign) == {"a": 2, "b": 2}
    include(campaign=campaign, username=name)
    assert standing(campaign) == {"a": 1, "b": 2}


def test_a_copy_never_covers_an_act_of_the_same_person() -> None:
    """The organiser imported one judgment, and judged the duplicate herself, which does not count."""
    campaign = copying("same")
    import_qrels(campaign, b"1 0 a 1\n")
    judge(person(campaign, "ada"), "b", 2)
    exclude(campaign=campaign, username=f"{campaign.name}-ada")
    include(campaign=campaign, username=f"{campaign.name}-ada")
    assert standing(campaign) == {"a": 1, "b": 2}


def test_a_decision_and_the_policy_change_the_copied_grade() -> None:
    campaign = copying("same", policy="adjudicated")
    judge(person(campaign, "grace"), "a", 0)
    judge(person(campaign, "alan"), "a", 2)
    assert standing(campaign) == {"a": 2, "b": 2}
    ada = User.objects.get(username=f"{campaign.name}-ada")
    decide(campaign=campaign, adjudicator=ada, id=uuid.uuid4(), topic="1", docno="a", grade=0)
    assert standing(campaign) == {"a": 0, "b": 0}
    change(campaign, policy="mean")
    campaign.refresh_from_db()
    assert len(set(standing(campaign).values())) == 1


def test_off_withdraws_all_and_on_restores_all() -> None:
    campaign = copying()
    judge(person(campaign, "grace"), "a", 1)
    judge(person(campaign, "alan"), "e", 0)
    before, length = standing(campaign), campaign.judgments.count()
    change(campaign, judgment_copies="off")
    assert standing(campaign) == {"a": 1, "e": 0}
    assert campaign.judgments.count() == length + 3
    change(campaign, judgment_copies="near")
    assert standing(campaign) == before
    change(campaign, judgment_copies="same")
    assert standing(campaign) == {"a": 1, "b": 1, "e": 0}
    [first, *_] = campaign.deeds.filter(kind="settings").order_by("id")
    assert first.detail["changes"] == {"judgment_copies": ["near", "off"]}


def test_late_runs_get_copies() -> None:
    campaign = copying()
    judge(person(campaign, "grace"), "a", 1)
    add_run(campaign, "late", {"1": ["u", "e"]})
    recompute(campaign.id)
    assert standing(campaign) == dict.fromkeys("abcdu", 1)


def test_late_and_replaced_texts_move_copies() -> None:
    campaign = copying()
    judge(person(campaign, "grace"), "a", 1)
    store(campaign.collection, {"b": " ".join(STORY[::-1])}, replace=True)
    compare(campaign.collection)
    assert standing(campaign) == dict.fromkeys("acd", 1)
    store(campaign.collection, {"e": TEXTS["a"]}, replace=True)
    # Not compared yet: nothing moves.
    assert propagate(campaign=campaign.id) == 0
    compare(campaign.collection)
    assert standing(campaign) == dict.fromkeys("acde", 1)


def test_a_judgment_of_an_earlier_text_is_not_copied() -> None:
    campaign = copying("same")
    judge(person(campaign, "grace"), "e", 1)
    store(campaign.collection, {"e": TEXTS["a"]}, replace=True)
    compare(campaign.collection)
    assert standing(campaign) == {"e": 1}


def test_copies_are_not_served_and_no_work_of_a_person() -> None:
    campaign = copying()
    grace = person(campaign, "grace")
    judge(grace, "a", 1)
    recompute(campaign.id)
    topic = campaign.topics.get(number="1")
    queue = unpack_ids(Priority.objects.get(topic=topic).documents)
    e = campaign.collection.documents.get(docno="e").id
    assert list(queue) == [e]
    served = [Claim.objects.get(assessor__username=f"{campaign.name}-grace", topic=topic).document_id]
    assert served == [e]
    me = User.objects.get(username=f"{campaign.name}-grace").id
    assert judged_by(assessor=me, topics=[topic.id]) == {topic.id: 1}
    assert judged_by_each(campaign=campaign) == {(topic.id, me): (1, 0)}
    assert made_by_assessors(campaign.judgments.all()).count() == 1
    assert [row["docno"] for row in grace.get("judgments/", topic="1").json()["results"]] == ["a"]
    log = person(campaign, "ada").get("judgments/").json()["results"]
    assert [(row["docno"], row["method"], row["copied_from"]) for row in log][1:] == [
        (docno, COPIED, "a") for docno in "bcd"
    ]


def test_the_worker_and_the_database_agree() -> None:
    campaign = copying()
    dice = random.Random(1)
    people = [person(campaign, name) for name in ("grace", "alan")]
    for _ in range(25):
        api, docno = dice.choice(people), dice.choice("abcde")
        api.judge("1", docno, **({"undo": True} if dice.random() < 0.3 else {"grade": dice.choice([0, 1])}))
        if dice.random() < 0.2:
            change(campaign, judgment_copies=dice.choice(["off", "same", "near"]))
        assert propagate(campaign=campaign.id) == 0
        recompute(campaign.id)
        judged = sum(len(row) for row in grades_of(campaign=campaign).values())
        assert Computed.objects.get(campaign=campaign).judged == judged


BARRED = [
    *({"method": method} for method in ("random", "sample", "strata", "statap", "mtc+statap")),
    {"anchors": 12},
    {"overlap_share": 0.1},
]


@pytest.mark.parametrize("setting", BARRED, ids=str)
def test_settings_that_need_own_judgments_are_refused_in_both_directions(setting: dict[str, Any]) -> None:
    [name] = setting
    with pytest.raises(Refusal) as made:
        make_campaign("Both", RUNS, judgment_copies="near", **setting)
    assert (made.value.code, made.value.field) == ("copies_disturb", "judgment_copies")
    campaign = copying()
    with pytest.raises(Refusal) as later:
        change(campaign, **setting)
    assert (later.value.code, later.value.field) == ("copies_disturb", name)
    for named in (name, "judgment_copies"):
        assert f"({named})" in str(later.value.detail)
    change(campaign, judgment_copies="off")
    change(campaign, **setting)
    with pytest.raises(Refusal) as copied:
        change(campaign, judgment_copies="same")
    assert (copied.value.code, copied.value.field) == ("copies_disturb", "judgment_copies")


def test_topics_with_a_sampling_method_are_refused_in_both_directions() -> None:
    campaign = copying()
    topics = list(campaign.topics.all()[:1])
    with pytest.raises(Refusal, match="judgment_copies"):
        set_method(campaign=campaign, topics=topics, method="random")
    change(campaign, judgment_copies="off")
    set_method(campaign=campaign, topics=topics, method="random")
    with pytest.raises(Refusal, match="judgment_copies"):
        change(campaign, judgment_copies="near")


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        change(make_campaign(), judgment_copies="all")
    assert (refused.value.code, refused.value.field) == ("bad_judgment_copies", "judgment_copies")


@pytest.mark.django_db(transaction=True)
def test_two_members_judged_at_once_agree_with_one_after_the_other() -> None:
    campaign = copying()
    for grades in ((1, 1), (1, 0)):
        barrier = threading.Barrier(2)

        def act(name: str, docno: str, grade: int, barrier: threading.Barrier = barrier) -> None:
            api = person(campaign, name)
            barrier.wait()
            judge(api, docno, grade)
            connection.close()

        threads = [
            threading.Thread(target=act, args=row)
            for row in (("grace", "a", grades[0]), ("alan", "c", grades[1]))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        own = {"a": grades[0], "c": grades[1]}
        expected = own | ({"b": 1, "d": 1} if len(set(grades)) == 1 else {})
        assert standing(campaign) == expected
        assert propagate(campaign=campaign.id) == 0
        sequences = list(campaign.judgments.order_by("sequence").values_list("sequence", flat=True))
        assert sequences == list(range(1, len(sequences) + 1))
