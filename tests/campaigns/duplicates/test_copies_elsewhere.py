"""Copied judgments in files, bundles, figures and pages."""

from __future__ import annotations

import csv
import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from campaigns.collection.runs import remove_run
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.duplicates.judgment_copies import copy_count, propagate
from campaigns.exchange.exports import EXPORTS
from campaigns.formats.errors import FormatError
from campaigns.log.judgments import acts_since_judging_began
from campaigns.log.timeline import HistoryFilter, page_of
from campaigns.models import Campaign, Computed, Judgment
from campaigns.models.judgment import COPIED
from campaigns.operations.campaign_deletion import delete_campaign
from campaigns.pages.history_text import sentence_of
from campaigns.pages.history_text.sentences import CampaignLinks
from campaigns.pages.sentences.documents import copies_sentence, differing_sentence
from campaigns.results.document_judgments import judged_documents, judged_in_topic
from campaigns.setup.campaigns import close
from campaigns.stopping.advice_computation import judgment_times
from tests.campaigns.duplicates.copying_campaign import (
    RUNS,
    change,
    compare,
    copies,
    copying,
    import_qrels,
    judge,
    person,
    standing,
)
from tests.campaigns.exchange.bundles.bundle_copies import contents, copied, forged, packed
from tests.campaigns.factories import add_run, signed_in
from tests.campaigns.management.offline.command_files import run_json
from tests.campaigns.measurement.test_measured_scores import by_run, exported, measured, rows_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Topic 1: a is judged and copied to b, c and d; a copy on b was withdrawn once."""
    campaign = copying(measures="P@5 AP RBP(p=0.95)")
    grace, alan = person(campaign, "grace"), person(campaign, "alan")
    judge(grace, "a", 2)
    judge(alan, "b", 2)
    judge(alan, "b", undo=True)
    judge(grace, "a", 0, topic="2")
    recompute(campaign.id)
    return campaign


def lines_of(campaign: Campaign, name: str, form: Any = None) -> list[str]:
    return b"".join(EXPORTS[name].pieces(campaign, "", form)).decode().splitlines()


def test_exports_hold_copies_and_their_sources(campaign: Campaign) -> None:
    assert standing(campaign) == dict.fromkeys("abcd", 2)
    assert lines_of(campaign, "qrels-served") == ["1 0 a 2", "2 0 a 0"]
    rows = [json.loads(line) for line in lines_of(campaign, "judgments")]
    assert [row["copied_from"] for row in rows if row["method"] == COPIED] == ["a"] * len(copies(campaign))
    assert {row["copied_from"] for row in rows if row["method"] != COPIED} == {""}
    table = list(csv.DictReader(lines_of(campaign, "judgments-csv")))
    assert [row["copied_from"] for row in table] == [row["copied_from"] for row in rows]
    assert len(lines_of(campaign, "prels")) == 2


def test_the_overview_counts_copies_while_there_are_some(campaign: Campaign) -> None:
    def overview() -> str:
        address = reverse("campaigns:dashboard", args=[campaign.slug])
        return " ".join(signed_in("Copied-ada").get(address).content.decode().split())

    judged = len(standing(campaign)) + len(standing(campaign, "2"))
    assert (judged, copy_count(campaign)) == (6, 4)
    assert "4 of them copied" in overview()
    change(campaign, judgment_copies="off")
    assert "of them copied" not in overview()


def test_scores_are_those_of_evaluate_on_the_exports(campaign: Campaign, tmp_path: Path) -> None:
    found = measured(campaign)
    files = exported(campaign, RUNS, tmp_path)
    for one in found.content.measures:
        result = run_json("evaluate", *files, "--measure", one.computed)
        assert by_run(found, campaign, one.score) == rows_of(result, one.computed, "score")


def test_a_bundle_brings_copies(campaign: Campaign) -> None:
    copy = copied(packed(campaign))
    assert copy.judgment_copies == "near"
    assert copies(copy) == [(a, b, c, d) for a, b, c, d in copies(campaign)]
    assert standing(copy) == standing(campaign)
    # While texts are not compared, nothing moves; and nothing thereafter.
    assert propagate(campaign=copy.id) == 0
    compare(copy.collection)
    recompute(copy.id)
    assert copies(copy) == copies(campaign)
    change(copy, judgment_copies="off")
    assert copy_count(copy) == 0


def changed_copy(**values: Any) -> Any:
    def change_lines(content: bytes) -> bytes:
        rows = [json.loads(line) for line in content.splitlines()]
        row = next(row for row in rows if row["method"] == COPIED)
        row |= {name: rows[0][value] if value == "id" else value for name, value in values.items()}
        return "".join(json.dumps(row) + "\n" for row in rows).encode()

    return change_lines


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"document": 1}, "copied_from: it names no act of this assessor on another document of the topic"),
        ({"copied_from": None}, "copied_from: a copy has one"),
        ({"method": "C"}, "copied_from: a copy has one"),
    ],
    ids=str,
)
def test_a_bundle_with_a_wrong_source_is_refused(
    campaign: Campaign, values: dict[str, Any], says: str
) -> None:
    bundle = packed(campaign)
    if "document" in values:
        source = json.loads(contents(bundle)["judgments.jsonl"].splitlines()[0])
        values = {"document": source["document"]}
    with pytest.raises((FormatError, Refusal), match=says):
        copied(forged(bundle, "judgments.jsonl", changed_copy(**values)))


def test_a_bundle_with_copies_and_overlap_is_refused(campaign: Campaign) -> None:
    def overlapping(content: bytes) -> bytes:
        row = json.loads(content)
        return json.dumps(row | {"campaign": row["campaign"] | {"overlap_share": 0.5}}).encode() + b"\n"

    with pytest.raises((FormatError, Refusal), match="judgment_copies"):
        copied(forged(packed(campaign), "campaign.json", overlapping))


def test_the_history_names_the_source(campaign: Campaign) -> None:
    lines, _ = page_of(campaign=campaign, wanted=HistoryFilter(kind="judgments"), oldest_first=True)
    said = [
        f"{line.who} {sentence_of(line, CampaignLinks(campaign.slug)).plain}"
        for line in lines
        if line.detail.get("copied_from")
    ]
    assert len(said) == len(copies(campaign))
    assert said[0] == "Copied-grace judged a in topic 1, copied to its near-duplicate b: 2"
    assert "Copied-grace had judged a in topic 1; the copy to its near-duplicate b was withdrawn" in said
    grace, _ = page_of(campaign=campaign, wanted=HistoryFilter(person="Copied-grace"))
    assert not [line for line in grace if line.detail.get("copied_from")]


def test_pages_say_what_was_copied_and_who_chose_it(campaign: Campaign) -> None:
    client = signed_in("Copied-ada")

    def page(name: str, *args: str, query: str = "") -> str:
        response = client.get(reverse(f"campaigns:{name}", args=[campaign.slug, *args]) + query)
        assert response.status_code == 200
        text = " ".join(unescape(strip_tags(response.content.decode())).split())
        return text.replace("\u2068", "").replace("\u2069", "")

    assert "4 judgments are copied to near-duplicates." in page("duplicates")
    assert "4 lines hold judgments that were copied to near-duplicates." in page("exports")
    assert "copied from a, a near-duplicate" in page("document", query="?docno=c&all")
    assert "copied from a, a near-duplicate" in page("why", "1", query="?docno=c")
    assert "Copies of judgments" in page("setup")
    shown = {row.docno: row.sources for row in judged_documents(campaign=campaign).rows}
    assert shown["c"] == ["copied"]
    rows, total = judged_in_topic(campaign=campaign, topic=campaign.topics.get(number="1"))
    assert (total, {row.docno: row.opinions for row in rows}["d"]) == (4, [])


def test_figures_of_people_leave_copies_out(campaign: Campaign) -> None:
    assert judgment_times(campaign.id).judgments == 3
    assert Computed.objects.get(campaign=campaign).judged == 6


def test_copies_of_imported_judgments_begin_no_judging() -> None:
    campaign = copying("same")
    import_qrels(campaign, b"1 0 a 1\n")
    assert Judgment.objects.filter(campaign=campaign, method=COPIED).count() == 1
    assert not acts_since_judging_began(campaign).exists()


@pytest.mark.parametrize(
    ("setting", "count", "name", "sentence"),
    [
        ("off", 0, "ada", "Judgments are not copied to duplicates."),
        ("same", 1, "", "1 judgment is copied to a document with the same text."),
        ("same", 0, "", "0 judgments are copied to documents with the same text."),
        ("near", 1, "ada", "1 judgment is copied to a near-duplicate. Chosen by ada."),
        ("near", 1204, "", "1,204 judgments are copied to near-duplicates."),
    ],
)
def test_sentence_of_copies(setting: str, count: int, name: str, sentence: str) -> None:
    assert copies_sentence(setting, count, name) == sentence


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (0, ""),
        (1, "In 1 group, judgments of one topic differ, so none of them is copied."),
        (1204, "In 1,204 groups, judgments of one topic differ, so none of them is copied."),
    ],
)
def test_sentence_of_groups_that_differ(groups: int, sentence: str) -> None:
    assert differing_sentence(groups) == sentence


def test_the_setting_in_the_api() -> None:
    campaign = copying("off")
    ada, grace = person(campaign, "ada"), person(campaign, "grace")
    judge(grace, "a", 1)
    assert ada.get("").json()["judgment_copies"] == "off"
    assert "judgment_copies" not in grace.get("").json()

    def patch(client: Any, body: Any) -> Any:
        return client.client.patch(client.root, body, content_type="application/json")

    assert patch(ada, {"judgment_copies": "near"}).status_code == 200
    assert standing(campaign) == dict.fromkeys("abcd", 1)
    assert patch(grace, {"judgment_copies": "off"}).status_code == 403
    for wrong in ("all", 1, None):
        assert patch(ada, {"judgment_copies": wrong}).status_code == 400
    both = patch(ada, {"overlap_share": 0.5})
    assert (both.status_code, both.json()["code"]) == (400, "copies_disturb")
    assert standing(campaign) == dict.fromkeys("abcd", 1)


def test_a_campaign_with_copies_is_deleted(campaign: Campaign) -> None:
    close(campaign=campaign)
    delete_campaign(campaign=campaign, confirmation=campaign.slug)
    assert not Judgment.objects.filter(campaign_id=campaign.id).exists()


def test_a_run_that_only_copies_met_can_be_removed(campaign: Campaign) -> None:
    add_run(campaign, "late", {"1": ["u"]})
    recompute(campaign.id)
    assert standing(campaign)["u"] == 2
    remove_run(run=campaign.runs.get(tag="late"))
    recompute(campaign.id)
    assert "u" not in standing(campaign)
