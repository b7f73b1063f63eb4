from __future__ import annotations

import csv
import io
import random
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.collection.assignments import assign
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.judging.overlap_and_repeats import overlap_and_repeat_queue
from campaigns.log.current import current_qrels, grade_by, grades_of, scale_of
from campaigns.models import Campaign, Deed, Interval, Judgment, Ranking
from campaigns.models.campaign import Policy
from campaigns.models.packed import unpack_ids
from campaigns.quality.exclusions import exclude, exclusions_of, include, redeal
from campaigns.results.document_judgments import judged_documents
from campaigns.results.score_ranges import score_ranges_of
from campaigns.results.topic_rows import topics_of
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.log.test_aggregation_policies import SCALE, judged_by_three, opinions_of
from tests.campaigns.quality.dispute_list import disputes_of

pytestmark = pytest.mark.django_db


def user(campaign: Campaign, name: str) -> User:
    return User.objects.get(username=f"{campaign.name}-{name}")


def import_qrels(campaign: Campaign, text: bytes, name: str = "ada") -> None:
    parsed = read_qrels(io.BytesIO(text), "known.qrels")
    store_qrels(campaign=campaign, user=user(campaign, name), parsed=parsed, file="known.qrels")


@pytest.mark.parametrize("seed", range(3))
def test_the_database_the_rule_and_the_worker_agree_on_random_exclusions(seed: int) -> None:
    campaign = judged_by_three(seed)
    import_qrels(campaign, b"1 0 a 3\n1 0 i 1\n1 0 b 0\n", "grace")
    imported = set(
        campaign.judgments.filter(sequence__gt=campaign.imports.get().first - 1).values_list("pk", flat=True)
    )
    Api(campaign, f"{campaign.name}-grace").judge("1", "b", 3)
    dice = random.Random(seed)
    people = [f"{campaign.name}-{name}" for name in ("grace", "alan", "ada")]
    topics = list(campaign.topics.all())
    seen = set()
    for _ in range(6):
        name, some = dice.choice(people), dice.choice([[], topics[:1], topics[1:]])
        if dice.random() < 0.6:
            exclude(campaign=campaign, username=name, topics=some)
        elif not campaign.exclusions.filter(assessor__username=name, topic=None).exists():
            include(campaign=campaign, username=name, topics=some)
        policy = dice.choice(Policy.values)
        services.change_settings(campaign=campaign, policy=policy)
        out = set(campaign.exclusions.values_list("assessor_id", "topic_id"))
        left = Judgment.objects.filter(campaign=campaign).order_by("sequence")
        gone = [
            act.pk
            for act in left
            if {(act.assessor_id, None), (act.assessor_id, act.topic_id)} & out and act.pk not in imported
        ]
        expected = {
            place: grade
            for place, opinions in opinions_of(campaign, without=gone).items()
            if (grade := grade_by(policy, opinions.values(), SCALE)) is not None
        }
        stored = grades_of(campaign=campaign)
        assert {(topic, one): g for topic, row in stored.items() for one, g in row.items()} == expected
        counted = topics_of(campaign=campaign)
        assert sum(topic.judged for topic in counted) == len(expected)
        shown = judged_documents(campaign=campaign)
        assert (shown.total, len(shown.rows)) == (len(expected), len(expected))
        recompute(campaign.id)
        assert bases(campaign) == pytest.approx(summed(campaign, expected), abs=1e-12)
        seen.add(tuple(sorted(expected.items())))
    assert len(seen) > 2


def bases(campaign: Campaign) -> dict[tuple[str, int], float]:
    rows = Interval.objects.filter(run__campaign=campaign).values_list("run__tag", "topic", "base")
    return {(tag, topic): base for tag, topic, base in rows}


def summed(campaign: Campaign, grades: dict[tuple[int, int], int]) -> dict[tuple[str, int], float]:
    """RBP's base of each run and topic, from its rankings and these grades."""
    found = dict.fromkeys(bases(campaign), 0.0)
    for row in Ranking.objects.filter(run__campaign=campaign).select_related("run"):
        for place, document in enumerate(unpack_ids(row.documents).tolist()):
            if (grade := grades.get((row.topic_id, document))) is not None:
                gain = campaign.gain_of(grade) or 0.0
                found[row.run.tag, row.topic_id] += 0.2 * 0.8**place * gain
    return found


def figures(campaign: Campaign) -> dict[str, Any]:
    recompute(campaign.id)
    rows = score_ranges_of(campaign=campaign)
    return {
        "qrels": list(current_qrels(campaign=campaign)),
        "cells": list(Interval.objects.order_by("run", "topic").values_list("base", "residual")),
        "scores": [(row.run, row.base, row.residual, row.projected) for row in rows],
        "disputes": [(row.place, row.grades) for row in disputes_of(campaign)],
        "topics": [(row.judged, row.relevant) for row in topics_of(campaign=campaign)],
    }


def test_included_again_every_figure_is_as_before_to_the_last_bit() -> None:
    campaign = judged_by_three(7)
    before = figures(campaign)
    assert before["disputes"]
    grace = f"{campaign.name}-grace"
    assert exclude(campaign=campaign, username=grace)
    assert not exclude(campaign=campaign, username=grace)
    without = figures(campaign)
    assert all(without[name] != before[name] for name in before)
    [row] = exclusions_of(campaign=campaign)
    assert (row.username, row.topic, row.judgments > 0) == (grace, "", True)
    assert include(campaign=campaign, username=grace)
    assert not include(campaign=campaign, username=grace)
    assert figures(campaign) == before
    kinds = Deed.objects.filter(campaign=campaign, kind__in=["excluded", "included"]).order_by("id")
    assert [(deed.kind, deed.detail) for deed in kinds] == [
        ("excluded", {"person": grace, "topics": []}),
        ("included", {"person": grace, "topics": []}),
    ]


def test_a_topic_that_is_dealt_again_asks_another_assessor_for_its_documents() -> None:
    campaign = make_campaign(topic_choice="assigned")
    ada, grace, alan = (f"Small-{name}" for name in ("ada", "grace", "alan"))
    topics = list(campaign.topics.all())
    assign(campaign=campaign, topics=topics, username=grace, organiser=user(campaign, "ada"))
    hasty = Api(campaign, grace)
    first = hasty.get("next/", topic="1").json()["document"]["docno"]
    for docno in ("a", "b"):
        assert hasty.judge("1", docno, 2).status_code == 201
    assert hasty.judge("2", "k", 1).status_code == 201
    Api(campaign, ada)
    dealt = redeal(
        campaign=campaign, username=grace, to=alan, topics=topics[:1], organiser=user(campaign, "ada")
    )
    assert [topic.number for topic in dealt] == ["1"]
    recompute(campaign.id)
    assert [row[:2] for row in current_qrels(campaign=campaign)] == [("2", "k")]
    other = Api(campaign, alan)
    served = other.get("next/", topic="1").json()["document"]["docno"]
    assert served == first
    assert other.judge("1", served, 0).status_code == 201
    assert ("1", served, 0) in list(current_qrels(campaign=campaign))
    assert hasty.get("next/", topic="1").status_code == 409
    # The other topic stays theirs, and a document of theirs never comes to them twice.
    assign(campaign=campaign, topics=topics[:1], username=grace, organiser=user(campaign, "ada"))
    recompute(campaign.id)
    assert hasty.get("next/", topic="1").json()["document"]["docno"] not in ("a", "b", served)


def test_an_excluded_judgment_does_not_count_towards_overlap() -> None:
    campaign = make_campaign(overlap_share=1.0, overlap_assessors=2)
    grace, alan, ada = (Api(campaign, f"Small-{name}") for name in ("grace", "alan", "ada"))
    grace.judge("1", "a", 2)
    alan.judge("1", "a", 0)
    recompute(campaign.id)
    assert ada.get("next/", topic="1").json()["document"]["docno"] != "a"
    ada.post("topics/1/postpone/", {"docno": "b"})
    exclude(campaign=campaign, username="Small-grace")
    recompute(campaign.id)
    campaign.refresh_from_db()
    topic = campaign.topics.get(number="1")
    due = {
        name: overlap_and_repeat_queue(
            campaign=campaign, topic=topic.id, method="", assessor=user(campaign, name).id
        ).documents
        for name in ("ada", "grace", "alan")
    }
    a = campaign.collection.documents.get(docno="a").id
    assert {name: a in list(documents) for name, documents in due.items()} == {
        "ada": True,
        "grace": False,
        "alan": False,
    }


def test_what_cannot_be_excluded_is_refused() -> None:
    campaign = make_campaign()
    topics = list(campaign.topics.all())
    with pytest.raises(Refusal, match="no role"):
        exclude(campaign=campaign, username="nobody")
    with pytest.raises(Refusal, match="no role"):
        exclude(campaign=campaign, username="a\0b")
    exclude(campaign=campaign, username="Small-grace")
    with pytest.raises(Refusal, match="all topics"):
        include(campaign=campaign, username="Small-grace", topics=topics[:1])
    given: dict[str, Any] = {"campaign": campaign, "organiser": user(campaign, "ada"), "topics": []}
    with pytest.raises(Refusal, match="another assessor"):
        redeal(username="Small-grace", to="Small-grace", **given)
    with pytest.raises(Refusal, match="no topic"):
        redeal(username="Small-alan", to="Small-grace", **given)
    assert scale_of(campaign) == [0, 1, 2]


def test_files_and_log_name_exclusions_and_imports() -> None:
    campaign = make_campaign()
    grace, ada = Api(campaign, "Small-grace"), Api(campaign, "Small-ada")
    grace.judge("1", "a", 2)
    import_qrels(campaign, b"1 0 b 1\n")
    exclude(campaign=campaign, username="Small-grace")
    reply = ada.get("qrels/")
    assert "small.adjudicated.without-1-assessor.qrels.txt" in reply.headers["Content-Disposition"]
    assert b"".join(reply) == b"1 0 b 1\n"
    [own, imported] = ada.get("judgments/").json()["results"]
    assert (own["docno"], own["imported_from"]) == ("a", "")
    assert (imported["docno"], imported["imported_from"]) == ("b", "known.qrels")
    lines = b"".join(ada.get("exports/judgments-csv/")).decode().splitlines()
    assert [row["imported_from"] for row in csv.DictReader(lines)] == ["", "known.qrels"]
    page = ada.client.get("/campaigns/small/history/").content.decode()
    assert "from known.qrels: 1" in page
    quality = ada.get("quality/").json()
    assert [row["assessor"] for row in quality["exclusions"]] == ["Small-grace"]
    assert [(row["file"], row["judgments"], row["imported_by"]) for row in quality["imports"]] == [
        ("known.qrels", 1, "Small-ada")
    ]
