"""Documents shown once more to the same assessor, who cannot tell, and whose answer changes nothing."""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from assess.screen import screen_data
from campaigns.computing.tasks import recompute
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Claim, Judgment, Postponement, Repeat, Topic
from campaigns.setup import campaigns as campaign_services
from selection.randomness import lot
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

DOCNOS = [f"d{n:02}" for n in range(60)]
LISTS = {"x": {"1": DOCNOS}, "y": {"1": DOCNOS[::-1]}}
SHARE = 0.5


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(lists=LISTS, repeat_share=SHARE)
    recompute(campaign.id)
    return campaign


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


def log() -> list[tuple[str, int | None]]:
    return list(Judgment.objects.order_by("sequence").values_list("document__docno", "grade"))


def until_repeat(api: Api) -> tuple[str, Any]:
    """Judge 1 until a document comes once more; which that is, and how it was served."""
    for _ in range(40):
        served = api.get("next/", topic="1").json()
        if served["docno"] in dict(log()):
            return served["docno"], served
        api.judge("1", served["docno"], 1)
    raise AssertionError("nothing came once more")


def is_drawn(docno: str) -> bool:
    return lot("repeat", 1, "1", docno, "Small-grace") < SHARE


def test_a_document_comes_once_more_after_ten_others_as_if_it_were_new(grace: Api) -> None:
    docno, served = until_repeat(grace)
    assert is_drawn(docno)
    order = [judged for judged, _ in log()]
    eligible = [judged for judged in order if is_drawn(judged)]
    assert docno == eligible[0]
    assert len(order) - 1 - order.index(docno) >= 10
    assert (served["claim"]["revising"], served["claim"]["revision"]) == (None, False)
    assert Claim.objects.get().purpose == "repeat"


def test_the_answer_counts_as_progress_and_nowhere_else(campaign: Campaign, grace: Api) -> None:
    docno, served = until_repeat(grace)
    before, qrels = log(), list(current_qrels(campaign=campaign))
    reply = grace.judge("1", docno, 2).json()
    assert reply["judgment"]["revision"] is False
    assert reply["progress"]["judged"] == served["progress"]["judged"] + 1 == len(before) + 1
    assert reply["progress"]["relevant"] == served["progress"]["relevant"] + 1
    assert log() == before
    assert list(current_qrels(campaign=campaign)) == qrels
    row = Repeat.objects.get()
    assert (row.document.docno, row.grade, row.first.grade, row.milliseconds) == (docno, 2, 1, 1200)
    assert reply["next"]["docno"] not in dict(before)


def test_organisers_see_it_in_the_history_and_assessors_nowhere(campaign: Campaign, grace: Api) -> None:
    docno, _ = until_repeat(grace)
    grace.judge("1", docno, 2)
    grace.judge("1", docno, undo=True)
    page = signed_in("Small-ada").get("/campaigns/small/history/?kind=repeats").content.decode()
    said = " ".join(re.sub(r"<[^>]*>", "", page).split())
    assert f"was shown {docno} in topic 1 once more: 1, now 2" in said
    assert f"undid the answer to {docno} in topic 1, shown once more" in said
    assert "judged" not in said.split("once more: 1, now 2")[1].split("answer to")[0]
    assert grace.client.get("/campaigns/small/history/").status_code == 403


def test_it_comes_once_and_never_two_in_a_row(grace: Api) -> None:
    kinds, again = [], []
    for _ in range(50):
        served = grace.get("next/", topic="1").json()["docno"]
        kinds.append(served in dict(log()))
        again += [served] if kinds[-1] else []
        grace.judge("1", served, 1)
    assert sum(kinds) >= 8
    assert len(again) == len(set(again))
    assert not any(one and other for one, other in itertools.pairwise(kinds))


def test_the_same_answer_sent_twice_is_one_answer(grace: Api) -> None:
    docno, _ = until_repeat(grace)
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": docno, "grade": 0}
    count = len(log())
    first, second = grace.post("judgments/", act), grace.post("judgments/", act)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["judgment"] == second.json()["judgment"]
    assert first.json()["next"]["docno"] == second.json()["next"]["docno"]
    assert (Repeat.objects.count(), len(log())) == (1, count)


def test_the_id_of_an_answer_is_taken(campaign: Campaign, grace: Api) -> None:
    docno, _ = until_repeat(grace)
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": docno, "grade": 0}
    grace.post("judgments/", act)
    refused = Api(campaign, "Small-alan").post("judgments/", act)
    assert (refused.status_code, refused.json()["code"]) == (409, "id_taken")
    campaign_services.close(campaign=campaign)
    assert grace.post("judgments/", act).status_code == 200


def test_undo_takes_the_answer_back_and_not_the_judgment(grace: Api) -> None:
    docno, served = until_repeat(grace)
    before = log()
    grace.judge("1", docno, 2)
    reply = grace.judge("1", docno, undo=True).json()
    assert (reply["next"]["docno"], reply["next"]["claim"]["revising"]) == (docno, None)
    assert reply["next"]["claim"]["revision"] is False
    assert reply["progress"] == served["progress"]
    assert log() == before
    assert grace.get("next/", topic="1").json()["claim"]["revision"] is False
    grace.judge("1", docno, 0)
    assert log() == before
    assert list(Repeat.objects.order_by("created").values_list("grade", "undo")) == [
        (2, False),
        (None, True),
        (0, False),
    ]


def test_the_history_holds_the_last_word_once(campaign: Campaign, grace: Api) -> None:
    docno, _ = until_repeat(grace)
    asked = grace.get("judgments/", topic="1").json()["results"]
    grace.judge("1", docno, 2)
    rows = grace.get("judgments/", topic="1").json()["results"]
    assert len(rows) == len(asked)
    assert (rows[0]["docno"], rows[0]["grade"]) == (docno, 2)
    assert [row["docno"] for row in rows].count(docno) == 1
    assert {frozenset(row) for row in rows} == {frozenset(asked[0])}


def test_revising_it_from_the_history_is_a_revision_of_the_judgment(grace: Api) -> None:
    docno, _ = until_repeat(grace)
    grace.judge("1", docno, 2)
    count = len(log())
    back = grace.get("next/", topic="1", docno=docno).json()
    assert (back["claim"]["revising"], back["claim"]["revision"]) == (2, True)
    reply = grace.judge("1", docno, 0, revision=True).json()
    assert reply["judgment"]["revision"] is True
    assert log()[count:] == [(docno, 0)]
    assert Repeat.objects.get().grade == 2
    assert grace.get("judgments/", topic="1").json()["results"][0]["grade"] == 0


def test_set_aside_it_stays_what_it_is(grace: Api) -> None:
    docno, _ = until_repeat(grace)
    before = log()
    grace.post("later/", {"topic": "1", "docno": docno})
    assert Postponement.objects.get().purpose == "repeat"
    data = screen()
    assert data["aside"] == [{"docno": docno, "title": "", "revision": False}]
    assert grace.get("next/", topic="1").json()["docno"] != docno
    back = grace.get("next/", topic="1", docno=docno).json()
    assert (back["claim"]["revising"], back["claim"]["revision"]) == (None, False)
    grace.judge("1", docno, 0)
    assert (log(), Repeat.objects.get().grade, Postponement.objects.count()) == (before, 0, 0)


def test_set_aside_and_judged_without_asking_for_it_again(grace: Api) -> None:
    docno, _ = until_repeat(grace)
    before = log()
    grace.post("later/", {"topic": "1", "docno": docno})
    assert grace.judge("1", docno, 0).status_code == 201
    assert (log(), Repeat.objects.get().grade) == (before, 0)


def test_cannot_judge_is_an_answer(grace: Api) -> None:
    docno, _ = until_repeat(grace)
    before = log()
    grace.judge("1", docno, reason="unreadable")
    assert (log(), Repeat.objects.get().reason) == (before, "unreadable")


def test_after_its_claim_has_expired_it_is_a_repeat_still(grace: Api) -> None:
    docno, _ = until_repeat(grace)
    before = log()
    Claim.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    assert grace.judge("1", docno, 0).status_code == 201
    assert (log(), Repeat.objects.count()) == (before, 1)


@pytest.mark.parametrize(("saw", "answers"), [(False, 1), (True, 0), (None, 0)])
def test_once_its_claim_is_gone_what_the_screen_showed_decides(
    grace: Api, saw: bool | None, answers: int
) -> None:
    docno, _ = until_repeat(grace)
    before = len(log())
    Claim.objects.all().delete()
    more = {} if saw is None else {"revision": saw}
    assert grace.judge("1", docno, 0, **more).status_code == 201
    assert (Repeat.objects.count(), len(log()) - before) == (answers, 1 - answers)


def test_a_document_that_was_not_drawn_is_never_taken_for_a_repeat(grace: Api) -> None:
    until_repeat(grace)
    other = next(docno for docno, _ in log() if not is_drawn(docno))
    before = len(log())
    grace.judge("1", other, 0, revision=False)
    assert (Repeat.objects.count(), len(log())) == (0, before + 1)


def test_the_browser_has_it_at_hand(campaign: Campaign, grace: Api) -> None:
    docno, _ = until_repeat(grace)
    Claim.objects.all().delete()
    # On screen is something else when the repeat falls due.
    topic, user = Topic.objects.get(), User.objects.get(username="Small-grace")
    fresh = next(each for each in DOCNOS if each not in dict(log()))
    document = campaign.collection.documents.get(docno=fresh)
    now = timezone.now()
    Claim.objects.create(
        topic=topic, document=document, assessor=user, created=now, expires_at=now + timedelta(minutes=9)
    )
    recompute(campaign.id)
    ahead = grace.get("ahead/", topic="1", docno=fresh).json()
    assert set(ahead["next"].values()) == {docno}
    assert docno in {each["docno"] for each in ahead["documents"]}
    reply = grace.judge("1", fresh, 1, shown=docno, revision=False).json()
    assert reply["next"]["docno"] == docno
    before = log()
    recompute(campaign.id)
    following = grace.get("ahead/", topic="1", docno=docno).json()
    assert following["exact"] is True
    assert docno not in {*following["next"].values(), *following["reserve"]}
    reply = grace.judge("1", docno, 0, shown=following["next"]["0"], revision=False).json()
    assert reply["next"]["docno"] == following["next"]["0"]
    assert Claim.objects.get(document__docno=following["next"]["0"]).exact is True
    assert (log(), Repeat.objects.count()) == (before, 1)


def test_nothing_is_appended_to_a_paused_campaign(campaign: Campaign, grace: Api) -> None:
    docno, _ = until_repeat(grace)
    campaign_services.pause(campaign=campaign)
    assert grace.judge("1", docno, 0).status_code == 409
    assert not Repeat.objects.exists()


def screen() -> dict[str, Any]:
    campaign = Campaign.objects.get()
    grace = User.objects.get(username="Small-grace").id
    return screen_data(campaign=campaign, topic=Topic.objects.get(), assessor=grace)


def shape(value: Any) -> Any:
    """The value with only its keys and types left: what the first look at a reply tells."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shape(part) for part in value[:1]]
    return type(value).__name__


def along(api: Api) -> Iterator[tuple[str, Any]]:
    """Every reply about one document, from its coming to its being taken back, and the screen's data."""
    served = api.get("next/", topic="1").json()
    docno = served["docno"]
    recompute(Campaign.objects.get().id)
    yield "next", served
    yield "ahead", api.get("ahead/", topic="1", docno=docno).json()
    yield "claim", api.post("claims/", {"topic": "1", "docno": docno}).json()
    yield "screen", screen()
    later = api.post("later/", {"topic": "1", "docno": docno}).json()
    yield "later", later
    yield "aside", screen()
    api.get("next/", topic="1", docno=later["next"]["docno"])
    yield "back", api.get("next/", topic="1", docno=docno).json()
    yield "judged", api.judge("1", docno, 1).json()
    yield "history", api.get("judgments/", topic="1").json()
    yield "undone", api.judge("1", docno, undo=True).json()
    yield "judged again", api.judge("1", docno, 1).json()


@pytest.mark.parametrize("kind", ["overlap", "repeat"])
def test_no_reply_tells_such_a_document_from_another(campaign: Campaign, grace: Api, kind: str) -> None:
    Campaign.objects.update(repeat_share=0)
    for _ in range(30):
        grace.judge("1", grace.get("next/", topic="1").json()["docno"], 1)
    ordinary = {part: shape(reply) for part, reply in along(grace)}
    Claim.objects.all().delete()
    alan = Api(campaign, "Small-alan")
    for _ in range(12):
        alan.judge("1", alan.get("next/", topic="1").json()["docno"], 1)
    Campaign.objects.update(repeat_share=SHARE if kind == "repeat" else 0)
    Campaign.objects.update(overlap_share=1 if kind == "overlap" else 0)
    docno = grace.get("next/", topic="1").json()["docno"]
    assert Claim.objects.get(document__docno=docno).purpose == kind
    peculiar = dict(along(grace))
    assert {part: shape(reply) for part, reply in peculiar.items()} == ordinary
    assert not {"purpose", "overlap", "repeat", "repeats"} & set(words(peculiar))


def words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from words(child)
