"""A topic's page: its queue, its method, and why a document is served."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Sample, Topic
from campaigns.pages.setup.methods import METHOD_GROUPS
from campaigns.pages.topics import topic as topic_page
from campaigns.results.queues import explain_document, queue_view
from campaigns.setup import campaigns as services
from selection.registry import METHODS
from tests.campaigns.factories import Api, add_run, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

TOPIC = "/campaigns/small/topics/1/"
WHY = f"{TOPIC}why/"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small")
    recompute(campaign.id)
    return campaign


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def topic_of(campaign: Campaign, number: str = "1") -> Topic:
    return campaign.topics.get(number=number)


def words(reply: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def docnos(page: str) -> list[str]:
    return re.findall(r'<a [^>]*aria-label="Why ([^"]+)"', page)


def test_the_queue_is_the_workers(client: Client, campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 1)
    recompute(campaign.id)
    Api(campaign, "Small-alan").get("next/", topic="1")
    reply = client.get(TOPIC)
    queue = queue_view(campaign=campaign, topic=topic_of(campaign), limit=8)
    assert docnos(reply.content.decode()) == [row.docno for row in queue.rows]
    assert "a" not in docnos(reply.content.decode())
    text = words(reply)
    assert f"{queue.remaining} documents left" in text
    # The reply to a judgment carries the next document, which is then open to the same assessor.
    first, second = queue.rows[:2]
    assert f"1 {first.docno} {first.weight:.3g} Small-grace Why" in text
    assert f"2 {second.docno} {second.weight:.3g} Small-alan Why" in text
    assert "Judged 1 of 10 pool of 10 documents Relevant 1 100%" in text
    assert "Assigned to any assessor judged so far by Small-grace · Assign" in text
    assert "Selection method Method C , as the campaign" in text
    part = client.get(TOPIC, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert docnos(part) == [row.docno for row in queue.rows]


def test_an_open_page_is_told_what_judging_moved(client: Client, campaign: Campaign) -> None:
    """The queue takes its place in the page; what stands elsewhere says by its id where it belongs."""
    Api(campaign, "Small-grace").judge("1", "a", 1)
    services.change_settings(campaign=campaign, method="statap", options={"size": 3})
    recompute(campaign.id)
    whole = client.get(TOPIC).content.decode()
    part = client.get(TOPIC, headers={"HX-Request": "true"}).content.decode()
    elsewhere = re.findall(r'id="([\w-]+)" hx-swap-oob="true"', part)
    assert elsewhere == ["topic-lead", "topic-facts", "topic-runs", "topic-judged"]
    assert all(whole.count(f'id="{one}"') == 1 for one in elsewhere)
    assert "hx-swap-oob" not in whole
    text = words(client.get(TOPIC, headers={"HX-Request": "true"}))
    assert "Judged 1 of 10 pool of 10 documents" in text
    assert "Selection method statAP sample , as the campaign Sample 3 draws" in text
    assert re.findall(r"judged-(\w+)", part.split('id="topic-judged"')[1]) == ["list", "a"]


def test_a_queue_that_is_not_yet_made_or_of_older_settings_says_so(
    campaign: Campaign, client: Client
) -> None:
    services.change_settings(campaign=campaign, method="A")
    assert "a new queue is being made" in words(client.get(TOPIC))
    draft = make_campaign("Fresh", opened=False)
    assert "The queue is not computed yet. It needs runs" in words(
        signed_in("Fresh-ada").get("/campaigns/fresh/topics/1/")
    )
    assert draft.status == "draft"


def test_why_this_document(client: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 2)
    grace.judge("1", "b", reason="unreadable")
    grace.judge("1", "c", 0)
    grace.judge("1", "c", undo=True)
    recompute(campaign.id)
    found = explain_document(campaign=campaign, topic=topic_of(campaign), docno="b")
    text = words(client.get(WHY, {"docno": "b"}))
    assert f"Method C gives it the weight {found.weight:.3g}" in text
    for run in found.behind:
        assert f"{run.run} {run.rank} {run.share:.3g}" in text
    for other in found.alternatives:
        says = other.unavailable or ("the same document" if other.same else other.docno)
        assert f"{other.label} {says}" in text
    assert "Small-grace: could not judge (unreadable)" in text
    assert "Small-grace: 2 highly relevant" in words(client.get(WHY, {"docno": "a"}))
    assert "Small-grace: 0 not relevant just now Small-grace: undone" in words(
        client.get(WHY, {"docno": "c"})
    )


def test_the_first_document_is_what_the_methods_agree_on(client: Client, campaign: Campaign) -> None:
    """Before any judgment A and C weigh alike."""
    first = queue_view(campaign=campaign, topic=topic_of(campaign), limit=1).rows[0].docno
    assert "Method A the same document" in words(client.get(WHY, {"docno": first}))
    others = [row.docno for row in queue_view(campaign=campaign, topic=topic_of(campaign), limit=3).rows[1:]]
    assert f"Method A {first}" in words(client.get(WHY, {"docno": others[0]}))


def test_many_runs_are_folded(client: Client, campaign: Campaign) -> None:
    for number in range(14):
        add_run(campaign, f"more{number:02}", {"1": ["b", f"e{number}"]})
    recompute(campaign.id)
    page = client.get(WHY, {"docno": "b"}).content.decode()
    assert page.count('<td class="bar">') == 17
    assert "and 5 more" in page
    assert page.index("and 5 more") > [m.start() for m in re.finditer('<td class="bar">', page)][11]


@pytest.mark.parametrize("docno", ["", "nowhere", "k", "<b>"])
def test_a_document_that_no_run_of_the_topic_holds(client: Client, docno: str) -> None:
    reply = client.get(WHY, {"docno": docno})
    assert reply.status_code == 404
    assert "no run retrieves" in words(reply).lower()
    assert "<b>?" not in reply.content.decode()
    panel = client.get(WHY, {"docno": docno}, headers={"HX-Request": "true"})
    assert panel.status_code == 200
    assert panel.content.decode().startswith('<div class="why">')


def test_odd_docnos_and_topic_numbers() -> None:
    odd = ["http://x.org/a?b=1&c=d#e", "<i>\"'", "ü+%2F", "a/b/why/"]
    campaign = make_campaign("Odd", {"x": {"t/1": odd}})
    recompute(campaign.id)
    client = signed_in("Odd-ada")
    page = client.get("/campaigns/odd/topics/t/1/").content.decode()
    links = [unescape(link) for link in re.findall(r'href="([^"]*docno=[^"]*)"', page)]
    assert len(links) == 4
    for docno, link in zip(odd, links, strict=True):
        assert f"Why {docno} ?" in words(client.get(link))
    assert '<i>"' not in page
    assert Api(campaign, "Odd-ada").get("topics/t/1/").json()["number"] == "t/1"


def test_a_topic_gets_a_method_and_loses_it(client: Client, campaign: Campaign) -> None:
    reply = client.post(TOPIC, {"method": "hedge", "hedge.beta": "0.25", "mm-ns.rho": "9"})
    assert (reply.status_code, reply.headers["Location"]) == (302, TOPIC)
    topic = topic_of(campaign)
    assert (topic.method, topic.options) == ("hedge", {"beta": 0.25})
    text = client.get(TOPIC).content.decode()
    assert "Topic 1 is served by Hedge" in text
    assert 'value="0.25"' in text
    assert "title 1 0 of 10 0 10 1.000 Hedge" in words(client.get("/campaigns/small/topics/"))
    recompute(campaign.id)
    assert queue_view(campaign=campaign, topic=topic, limit=1).method == "hedge"
    client.post(TOPIC, {"method": ""})
    assert topic_of(campaign).method == ""


def test_several_topics_at_once(client: Client, campaign: Campaign) -> None:
    page = "/campaigns/small/topics/"
    reply = client.post(page, {"topic": ["1", "2"], "method": "mtf"})
    assert (reply.status_code, reply.headers["Location"]) == (302, page)
    assert set(campaign.topics.values_list("method", flat=True)) == {"mtf"}
    assert "2 topics are served by Move-to-front" in words(client.get(page))


@pytest.mark.parametrize(
    ("path", "wish", "says"),
    [
        (TOPIC, {"method": "D"}, "no method is called"),
        (TOPIC, {"method": "hedge", "hedge.beta": "2"}, "outside (0, 1)"),
        (TOPIC, {"method": "hedge", "hedge.beta": "fast"}, "not float"),
        (TOPIC, {"method": "hedge", "hedge.speed": "2"}, "no option"),
        ("/campaigns/small/topics/", {"method": "A"}, "at least one topic"),
        ("/campaigns/small/topics/", {"method": "A", "topic": "77"}, "at least one topic"),
    ],
)
def test_refusals_are_said_and_change_nothing(
    client: Client, campaign: Campaign, path: str, wish: dict[str, str], says: str
) -> None:
    reply = client.post(path, wish)
    assert reply.status_code == 400
    assert says in words(reply).replace("No ", "no ")
    for name, value in wish.items():
        assert "." not in name or "speed" in name or f'value="{value}"' in reply.content.decode()
    assert set(campaign.topics.values_list("method", flat=True)) == {""}


def test_why_is_for_organisers_alone(client: Client, campaign: Campaign) -> None:
    make_user("eve")
    for name, status in (("Small-ada", 200), ("Small-grace", 403), ("eve", 404)):
        assert signed_in(name).get(WHY, {"docno": "a"}).status_code == status
    assert Client().get(WHY, {"docno": "a"}).status_code == 302
    assert client.post(WHY, {"docno": "a"}).status_code == 405


def test_there_is_no_such_topic(client: Client) -> None:
    for path in ("/campaigns/small/topics/77/", "/campaigns/small/topics/77/why/?docno=a"):
        assert client.get(path).status_code == 404


def test_every_method_is_in_one_group() -> None:
    named = [method for methods in METHOD_GROUPS.values() for method in methods]
    assert len(named) == len(set(named))
    assert set(METHODS) <= {method.value for method in named}


def test_a_samples_size_and_day_are_told(client: Client, campaign: Campaign) -> None:
    assert "Sample" not in words(client.get(TOPIC)).replace("statAP sample", "")
    services.change_settings(campaign=campaign, method="statap", options={"size": 3})
    recompute(campaign.id)
    sample = Sample.objects.get(topic=topic_of(campaign))
    text = words(client.get(TOPIC))
    assert f"Sample 3 draws , drawn {sample.created:%-d %B %Y}" in text
    for row in queue_view(campaign=campaign, topic=topic_of(campaign), limit=3).rows:
        assert f"{row.docno} {row.weight:#.3g} {row.inclusion:#.3g}" in text


def judged_docnos(client: Client, **query: str) -> list[str]:
    return re.findall(r'id="judged-([^"]+)"', client.get(TOPIC, query).content.decode())


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", "dcba"),
        ("docno", "abcd"),
        ("-docno", "dcba"),
        # Ties by time, the latest first.
        ("grade", "dbca"),
        ("-grade", "acdb"),
        ("assessor", "dcba"),
        ("-assessor", "badc"),
        ("time", "abcd"),
        ("-time", "dcba"),
        ("title", "dcba"),
    ],
)
def test_judged_documents_are_sorted(campaign: Campaign, client: Client, sort: str, expected: str) -> None:
    acts = [("grace", "a", 2), ("grace", "b", 0), ("alan", "c", 1), ("alan", "d", 0)]
    for name, docno, grade in acts:
        assert Api(campaign, f"Small-{name}").judge("1", docno, grade).status_code == 201
    Api(campaign, "Small-grace").judge("2", "b", 2)
    assert "".join(judged_docnos(client, sort=sort)) == expected


def test_pages_of_judged_documents_keep_their_order(
    campaign: Campaign, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_page, "JUDGED_ROWS", 2)
    for docno in "abc":
        assert Api(campaign, "Small-grace").judge("1", docno, 1).status_code == 201
    first = client.get(TOPIC, {"sort": "docno"}).content.decode()
    assert judged_docnos(client, sort="docno") == ["a", "b"]
    assert f'rel="next" href="{TOPIC}?sort=docno&amp;page=2"' in first
    # What is asked again every few seconds is the page that is shown.
    assert f'hx-get="{TOPIC}?sort=docno"' in first
    assert judged_docnos(client, sort="docno", page="2") == ["c"]
    beyond = client.get(TOPIC, {"sort": "docno", "page": "9"}).content.decode()
    assert "The first ones" in beyond


def test_judged_documents_are_filtered_by_their_grade(
    campaign: Campaign, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_page, "JUDGED_ROWS", 2)
    for docno, grade in (("a", 2), ("b", 0), ("c", 0), ("d", 0)):
        assert Api(campaign, "Small-grace").judge("1", docno, grade).status_code == 201
    page = client.get(TOPIC, {"grade": "0"}).content.decode()
    assert judged_docnos(client, grade="0") == ["d", "c"]
    assert "1–2 of 3" in words(client.get(TOPIC, {"grade": "0"}))
    assert f'rel="next" href="{TOPIC}?grade=0&amp;page=2"' in page
    assert judged_docnos(client, grade="0", page="2") == ["b"]
    assert judged_docnos(client, grade="2") == ["a"]
    # No document has it: all are shown.
    for other in ("1", "x", "-2"):
        assert judged_docnos(client, grade=other) == ["d", "c"]
        assert "1–2 of 4" in words(client.get(TOPIC, {"grade": other}))
    assert "Relevant 1 25% grade 0 : 3 grade 2 : 1" in words(client.get(TOPIC))


def test_the_rest_of_the_queue_is_behind_a_link(
    campaign: Campaign, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_page, "FIRST_QUEUE_ROWS", 2)
    page = client.get(TOPIC, {"sort": "docno"}).content.decode()
    assert len(docnos(page)) == 2
    assert f'href="{TOPIC}?sort=docno&amp;queue=all#next-label"' in page
    page = client.get(TOPIC, {"queue": "all"}).content.decode()
    assert len(docnos(page)) == 10
    assert "More documents" not in page


def test_neighbours_and_the_judging_screen_are_linked(campaign: Campaign, client: Client) -> None:
    page = client.get(TOPIC).content.decode()
    assert 'rel="next" href="/campaigns/small/topics/2/"' in " ".join(page.split())
    assert 'rel="prev"' not in page
    assert f'href="{reverse("assess:topic", args=["small", "1"])}"' in page
    last = " ".join(client.get("/campaigns/small/topics/2/").content.decode().split())
    assert 'rel="prev" href="/campaigns/small/topics/1/"' in last
    assert 'rel="next"' not in last
