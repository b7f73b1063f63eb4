"""Examples of the guidelines: what they may be, who sees them, and what copies and deletions do to them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.collection import assignments
from campaigns.collection.documents import store_documents
from campaigns.core.errors import Refusal
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Deed, GuidelineExample
from campaigns.setup import campaigns as services
from campaigns.setup import examples
from campaigns.setup.copies import copy_settings
from campaigns.topic_order.releases import set_order
from tests.campaigns.factories import Api, add_run, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

WISH = {"docno": "a", "grade": 2, "reason": "It says how.", "topic": "1"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Small-ada")


def add(campaign: Campaign, docno: str, grade: int = 1, topic: str | None = None) -> GuidelineExample:
    return examples.add_examples(
        campaign=campaign, docnos=[docno], grade=grade, reason=f"{docno} is so", topic=topic
    )[0]


def order(campaign: Campaign) -> str:
    rows = campaign.guideline_examples.select_related("document")
    assert [row.position for row in rows] == list(range(len(rows)))
    return "".join(row.document.docno for row in rows)


def change(api: Api, example: int, **body: Any) -> Any:
    return api.client.patch(f"{api.root}examples/{example}/", body, content_type="application/json")


def test_organiser_adds_reads_changes_and_deletes(campaign: Campaign, ada: Api) -> None:
    reply = ada.post("examples/", WISH)
    assert reply.status_code == 201
    row = reply.json()
    said = {"topic": "1", "topic_title": "title 1", "docno": "a", "title": "", "grade": 2}
    assert row == {"id": row["id"], "position": 0, **said, "reason": "It says how.", "pooled_in": ["1"]}
    assert ada.get("examples/").json()["results"] == [row]
    assert ada.get(f"examples/{row['id']}/").json()["document"]["docno"] == "a"
    changed = change(ada, row["id"], grade=0, reason=" Not at all. ", topic=None).json()
    assert (changed["grade"], changed["reason"], changed["topic"]) == (0, "Not at all.", None)
    assert ada.client.delete(f"{ada.root}examples/{row['id']}/").status_code == 204
    assert ada.client.delete(f"{ada.root}examples/{row['id']}/").status_code == 404
    assert not GuidelineExample.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "field", "says"),
    [
        ({"docno": "none"}, "docno", "the collection has no document none"),
        ({"topic": "9"}, "topic", "the campaign has no topic 9"),
        ({"grade": 7}, "grade", "7 is not a grade here: 0, 1, 2"),
        ({"reason": "x" * 2001}, "reason", "2000"),
        ({"reason": " "}, "reason", "may not be blank"),
        ({"docno": "b"}, "docno", "b is an example of topic 1 already"),
        ({"docno": "c", "topic": None}, "docno", "c is an example of every topic already"),
        ({"colour": "red"}, "colour", "no such field"),
    ],
)
def test_wrong_example_is_named(campaign: Campaign, ada: Api, wrong: Any, field: str, says: str) -> None:
    add(campaign, "b", topic="1")
    add(campaign, "c")
    reply = ada.post("examples/", WISH | wrong)
    assert reply.status_code == 400
    assert [(error["field"], says in error["detail"]) for error in reply.json()["errors"]] == [(field, True)]
    assert order(campaign) == "bc"


def test_same_document_may_be_an_example_of_two_topics(campaign: Campaign) -> None:
    add(campaign, "a", topic="1")
    row = add(campaign, "a", topic="2")
    add(campaign, "a")
    with pytest.raises(Refusal, match="an example of topic 1 already"):
        examples.change_example(campaign=campaign, example=row.id, topic="1")
    with pytest.raises(Refusal, match="an example of every topic already"):
        examples.change_example(campaign=campaign, example=row.id, topic=None)


def test_number_of_examples_is_limited(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "MOST_EXAMPLES", 2)
    add(campaign, "a")
    with pytest.raises(Refusal, match="at most 2 examples"):
        examples.add_examples(campaign=campaign, docnos=["b", "c"], grade=1, reason="so")
    assert order(campaign) == "a"


def test_examples_move_and_close_ranks(campaign: Campaign, ada: Api) -> None:
    rows = {docno: add(campaign, docno).id for docno in "abcd"}
    assert ada.post(f"examples/{rows['a']}/", {"by": 1}).json()["position"] == 1
    assert order(campaign) == "bacd"
    ada.post(f"examples/{rows['d']}/", {"by": -100})
    assert order(campaign) == "dbac"
    examples.remove_example(campaign=campaign, example=rows["b"])
    assert order(campaign) == "dac"


def test_unchanged_example_leaves_no_trace(campaign: Campaign, ada: Api) -> None:
    row = add(campaign, "a", 1)
    assert change(ada, row.id, grade=1).status_code == 200
    assert not Deed.objects.filter(kind="example changed").exists()


def test_pool_is_what_contributing_runs_rank(campaign: Campaign, ada: Api) -> None:
    add_run(campaign, "late", {"1": ["q"]}, contributes=False)
    for docno, topic in (("a", "2"), ("a", None), ("k", None), ("q", "1")):
        add(campaign, docno, topic=topic)
    pooled = [row["pooled_in"] for row in ada.get("examples/").json()["results"]]
    assert pooled == [[], ["1"], ["2"], []]


def test_assessors_read_without_learning_of_the_pool(campaign: Campaign, ada: Api) -> None:
    row = add(campaign, "a", topic="1")
    grace = Api(campaign, "Small-grace")
    (seen,) = grace.get("examples/").json()["results"]
    assert seen["docno"] == "a"
    shown = grace.get(f"examples/{row.id}/").json()
    assert shown["document"]["kind"] == "text"
    assert "pooled_in" not in {*seen, *shown}
    for reply in (
        grace.post("examples/", WISH),
        change(grace, row.id, grade=0),
        grace.post(f"examples/{row.id}/", {"by": 1}),
        grace.client.delete(f"{grace.root}examples/{row.id}/"),
    ):
        assert (reply.status_code, reply.json()["code"]) == (403, "organisers_only")
    make_user("eve")
    assert Api(campaign, "eve").get("examples/").status_code == 404
    assert Api(campaign, "eve").get(f"examples/{row.id}/").status_code == 404
    assert ada.client.put(f"{ada.root}examples/", "{}", content_type="application/json").status_code == 405


def test_examples_of_topics_that_are_not_offered_stay_out_of_sight(campaign: Campaign) -> None:
    rows = {topic: add(campaign, "a", topic=topic) for topic in ("1", "2", None)}
    grace = Api(campaign, "Small-grace")
    ada = User.objects.get(username="Small-ada")
    services.change_settings(campaign=campaign, topic_choice="assigned")
    topics = list(campaign.topics.filter(number="2"))
    assignments.assign(campaign=campaign, topics=topics, username="Small-grace", organiser=ada)

    def seen() -> list[Any]:
        return [row["topic"] for row in grace.get("examples/").json()["results"]]

    assert seen() == ["2", None]
    assert grace.get(f"examples/{rows['1'].id}/").status_code == 404
    services.change_settings(campaign=campaign, topic_choice="free")
    assert seen() == ["1", "2", None]
    set_order(campaign=campaign, method="hand", ahead=0, first=["2"])
    campaign.topics.update(release="held")
    assert seen() == [None]


def test_bytes_of_an_example_reach_those_who_may_see_it(campaign: Campaign) -> None:
    image = DocumentRecord("c", "", "aGFsbG8=", "image/png")
    store_documents(collection=campaign.collection, records=[image], file="images")
    grace = Api(campaign, "Small-grace")
    assert grace.get("documents/c/content/").status_code == 404
    row = add(campaign, "c", topic="1")
    content = grace.get(f"examples/{row.id}/").json()["document"]["content"]
    assert content == "documents/c/content/?revision=1"
    assert grace.get(content).status_code == 200
    assert grace.get("documents/c/content/").status_code == 200
    services.change_settings(campaign=campaign, topic_choice="assigned")
    assert grace.get("documents/c/content/").status_code == 404


def test_grade_with_an_example_stays_in_the_scale(campaign: Campaign) -> None:
    add(campaign, "a", 2)
    two = [row for row in campaign.grades if row["grade"] != 2]
    with pytest.raises(Refusal, match="the guidelines’ example a has grade 2") as refused:
        services.change_settings(campaign=campaign, grades=two)
    assert (refused.value.code, refused.value.field, refused.value.status) == ("grade_in_use", "grades", 409)


def test_documents_and_topics_of_examples_stay(campaign: Campaign) -> None:
    row = add(campaign, "a", topic="1")
    client = signed_in("Small-ada")
    setup = "/campaigns/small/setup/"
    page = client.post(f"{setup}drop-topics/", {"topic": "1"}, follow=True).content.decode()
    assert "the guidelines have examples of it; delete these first" in page
    page = client.post(f"{setup}drop-documents/", follow=True).content.decode()
    assert "Documents are examples in the guidelines; delete these examples first" in page
    examples.remove_example(campaign=campaign, example=row.id)
    page = client.post(f"{setup}drop-topics/", {"topic": "1"}, follow=True).content.decode()
    assert "One topic is taken out." in page


def test_copy_takes_the_examples_whose_topics_it_has(campaign: Campaign) -> None:
    for docno, topic in (("a", "1"), ("b", None), ("c", "2"), ("d", None)):
        add(campaign, docno, topic=topic)
    ada = User.objects.get(username="Small-ada")
    bare = copy_settings(campaign=campaign, organiser=ada, name="Bare")
    assert order(bare) == "bd"
    whole = copy_settings(campaign=campaign, organiser=ada, name="Whole", topics=True)
    assert order(whole) == "abcd"
    first = whole.guideline_examples.select_related("topic")[0]
    assert first.topic is not None
    assert (first.topic.campaign_id, first.grade, first.reason) == (whole.id, 1, "a is so")
    assert order(campaign) == "abcd"
    client = signed_in("Small-ada")
    page = client.get("/campaigns/small/copy/").content.decode()
    assert "the 2 examples of the guidelines that are for every topic" in page
    assert "2 examples are for one topic each: without the topics, they are left out." in page
    made = client.post("/campaigns/small/copy/", {"name": "Next"}, follow=True).content.decode()
    assert "2 examples were left out: their topics were not copied." in made
    history = client.get("/campaigns/next/history/").content.decode()
    assert "copied the settings of “Small”; 2 examples of topics were left out" in history


def test_history_says_what_changed(campaign: Campaign, ada: Api) -> None:
    row = add(campaign, "a", 1, "1")
    examples.add_examples(campaign=campaign, docnos=["b", "c"], grade=0, reason="no")
    change(ada, row.id, grade=2, reason="It does.", topic=None)
    ada.post(f"examples/{row.id}/", {"by": 1})
    ada.client.delete(f"{ada.root}examples/{row.id}/")
    plain = ada.client.get("/campaigns/small/history/csv/")
    said = b"".join(plain).decode() if plain.streaming else plain.content.decode()
    for words in (
        "added a to the guidelines as an example of grade 1 in topic 1",
        "added b, c to the guidelines as an example of grade 0",
        "changed the example a in the guidelines: grade 1 → 2; topic 1 → every topic; reason, revised",
        "moved the example a in the guidelines",
        "deleted the example a from the guidelines",
    ):
        assert words in said
