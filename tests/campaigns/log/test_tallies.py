"""Counts that are kept, against counting the whole log each time."""

from __future__ import annotations

import random
import uuid
from collections import defaultdict
from typing import Any

import pytest

from campaigns.judging import tasks
from campaigns.judging.tasks import TALLY_KINDS, count, count_all
from campaigns.log.current import Opinion, grade_by, scale_of
from campaigns.log.tallies import TallyCounts, judged_by_each, judged_in, tally_counts_of
from campaigns.models import Campaign, Judgment, Tally
from campaigns.models.campaign import Policy
from campaigns.people.members import add_member
from campaigns.quality.adjudication import decide
from campaigns.results.document_judgments import PAGE, judged_documents
from tests.campaigns.factories import Api, make_campaign, make_user
from tests.campaigns.quality.dispute_list import disputes_of

pytestmark = pytest.mark.django_db

ACTS: list[dict[str, Any]] = [*({"grade": grade} for grade in (0, 1, 2)), {"undo": True}, {"reason": "other"}]


def in_topics(campaign: Campaign) -> dict[int, tuple[int, int]]:
    said: dict[tuple[int, int], dict[int, Opinion]] = defaultdict(dict)
    for row in campaign.judgments.order_by("sequence"):
        said[row.topic_id, row.document_id].pop(row.assessor_id, None)
        if not row.undo:
            opinion = Opinion(row.sequence, row.grade, row.adjudication)
            said[row.topic_id, row.document_id][row.assessor_id] = opinion
    found: dict[int, tuple[int, int]] = {}
    for (topic, _), opinions in said.items():
        grade = grade_by(campaign.policy, opinions.values(), scale_of(campaign))
        if grade is not None:
            judged, relevant = found.get(topic, (0, 0))
            found[topic] = judged + 1, relevant + campaign.is_relevant(grade)
    return found


def by_each(campaign: Campaign) -> dict[tuple[int, int], tuple[int, int]]:
    latest: dict[tuple[int, int, int], Judgment] = {}
    for row in campaign.judgments.order_by("sequence"):
        latest[row.topic_id, row.assessor_id, row.document_id] = row
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for (topic, person, _), row in latest.items():
        judged, decided = found.get((topic, person), (0, 0))
        counts = not row.undo
        found[topic, person] = (
            judged + (counts and not row.adjudication),
            decided + (counts and row.adjudication),
        )
    return found


def recounted(campaign: Campaign) -> dict[str, TallyCounts]:
    """What the whole log says, counted at once."""
    Tally.objects.all().delete()
    found = {kind.name: tally_counts_of(campaign, kind) for kind in TALLY_KINDS}
    Tally.objects.all().delete()
    return found


def some(counts: TallyCounts) -> TallyCounts:
    return {key: pair for key, pair in counts.items() if any(pair)}


def without_zeros(counts: dict[Any, tuple[int, int]]) -> dict[Any, tuple[int, int]]:
    return {key: pair for key, pair in counts.items() if any(pair)}


def listed(campaign: Campaign) -> list[tuple[str, str]]:
    rows = judged_documents(campaign=campaign).rows
    assert len(rows) < PAGE
    return [(row.number, row.docno) for row in rows]


def latest_first(campaign: Campaign) -> list[tuple[str, str]]:
    said: dict[tuple[int, int], dict[int, Judgment]] = defaultdict(dict)
    for row in campaign.judgments.select_related("topic", "document").order_by("sequence"):
        said[row.topic_id, row.document_id][row.assessor_id] = row
    last = [
        max(graded, key=lambda row: row.sequence)
        for opinions in said.values()
        if (graded := [row for row in opinions.values() if row.grade is not None])
    ]
    return [(row.topic.number, row.document.docno) for row in sorted(last, key=lambda row: -row.sequence)]


@pytest.mark.parametrize("seed", range(2))
def test_each_look_adds_what_came_since_by_any_policy(seed: int) -> None:
    campaign = make_campaign(overlap_share=0.6, overlap_assessors=3)
    judge = make_user("judge")
    add_member(campaign=campaign, username="judge", role="organiser")
    dice = random.Random(seed)
    people = [Api(campaign, f"Small-{name}") for name in ("grace", "alan", "ada")]
    policy = Policy.ADJUDICATED
    for turn in range(80):
        dice.choice(people).judge(dice.choice("12"), dice.choice("abcklm"), **dice.choice(ACTS))
        disputes = disputes_of(campaign, judge.id)
        if disputes and turn % 7 == 0:
            row = dice.choice(disputes)
            decide(
                campaign=campaign,
                adjudicator=judge,
                topic=campaign.topics.get(id=row.place[0]).number,
                docno=campaign.collection.documents.get(id=row.place[1]).docno,
                id=uuid.uuid4(),
                grade=dice.choice((0, 1, 2)),
                seen=str(row.decision or ""),
            )
        if turn % 20 == 19:
            policy = dice.choice(list(Policy))
        if turn > 20 and turn % 3 == 0:
            campaign.policy = policy
            assert without_zeros(judged_in(campaign=campaign)) == in_topics(campaign)
            assert judged_by_each(campaign=campaign) == by_each(campaign)
            kept = {kind.name: tally_counts_of(campaign, kind) for kind in TALLY_KINDS}
            rows = list(Tally.objects.values("campaign_id", "kind", "rule", "as_of", "content"))
            for name, counts in recounted(campaign).items():
                assert some(kept[name]) == some(counts), name
            Tally.objects.bulk_create(Tally(**row) for row in rows)
            assert listed(campaign) == latest_first(campaign)
    assert campaign.judgments.filter(adjudication=True).exists()


def test_what_was_counted_is_not_counted_again_until_the_rule_is_another() -> None:
    campaign = make_campaign()
    grace = Api(campaign, "Small-grace")
    for docno in "abcde":
        grace.judge("1", docno, 1)
    topic = campaign.topics.get(number="1").id
    assert judged_in(campaign=campaign) == {topic: (5, 5)}
    Tally.objects.update(content={str(topic): [105, 5]})
    grace.judge("1", "a", 0)
    assert judged_in(campaign=campaign) == {topic: (105, 4)}
    assert Tally.objects.get().as_of == 6
    campaign.policy = Policy.MEAN
    assert judged_in(campaign=campaign) == {topic: (5, 4)}


def test_who_saw_less_of_the_log_does_not_have_the_last_word() -> None:
    campaign = make_campaign()
    Api(campaign, "Small-grace").judge("1", "a", 1)
    topic = campaign.topics.get(number="1").id
    assert judged_in(campaign=campaign) == {topic: (1, 1)}
    # Another process was there meanwhile, and saw two acts.
    Tally.objects.update(as_of=2, content={str(topic): [2, 2]})
    assert judged_in(campaign=campaign) == {topic: (2, 2)}


def test_where_nothing_is_judged_nothing_is_counted() -> None:
    campaign = make_campaign()
    assert judged_in(campaign=campaign) == {}
    assert judged_by_each(campaign=campaign) == {}


def test_all_is_counted_ahead_of_the_first_look() -> None:
    campaign = make_campaign(overlap_share=1)
    for name in ("grace", "alan"):
        Api(campaign, f"Small-{name}").judge("1", "a", 1)
    count_all(campaign=campaign)
    counted = {kind.name: 2 for kind in TALLY_KINDS} | {"sizes": campaign.configuration}
    assert {row.kind: row.as_of for row in Tally.objects.all()} == counted
    campaign.policy = Policy.MEAN
    count_all(campaign=campaign)
    assert judged_in(campaign=campaign) == in_topics(campaign)


def test_a_long_log_is_counted_when_much_came_or_a_rule_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "LONG_LOG", 4)
    campaign = make_campaign()
    grace = Api(campaign, "Small-grace")
    for docno in "abc":
        grace.judge("1", docno, 1)
    assert tasks.campaigns_to_count() == []
    grace.judge("1", "d", 1)
    assert tasks.campaigns_to_count() == [campaign.id]
    count(campaign.id)
    assert tasks.campaigns_to_count() == []
    campaign.policy = Policy.MEAN
    campaign.save()
    assert tasks.campaigns_to_count() == [campaign.id]
    count(campaign.id)
    assert Tally.objects.get(kind="topics").rule.startswith('["mean"')
    assert tasks.campaigns_to_count() == []


def test_nothing_is_counted_to_find_what_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "LONG_LOG", 1)
    # No number of new acts is many.
    monkeypatch.setattr(tasks, "PART", 1)
    campaign = make_campaign(overlap_share=1)
    Api(campaign, "Small-grace").judge("1", "a", 1)
    count_all(campaign=campaign)
    before = list(Tally.objects.order_by("kind").values())
    Api(campaign, "Small-alan").judge("1", "a", 0)
    assert tasks.campaigns_to_count() == []
    assert list(Tally.objects.order_by("kind").values()) == before
