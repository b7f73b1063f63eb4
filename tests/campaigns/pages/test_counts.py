"""One campaign with imports, repeats, undone and revised judgments, an excluded assessor, a decision, equal
runs and a withdrawn one: every page, endpoint and email shows one number of each kind of docs/glossary.md.

Pages name what they count: `data-counted` is the kind, empty for numbers that are no count of the campaign;
`data-of` is of what, if not of the campaign. A number beside a counted word without it fails here, on
whichever page it stands.
"""

from __future__ import annotations

import io
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from assess.urls import urlpatterns as assessor_pages
from campaigns.collection.run_changes import withdraw
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.models import Campaign, Judgment, Membership, Repeat
from campaigns.notifications import notices
from campaigns.notifications.outbox import send_due_emails
from campaigns.pages.urls import urlpatterns as organiser_pages
from campaigns.participants.publication import publish_leaderboard
from campaigns.quality.adjudication import decide
from campaigns.quality.exclusions import exclude
from campaigns.results.topic_rows import judging_progress, topics_of
from campaigns.setup.campaigns import change_settings
from campaigns.templatetags.counts import COUNTS
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.campaigns.stopping.stopping_look import look, predict_scores

pytestmark = pytest.mark.django_db

DOCNOS = {topic: [f"t{topic}-{n:02}" for n in range(30)] for topic in ("1", "2", "3")}
FEW = ["few-1", "few-2", "few-3"]
MINIMUM = 12

Counts = dict[tuple[str, str], int]


def _lists(step: int) -> dict[str, list[str]]:
    """Another order of the same documents for each step that 31 does not divide."""

    def place(docno: str) -> int:
        return int(docno[-2:]) * step % 31

    return {**{topic: sorted(docnos, key=place) for topic, docnos in DOCNOS.items()}, "4": FEW}


@pytest.fixture
def campaign() -> Campaign:
    lists = {name: _lists(step) for name, step in (("x", 1), ("y", 7), ("z", 30), ("gone", 11))}
    lists["x-again"] = lists["x"]
    campaign = make_campaign("Small", lists, repeat_share=0.5, min_judgments=MINIMUM, policy="adjudicated")
    look(campaign)
    ada, grace, alan = (Api(campaign, f"Small-{name}") for name in ("ada", "grace", "alan"))
    _import(campaign, "".join(f"1 0 {docno} {n % 3}\n" for n, docno in enumerate(DOCNOS["1"][:20])))
    _import(campaign, "1 0 t1-00 1\n3 0 t3-00 2\n")
    for n in range(20):
        _judge_next(grace, "2", n % 3)
    for docno in DOCNOS["1"][15:25]:
        assert grace.judge("1", docno, 2).status_code == 201
    grace.judge("1", "t1-24", 0)
    grace.judge("1", "t1-23", undo=True)
    assert grace.judge("1", "t1-26", reason="unreadable").status_code == 201
    for docno in (*DOCNOS["1"][22:28], *DOCNOS["2"][:3]):
        assert alan.judge(docno[1], docno, 0).status_code == 201
    decide(campaign=campaign, adjudicator=_user("ada"), id=uuid.uuid4(), topic="1", docno="t1-22", grade=1)
    exclude(campaign=campaign, username="Small-alan", topics=[campaign.topics.get(number="1")])
    withdraw(run=campaign.runs.get(tag="gone"))
    predict_scores(campaign)
    look(campaign)
    publish_leaderboard(campaign=campaign, audience="public")
    assert ada.get("status/").json()["applied"] == campaign.judgments.count()
    assert Repeat.objects.filter(undo=False).exists()
    campaign.refresh_from_db()
    return campaign


def _user(name: str) -> User:
    return User.objects.get(username=f"Small-{name}")


def _import(campaign: Campaign, text: str) -> None:
    parsed = read_qrels(io.BytesIO(text.encode()), "known.qrels")
    store_qrels(campaign=campaign, user=_user("ada"), parsed=parsed, file="known.qrels")


def _judge_next(assessor: Api, topic: str, grade: int) -> None:
    served = assessor.get("next/", topic=topic).json()
    assert assessor.judge(topic, served["docno"], grade).status_code == 201


def test_pages_show_one_number_of_each_kind(campaign: Campaign) -> None:
    shown: dict[tuple[str, str], dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    unmarked = []
    for address, page in _pages(campaign):
        for kind, scope, number in page.counts():
            shown[kind, "" if scope == campaign.slug else scope][number].append(address)
        unmarked += [(address, words) for words in page.unmarked()]
    assert unmarked == [], "\n".join(map(str, unmarked))
    assert {key: dict(pages) for key, pages in shown.items() if len(pages) > 1} == {}
    expected = _expected(campaign)
    found = {key: number for key, pages in shown.items() for number in pages}
    assert {key: found[key] for key in expected} == expected
    assert {kind for kind, _ in found} >= COUNTS.keys() | {"progress", "judgments-left"}


def test_endpoints_and_emails_count_as_pages_do(campaign: Campaign) -> None:
    expected = _expected(campaign)
    ada, judged = Api(campaign, "Small-ada"), expected["judged-documents", ""]
    status, intervals = ada.get("status/").json(), ada.get("intervals/").json()
    log = expected["log-entries", ""]
    assert (status["head"], status["applied"], intervals["as_of"]) == (log, log, log)
    assert intervals["judged"] == judged == len(ada.get("exports/qrels/").getvalue().splitlines())
    assert len(intervals["runs"]) == expected["runs", ""]
    topics = {row["number"]: row for row in ada.get("topics/").json()["results"]}
    assert {number: row["judged"] for number, row in topics.items()} == {
        number: expected["judged-documents", f"topic {number}"] for number in topics
    }
    done = sum(min(row["judged"], row["minimum"]) for row in topics.values())
    assert done == expected["progress", ""]
    board = ada.get("leaderboard/").json()
    assert (board["judged"], board["topics"], len(board["runs"])) == (
        judged,
        expected["topics-begun", ""],
        expected["runs", ""],
    )
    quality = ada.get("quality/").json()
    (excluded,) = quality["exclusions"]
    assert excluded["judgments"] == expected["judgments", "Small-alan, topic 1"]
    own = Api(campaign, "Small-grace").get("topics/").json()["results"]
    assert sum(row["judged"] for row in own) == expected["own-judgments", "Small-grace"]
    assert [row["judgments"] for row in quality["imports"]] == [20, 2]

    User.objects.filter(username="Small-ada").update(email="ada@example.org")
    Membership.objects.filter(user__username="Small-ada").update(progress_mail=True)
    assert notices.email_progress(day=timezone.localdate()) == 1
    send_due_emails()
    (message,) = mail.outbox
    assert f"Altogether {judged} documents are judged" in message.body
    assert f"Judged of the topics’ minimums: {expected['progress', '']} of {3 * MINIMUM + 3}." in message.body


def test_a_leaderboard_ranks_as_the_overview_does(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    page = ada.client.get("/campaigns/small/?topics=judged").content.decode()
    ranks = {run: (rank, expected) for rank, run, expected in RUN.findall(page)}
    assert any(rank != "–" for rank, _ in ranks.values())
    board = {row["run"]: row for row in ada.get("leaderboard/").json()["runs"]}
    assert board["x-again"] == {**board["x"], "run": "x-again"}
    del board["x-again"]
    assert ranks == {
        run: (_rank(row["first"], row["last"]), _score(row["expected"])) for run, row in board.items()
    }


RUN = re.compile(r'Rank </span>([^<]*)</span>.*?run-tag">([^<]*)<.*?, expected </span>([^<]*)<')


def _score(expected: float | None) -> str:
    """Too wide a prediction is no figure on the overview."""
    return "" if expected is None else f"{expected:.3f}"


def _rank(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}–{last}"


@pytest.mark.parametrize(
    ("settings", "done", "goal"),
    [
        ({}, 12 + 2, 3 * MINIMUM + 3),
        ({"budget": 10}, 10, 10),
        ({"budget": 12_000}, 12 + 2, 3 * MINIMUM + 3),
        ({"min_judgments": 1000}, 20 + 2, 3 * 30 + 3),
        ({"min_judgments": 0}, 0, 0),
        ({"min_judgments": 0, "budget": 12_000}, 20 + 2, 3 * 30 + 3),
        ({"min_judgments": 0, "budget": 20}, 20, 20),
    ],
)
def test_progress_can_be_reached_and_never_exceeds_its_goal(
    settings: dict[str, Any], done: int, goal: int
) -> None:
    campaign = make_campaign("Small", {"x": _lists(1)}, min_judgments=MINIMUM)
    _import(
        campaign, "".join(f"1 0 {docno} 1\n" for docno in DOCNOS["1"][:20]) + "4 0 few-1 0\n4 0 few-2 0\n"
    )
    look(campaign)
    change_settings(campaign=campaign, **settings)
    campaign.refresh_from_db()
    found = judging_progress(campaign=campaign, topics=topics_of(campaign=campaign))
    assert (found.done, found.goal) == (done, goal)
    assert 0 <= found.share <= 100


def _expected(campaign: Campaign) -> Counts:
    """Counted by loops over the rows as they were written."""
    imported = [range(one.first, one.last + 1) for one in campaign.imports.all()]
    latest: dict[tuple[str, str, str], Judgment] = {}
    for row in campaign.judgments.select_related("topic", "document", "assessor").order_by("sequence"):
        latest[row.topic.number, row.document.docno, row.assessor.username] = row
    counts: Counter[tuple[str, str]] = Counter({("log-entries", ""): campaign.judgments.count()})
    graded: defaultdict[str, set[str]] = defaultdict(set)
    for (topic, docno, name), row in latest.items():
        from_file = any(row.sequence in places for places in imported)
        if row.grade is not None and (from_file or (name, topic) != ("Small-alan", "1")):
            graded[topic].add(docno)
        if row.undo or from_file:
            continue
        kind = "decisions" if row.adjudication else "judgments"
        counts[kind, name] += 1
        counts["own-judgments", name] += 1
        if (kind, name, topic) == ("judgments", "Small-alan", "1"):
            counts["judgments", "Small-alan, topic 1"] += 1
    answers = {}
    for answer in Repeat.objects.select_related("document", "assessor").order_by("created"):
        answers[answer.assessor.username, answer.document.docno] = answer
    for (name, _), answer in answers.items():
        counts["repeats", name] += not answer.undo
        counts["own-judgments", name] += not answer.undo
    counts["judged-documents", ""] = sum(map(len, graded.values()))
    counts["topics-begun", ""] = len(graded)
    for topic in (*DOCNOS, "4"):
        counts["judged-documents", f"topic {topic}"] = len(graded[topic])
        counts["progress", ""] += min(len(graded[topic]), MINIMUM, len(FEW) if topic == "4" else MINIMUM)
    counts.update({("runs", ""): 4, ("distinct-runs", ""): 3, ("withdrawn-runs", ""): 1})
    # Ada's own pages are an organiser's.
    return {key: number for key, number in counts.items() if key != ("own-judgments", "Small-ada")}


def _pages(campaign: Campaign) -> Iterator[tuple[str, _Page]]:
    """Every page of organisers and assessors that is a document, as those who see it get it."""
    make_user("root")
    User.objects.filter(username="root").update(is_staff=True, is_superuser=True)
    root, ada, *assessors = (signed_in(name) for name in ("root", "Small-ada", "Small-grace", "Small-alan"))
    addresses = [(ada, address) for address in _addresses("campaigns", organiser_pages, campaign)]
    for assessor in assessors:
        addresses += [(assessor, address) for address in _addresses("assess", assessor_pages, campaign)]
    addresses += [(ada, f"/campaigns/small/?topics={scope}&show=all") for scope in ("all", "judged")]
    addresses += [(ada, f"/campaigns/small/documents/?topic={topic}") for topic in DOCNOS]
    addresses += [
        (ada, "/campaigns/small/document/?docno=t1-00"),
        (ada, "/campaigns/small/topics/2/why/?docno=t2-29"),
    ]
    addresses += [(root, reverse("administration"))]
    for client, address in addresses:
        reply = client.get(address)
        if (
            reply.status_code == 200
            and reply["Content-Type"].startswith("text/html")
            and reply.content.strip()
        ):
            yield address, _Page(reply.content.decode())


def _addresses(room: str, patterns: Any, campaign: Campaign) -> Iterator[str]:
    known: dict[str, list[Any]] = {
        "slug": [campaign.slug],
        "number": ["1", "2", "4"],
        "run": list(campaign.runs.values_list("id", flat=True)),
        "username": ["Small-grace", "Small-alan", "Small-ada"],
        "part": ["runs", "topics", "collection"],
    }
    for pattern in patterns:
        names = list(pattern.pattern.converters)
        if known.keys() >= set(names):
            for values in product(*(known[name] for name in names)):
                yield reverse(f"{room}:{pattern.name}", kwargs=dict(zip(names, values, strict=True)))


class _Page(HTMLParser):
    """`marked`: kind, scope and text of what is marked as a count; `rest`: all other text but the help."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.marked: list[tuple[str, str, list[str]]] = []
        self.rest: list[str] = []
        self._open: list[tuple[str, list[str] | None]] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        text: list[str] | None = None
        if "data-counted" in given:
            text = []
            self.marked.append((given["data-counted"] or "", given.get("data-of") or "", text))
        elif tag in ("script", "style", "template") or (given.get("id") or "").endswith("_helptext"):
            text = []
        if tag not in ("br", "hr", "img", "input", "link", "meta"):
            self._open.append((tag, text))

    def handle_endtag(self, tag: str) -> None:
        if any(opened == tag for opened, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        texts = [text for _, text in self._open if text is not None]
        (texts[-1] if texts else self.rest).append(data)

    def counts(self) -> Iterator[tuple[str, str, int]]:
        for kind, scope, text in self.marked:
            if kind:
                number = re.search(r"\d[\d,]*", "".join(text))
                assert number, (kind, scope, text)
                yield kind, scope, int(number[0].replace(",", ""))

    def unmarked(self) -> list[str]:
        return COUNTED.findall(" ".join("".join(self.rest).split()))


WORDS = "judged documents?|judgments?|(?:distinct |withdrawn )?runs?|log entr(?:y|ies)|repeats?"
COUNTED = re.compile(rf"(?<![\d.,–])\d[\d,]* (?:{WORDS})\b")
