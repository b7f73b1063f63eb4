"""What is handed out ahead of need: right for each grade, one person's alone, and never more than a share."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.collection.documents import store_documents
from campaigns.computing.health import status_of
from campaigns.computing.tasks import recompute
from campaigns.computing.worker import campaigns_behind
from campaigns.formats.topics import DocumentRecord
from campaigns.judging import prefetch as ahead_services
from campaigns.judging.prefetch import Prefetch, look_ahead
from campaigns.models import Campaign, Claim, Interval, Judgment
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.concurrency import together
from tests.campaigns.factories import Api, make_campaign, make_user

MANY = {
    "x": {"1": [f"d{n:02}" for n in range(40)]},
    "y": {"1": [f"d{n:02}" for n in reversed(range(40))]},
}
GRADES = ("0", "1", "2", "")


@pytest.fixture
def campaign(db: None) -> Campaign:
    campaign = make_campaign(lists=MANY)
    recompute(campaign.id)
    return campaign


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


@pytest.fixture
def alan(campaign: Campaign) -> Api:
    return Api(campaign, "Small-alan")


def opened(person: Api, campaign: Campaign) -> str:
    docno: str = person.get("next/", topic="1").json()["document"]["docno"]
    recompute(campaign.id)
    return docno


def ahead(person: Api, docno: str, *have: str) -> Any:
    reply = person.get("ahead/", topic="1", docno=docno, have=list(have))
    assert reply.status_code == 200, reply.content
    return reply.json()


def reserved(name: str = "Small-grace") -> set[str]:
    rows = Claim.objects.filter(assessor__username=name, reserved=True, expires_at__gt=timezone.now())
    return set(rows.values_list("document__docno", flat=True))


@pytest.mark.parametrize("outcome", GRADES)
def test_what_is_foreseen_is_what_the_reply_would_have_brought(
    campaign: Campaign, grace: Api, outcome: str
) -> None:
    docno = opened(grace, campaign)
    answer = ahead(grace, docno)
    assert answer["exact"] is True
    assert set(answer["next"]) == set(GRADES)
    act = {"grade": int(outcome)} if outcome else {"reason": "other"}
    served = grace.judge("1", docno, **act).json()["next"]["document"]["docno"]
    assert served == answer["next"][outcome]


def test_different_grades_may_have_different_successors(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    found = ahead(grace, docno)
    assert len(set(found["next"].values())) > 1
    assert set(found["next"].values()) <= {document["docno"] for document in found["documents"]}


def test_all_of_it_is_reserved_and_none_of_it_is_on_screen(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    answer = ahead(grace, docno)
    at_hand = {*answer["next"].values(), *answer["reserve"]}
    assert reserved() == at_hand == {document["docno"] for document in answer["documents"]}
    assert docno not in at_hand
    assert len(answer["reserve"]) >= ahead_services.RESERVE
    assert grace.get("next/", topic="1").json()["document"]["docno"] == docno
    assert Claim.objects.filter(lookahead__isnull=False).count() == 1
    assert campaigns_behind() == []
    assert status_of(campaign=campaign).judging_now == 1


def test_what_the_rest_is_worth_is_said_where_it_is_asked_for(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    assert ahead(grace, docno)["worth"] is None
    reply = grace.get("ahead/", topic="1", docno=docno, worth="true").json()
    residuals = list(Interval.objects.values_list("residual", flat=True))
    assert reply["worth"] == pytest.approx(sum(residuals) / len(residuals))
    assert 0 < reply["worth"] <= 1


def test_texts_that_are_there_are_not_sent_again(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    first = ahead(grace, docno)
    have = [document["docno"] for document in first["documents"]]
    again = ahead(grace, docno, *have[1:])
    assert [document["docno"] for document in again["documents"]] == have[:1]
    assert again["next"] == first["next"]


def test_long_texts_come_a_few_at_a_time(
    grace: Api, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [DocumentRecord(f"d{n:02}", "", "word " * 100, "text/plain") for n in range(40)]
    store_documents(collection=campaign.collection, records=records, file="texts")
    monkeypatch.setattr(ahead_services, "MOST_PREFETCH_TEXT", 1200)
    docno = opened(grace, campaign)
    have: list[str] = []
    rounds = 0
    while True:
        answer = ahead(grace, docno, *have)
        have += [document["docno"] for document in answer["documents"]]
        rounds += 1
        assert len(answer["documents"]) <= 2
        if not answer["more"]:
            break
    assert rounds > 3
    assert set(have) == reserved()


def test_one_text_longer_than_the_room_comes_alone(
    grace: Api, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [DocumentRecord(f"d{n:02}", "", "word " * 100, "text/plain") for n in range(40)]
    store_documents(collection=campaign.collection, records=records, file="texts")
    monkeypatch.setattr(ahead_services, "MOST_PREFETCH_TEXT", 10)
    answer = ahead(grace, opened(grace, campaign))
    assert (len(answer["documents"]), answer["more"]) == (1, True)


def test_what_the_browser_shows_becomes_the_claim(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"]["1"]
    reply = grace.judge("1", docno, 1, shown=shown).json()
    assert reply["next"]["docno"] == shown
    assert "document" not in reply["next"]
    claim = Claim.objects.get(document__docno=shown)
    assert (claim.reserved, claim.exact, claim.method) == (False, True, "C")
    assert grace.get("next/", topic="1").json()["document"]["docno"] == shown


def test_a_document_of_the_reserve_is_not_recorded_as_exact(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    answer = ahead(grace, docno)
    other = next(each for each in answer["reserve"] if each != answer["next"]["1"])
    assert grace.judge("1", docno, 1, shown=other).json()["next"]["docno"] == other
    assert Claim.objects.get(document__docno=other).exact is False
    grace.judge("1", other, 0)
    judged = Judgment.objects.order_by("sequence").values_list("served_exactly", "stale_claim")
    assert list(judged) == [(True, False), (False, False)]


def test_the_probability_of_a_sampled_document_goes_with_it(db: None) -> None:
    campaign = make_campaign("Drawn", lists=MANY, method="statap")
    recompute(campaign.id)
    grace = Api(campaign, "Drawn-grace")
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"]["1"]
    held = Claim.objects.get(document__docno=shown)
    assert held.inclusion_probability is not None
    assert 0 < held.inclusion_probability <= 1
    grace.judge("1", docno, 1, shown=shown)
    claim = Claim.objects.get(document__docno=shown)
    assert (claim.method, claim.inclusion_probability) == (held.method, held.inclusion_probability)
    grace.judge("1", shown, 0)
    judged = Judgment.objects.get(document__docno=shown)
    assert judged.inclusion_probability == held.inclusion_probability


def test_in_a_closed_topic_nothing_is_reserved(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"][""]
    Claim.objects.filter(reserved=True).delete()
    campaign.topics.update(closed_at=timezone.now(), closed_by=User.objects.get(username="Small-alan"))
    refused = grace.get("ahead/", topic="1", docno=docno)
    assert (refused.status_code, refused.json()["code"]) == (409, "topic_closed")
    later = grace.post("later/", {"topic": "1", "docno": docno, "shown": shown})
    assert later.status_code == 409
    assert set(Claim.objects.values_list("document__docno", flat=True)) == {docno}


def test_later_goes_on_with_what_is_shown(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"][""]
    reply = grace.post("later/", {"topic": "1", "docno": docno, "shown": shown}).json()
    assert reply["next"]["docno"] == shown
    assert Claim.objects.get(document__docno=shown).exact is True
    assert reply["progress"]["postponed"] == 1


def test_the_same_act_again_names_the_same_document(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"]["2"]
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": docno, "grade": 2, "shown": shown}
    first, again = grace.post("judgments/", act), grace.post("judgments/", act)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["next"]["docno"] == again.json()["next"]["docno"] == shown
    assert "document" not in again.json()["next"]


def test_what_another_has_judged_meanwhile_is_replaced_and_still_taken(
    grace: Api, alan: Api, campaign: Campaign
) -> None:
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"]["1"]
    alan.judge("1", shown, 0)
    reply = grace.judge("1", docno, 1, shown=shown).json()
    assert reply["next"]["document"]["docno"] not in (docno, shown)
    late = grace.judge("1", shown, 2)
    assert late.status_code == 201
    row = Judgment.objects.get(id=late.json()["judgment"]["id"])
    # It was hers by reservation, although another assessor judged it, too.
    assert (row.grade, row.stale_claim) == (2, False)
    assert Judgment.objects.count() == 3


def test_a_reservation_that_lapsed_may_go_to_somebody_else(grace: Api, alan: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"]["1"]
    Claim.objects.filter(reserved=True).update(expires_at=timezone.now() - timedelta(hours=1))
    his = opened(alan, campaign)
    alan_has = {his, *ahead(alan, his)["reserve"]}
    assert shown in alan_has
    reply = grace.judge("1", docno, 1, shown=shown).json()["next"]
    assert reply["document"]["docno"] not in alan_has


def test_a_reservation_that_lapsed_and_nobody_took_is_still_hers(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    shown = ahead(grace, docno)["next"]["1"]
    Claim.objects.filter(reserved=True).update(expires_at=timezone.now() - timedelta(hours=1))
    assert grace.judge("1", docno, 1, shown=shown).json()["next"]["docno"] == shown


@pytest.mark.parametrize("shown", ["nowhere", "d0"])
def test_a_document_that_is_none_of_the_queue_is_not_claimed(
    grace: Api, campaign: Campaign, shown: str
) -> None:
    docno = opened(grace, campaign)
    reply = grace.judge("1", docno, 1, shown=shown)
    assert reply.status_code == 201
    assert reply.json()["next"]["document"]["docno"] != shown


def test_each_call_renews_what_is_kept_and_lets_go_of_the_rest(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    ahead(grace, docno)
    soon = timezone.now() + timedelta(minutes=1)
    Claim.objects.filter(reserved=True).update(expires_at=soon)
    topic = campaign.topics.get(number="1")
    far = campaign.collection.documents.exclude(docno__in=[docno, *reserved()]).first()
    assert far is not None
    Claim.objects.create(
        topic=topic,
        document=far,
        assessor=User.objects.get(username="Small-grace"),
        reserved=True,
        expires_at=soon,
        created=timezone.now(),
    )
    answer = ahead(grace, docno)
    assert far.docno not in reserved()
    assert reserved() == {*answer["next"].values(), *answer["reserve"]}
    assert not Claim.objects.filter(reserved=True, expires_at__lte=soon).exists()


def test_reservations_leave_the_others_their_share(grace: Api, alan: Api, campaign: Campaign) -> None:
    for number in range(4, 36):
        grace.judge("1", f"d{number:02}", 0)
    recompute(campaign.id)
    docno = opened(grace, campaign)
    assert len(reserved()) == 0
    ahead(grace, docno)
    assert len(reserved()) == 4  # half of the seven that are left
    his = opened(alan, campaign)
    ahead(alan, his)
    ahead(grace, docno)
    assert len(reserved("Small-alan")) == 1
    assert len(reserved()) <= 2
    assert not reserved() & reserved("Small-alan")
    assert Api(campaign, "Small-ada").get("next/", topic="1").status_code == 200


def test_at_the_end_nothing_follows(grace: Api, campaign: Campaign) -> None:
    for number in range(1, 40):
        grace.judge("1", f"d{number:02}", 0)
    recompute(campaign.id)
    assert opened(grace, campaign) == "d00"
    answer = ahead(grace, "d00")
    assert answer["next"] == dict.fromkeys(GRADES)
    assert (answer["reserve"], answer["documents"]) == ([], [])


def test_without_a_look_ahead_the_stored_queue_stands_in(grace: Api, campaign: Campaign) -> None:
    docno = grace.get("next/", topic="1").json()["document"]["docno"]
    answer = ahead(grace, docno)
    assert answer["exact"] is False
    assert len(set(answer["next"].values())) == 1
    assert answer["next"]["0"] == answer["reserve"][0]


def test_an_interrupted_document_is_among_what_follows(grace: Api, campaign: Campaign) -> None:
    docno = opened(grace, campaign)
    second = grace.judge("1", docno, 1).json()["next"]["document"]["docno"]
    grace.judge("1", docno, undo=True)
    recompute(campaign.id)
    answer = ahead(grace, docno)
    assert second in answer["reserve"]
    assert Claim.objects.get(document__docno=second).reserved is False


@pytest.mark.parametrize(
    ("query", "field"),
    [({"docno": "d00"}, "topic"), ({"topic": "1"}, "docno")],
)
def test_what_must_be_said(grace: Api, query: dict[str, str], field: str) -> None:
    reply = grace.get("ahead/", **query)
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == field


def test_too_long_a_list(grace: Api) -> None:
    reply = grace.get("ahead/", topic="1", docno="d00", have=["d01"] * 201)
    assert reply.status_code == 400
    assert "200" in reply.content.decode()


def test_an_undo_shows_its_own_document(grace: Api) -> None:
    grace.judge("1", "d00", 1)
    reply = grace.judge("1", "d00", undo=True, shown="d01")
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == "shown"


def test_who_may_ask(grace: Api, campaign: Campaign) -> None:
    assert grace.get("ahead/", topic="99", docno="d00").status_code == 404
    assert grace.post("ahead/", {}).status_code == 405
    make_user("stranger")
    stranger = Api(campaign, "stranger")
    assert stranger.get("ahead/", topic="1", docno="d00").status_code == 404
    campaign_services.pause(campaign=campaign)
    closed = grace.get("ahead/", topic="1", docno="d00")
    assert (closed.status_code, closed.json()["code"]) == (409, "campaign_not_open")
    assert not Claim.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_reserve_at_once_never_get_one_document() -> None:
    campaign = make_campaign(lists=MANY)
    recompute(campaign.id)
    topic = campaign.topics.get()
    topic.campaign = campaign
    people = [make_user(f"person {n}") for n in range(6)]

    def ask(person: User) -> Callable[[], Prefetch]:
        return lambda: look_ahead(campaign=campaign, topic=topic, docno="d00", assessor=person.id, have=())

    for _ in range(5):
        answers = together([ask(person) for person in people])
        assert all(isinstance(answer, Prefetch) for answer in answers), answers
        handed = [docno for answer in answers for docno in {*answer.reserve, *answer.next.values()} if docno]
        assert len(handed) == len(set(handed))
        assert handed
