"""The history as it is read: order, filters, pages, sentences, files."""

from __future__ import annotations

import ast
import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

import campaigns
from campaigns.log.audit import AUDIT_GROUPS
from campaigns.log.timeline import (
    HISTORY_KINDS,
    JUDGMENTS,
    HistoryFilter,
    HistoryLine,
    HistoryPlace,
    all_lines,
    page_of,
)
from campaigns.models import Campaign, Deed, Judgment
from campaigns.pages.history import KIND_NAMES
from campaigns.pages.history_text import SENTENCES, sentence_of
from campaigns.pages.history_text.groups import grouped_lines
from campaigns.pages.history_text.sentences import CampaignLinks
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, add_run, make_campaign, signed_in

pytestmark = pytest.mark.django_db

AT = CampaignLinks("small")


@pytest.fixture(scope="module")
def made(module_rows: None) -> int:
    """Four deeds of its making, then judgments and deeds in turn."""
    campaign = make_campaign("Small")
    grace, alan, ada = (Api(campaign, f"Small-{name}") for name in ("grace", "alan", "ada"))
    grace.judge("1", "a", 1)
    grace.judge("1", "a", 2)
    ada.client.patch(ada.root, {"p": 0.95}, content_type="application/json")
    alan.judge("2", "k", reason="unreadable")
    grace.judge("1", "a", undo=True)
    ada.post("topics/2/assignments/", {"username": "Small-alan"})
    add_run(campaign, "late", {"1": ["a", "b"]})
    return campaign.id


def test_entries_of_an_import_are_no_acts_of_the_person_who_imported(campaign: Campaign) -> None:
    before = sentences(campaign, person="Small-ada", kind="judgments")
    sent = Api(campaign, "Small-ada").upload("qrels/", b"1 0 b 1\n1 0 c 0\n", "known.qrels")
    assert sent.status_code == 201
    assert sentences(campaign, person="Small-ada", kind="judgments") == before
    assert any("known.qrels" in line for line in sentences(campaign, person="Small-ada"))
    assert len(sentences(campaign, kind="judged")) == 3


@pytest.mark.parametrize("kind", sorted({*SENTENCES, "moonlit"}))
def test_an_entry_that_its_sentence_does_not_fit_is_shown_as_it_is(campaign: Campaign, kind: str) -> None:
    for detail in ({}, {"changes": 7, "runs": 7, "topics": ["1"], "items": 7, "method": 7, "topic": ""}):
        line = HistoryLine(HistoryPlace(1, 1), timezone.now(), "Small-ada", kind, dict(detail))
        assert sentence_of(line, AT).html
        assert grouped_lines([line] * 4, AT)[0].lines


@pytest.fixture
def campaign(made: int) -> Campaign:
    return Campaign.objects.get(id=made)


def sentences(campaign: Campaign, **wanted: Any) -> list[str]:
    lines, _ = page_of(campaign=campaign, wanted=HistoryFilter(**wanted))
    return [f"{line.who} {sentence_of(line, AT).plain}" for line in lines]


NEWEST = [
    "the system loaded the run late from late.run; late, after 4 judgments",
    "Small-ada assigned topic 2 to Small-alan",
    "Small-grace undid the judgment of a in topic 1",
    "Small-alan could not judge k in topic 2: unreadable",
    "Small-ada changed the settings: persistence p 0.8 → 0.95; all runs were scored again;"
    " judgments stay (2)",
    "Small-grace judged a in topic 1 again: 1 → 2",
    "Small-grace judged a in topic 1: 1",
    "the system opened the campaign for judging",
]


def test_deeds_stand_among_the_judgments_where_they_were_done(campaign: Campaign) -> None:
    assert sentences(campaign)[: len(NEWEST)] == NEWEST
    assert sentences(campaign)[-1] == "the system made the campaign “Small”: Method C, p = 0.8"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"person": "Small-alan"}, [3]),
        ({"person": "Small-grace"}, [2, 5, 6]),
        ({"person": "nobody"}, []),
        ({"kind": "judgments"}, [2, 3, 5, 6]),
        ({"kind": "judged"}, [6]),
        ({"kind": "revised"}, [5]),
        ({"kind": "undone"}, [2]),
        ({"kind": "not judged"}, [3]),
        ({"kind": "settings"}, [4]),
        ({"topic": "2"}, [1, 3]),
        ({"topic": "2", "kind": "topics"}, [1]),
        ({"topic": "no such"}, []),
        ({"words": "unread"}, [3]),
        ({"words": "a", "kind": "judgments", "topic": "2"}, [3]),
        ({"words": "k"}, [3]),
        ({"words": "LATE.run"}, [0]),
        ({"words": "small-alan"}, [1, 3]),
    ],
)
def test_filters(campaign: Campaign, wanted: dict[str, str], expected: list[int]) -> None:
    # The making of the campaign is another story.
    Deed.objects.filter(campaign=campaign, kind__in=("topics", "role", "created")).delete()
    Deed.objects.filter(campaign=campaign, kind="runs", after=0).delete()
    assert sentences(campaign, **wanted) == [NEWEST[place] for place in expected]


def test_a_day_is_a_day_of_the_sites_time_zone(campaign: Campaign, settings: Any) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    late = datetime(2026, 3, 1, 15, 30, tzinfo=UTC)
    Judgment.objects.filter(sequence=4).update(created=late)
    Deed.objects.filter(kind="assigned").update(created=late - timedelta(hours=1))
    assert sentences(campaign, day=datetime(2026, 3, 2).date()) == [NEWEST[2]]
    assert sentences(campaign, day=datetime(2026, 3, 1).date()) == [NEWEST[1]]


@pytest.mark.parametrize("oldest_first", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pages_together_are_the_whole(campaign: Campaign, size: int, oldest_first: bool) -> None:
    everything = list(all_lines(campaign=campaign, wanted=HistoryFilter()))
    assert everything == sorted(everything)
    found: list[HistoryLine] = []
    edge: HistoryPlace | None = None
    while True:
        lines, edge = page_of(
            campaign=campaign, wanted=HistoryFilter(), beyond=edge, oldest_first=oldest_first, size=size
        )
        assert len(lines) == size or edge is None
        found += lines
        if edge is None:
            break
    order = everything if oldest_first else everything[::-1]
    assert [line.place for line in found] == [line.place for line in order]
    assert len(everything) == campaign.deeds.count() + campaign.judgments.count()


def test_another_campaigns_history_is_its_own(campaign: Campaign) -> None:
    make_campaign("Other")
    assert sentences(campaign)[: len(NEWEST)] == NEWEST


def test_a_page_asks_as_often_for_many_lines_as_for_few(campaign: Campaign) -> None:
    from tests.campaigns.pages.test_query_counts import queries

    client = signed_in("Small-ada")

    def counted() -> int:
        # The rail stores the log's counts at the first look after a judgment.
        client.get("/campaigns/small/history/")
        return queries(lambda: client.get("/campaigns/small/history/"))

    few = counted()
    for docno in "bcdefghij":
        Api(campaign, "Small-grace").judge("1", docno, 1)
        services.change_settings(campaign=campaign, guidelines=f"see {docno}")
    assert counted() == few == 13


def test_what_people_wrote_is_escaped(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, name="<b>{p}</b>")
    page = signed_in("Small-ada").get("/campaigns/small/history/").content.decode()
    assert "&lt;b&gt;{p}&lt;/b&gt;" in page
    assert "<b>{p}" not in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("kind=weather", "weather"),
        ("day=yesterday", "yesterday"),
        ("day=2026-02-30", "2026-02-30"),
        ("beyond=1", "no place"),
        ("beyond=1.x", "no place"),
        ("beyond=99999999999.1", "no place"),
        (f"words={'w' * 201}", "200"),
    ],
)
def test_a_wrong_filter_is_named(campaign: Campaign, query: str, said: str) -> None:
    client = signed_in("Small-ada")
    reply = client.get(f"/campaigns/small/history/?{query}")
    assert reply.status_code == 400
    assert said in reply.content.decode()
    if not query.startswith("beyond"):
        assert client.get(f"/campaigns/small/history/csv/?{query}").status_code == 400


def test_the_page_leads_to_what_it_speaks_of(campaign: Campaign) -> None:
    page = signed_in("Small-ada").get("/campaigns/small/history/?kind=judged").content.decode()
    assert '<a href="/campaigns/small/topics/1/">1</a>' in page
    assert "/campaigns/small/topics/1/why/?docno=a" in page
    assert "history/csv/?kind=judged" in page


def test_an_empty_part_says_what_to_do(campaign: Campaign) -> None:
    reply = signed_in("Small-ada").get("/campaigns/small/history/?words=nonesuch")
    assert reply.status_code == 200
    assert "Remove a filter to see more" in reply.content.decode()


def test_files_hold_the_filtered_history_the_oldest_first(campaign: Campaign) -> None:
    client = signed_in("Small-ada")

    def fetch(form: str, query: str = "") -> str:
        return b"".join(client.get(f"/campaigns/small/history/{form}/{query}")).decode()

    rows = list(csv.DictReader(io.StringIO(fetch("csv", "?kind=judgments"))))
    assert [f"{row['who']} {row['said']}" for row in rows] == [NEWEST[place] for place in (6, 5, 3, 2)]
    assert [row["topic"] for row in rows] == ["1", "1", "2", "1"]
    lines = [json.loads(line) for line in fetch("jsonl").splitlines()]
    assert len(lines) == campaign.deeds.count() + campaign.judgments.count()
    changed = next(line for line in lines if line["kind"] == "settings")
    assert changed["detail"] == {"changes": {"p": [0.8, 0.95]}}
    assert lines[-1]["detail"] == {"file": "small.history.jsonl"}
    assert client.get("/campaigns/small/history/xml/").status_code == 404


def kinds_noted() -> set[str]:
    """Every kind that is noted anywhere in the code."""
    trees = (ast.parse(path.read_text()) for path in Path(campaigns.__file__).parent.rglob("*.py"))
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        one.value
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in NOTING
        for word in call.keywords
        if word.arg == "kind"
        for one in ast.walk(word.value)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


NOTING = {"note", "note_all", "note_sharing"}


def test_every_kind_has_a_sentence_and_a_group() -> None:
    kinds = kinds_noted() | {"opened", "paused", "closed"}
    assert {"runs", "settings", "topic developed", "topic reworded"} <= kinds
    assert kinds - set(SENTENCES) == set()
    assert kinds - {kind for group in AUDIT_GROUPS.values() for kind in group} == set()
    assert set(JUDGMENTS) <= set(SENTENCES)
    assert set(HISTORY_KINDS) == set(KIND_NAMES)


def test_a_kind_without_a_sentence_is_still_told() -> None:
    line = HistoryLine(HistoryPlace(3, 1), timezone.now(), "ada", "moved the moon", {"by": 2})
    assert sentence_of(line, AT).plain == "moved the moon: by 2"
    assert sentence_of(line, AT).html == "moved the moon: by 2"
