from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from campaigns.core.errors import Refusal
from campaigns.exchange.datasets import store_dataset
from campaigns.formats.errors import TITLE_CHARACTERS
from campaigns.models import Campaign, Deed, Document, Judgment, Topic
from campaigns.setup import campaigns
from tests.campaigns.factories import make_user
from tests.campaigns.formats.sample_files import needs_data

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return campaigns.create(organiser=make_user("ada"), name="Wings")


def load(name: str, *more: str) -> str:
    out = StringIO()
    call_command("import_collection", "wings", "--ir-dataset", name, *more, stdout=out)
    return out.getvalue().strip()


def test_documents_and_topics_and_judgments_if_wanted(campaign: Campaign) -> None:
    assert (
        load("own/tiny")
        == "own/tiny: 3 documents (3 new, 0 changed, 0 unchanged); 2 topics added, 0 revised, 0 unchanged"
    )
    assert not Judgment.objects.exists()
    said = load("own/tiny", "--qrels")
    assert said.endswith("0 topics added, 0 revised, 2 unchanged; 3 judgments added, 0 unchanged")
    judged = Judgment.objects.values_list("topic__number", "document__docno", "grade", "assessor__username")
    assert set(judged) == {("1", "d1", 2, "ada"), ("1", "d2", 0, "ada"), ("2", "d3", -2, "ada")}
    assert Topic.objects.get(number="1").narrative == "Bones count."
    kinds = Deed.objects.filter(campaign=campaign).values_list("kind", "detail__file")
    assert {(kind, "own/tiny") for kind in ("documents", "topics", "qrels")} <= set(kinds)


def test_a_data_set_without_topics_gives_documents(campaign: Campaign) -> None:
    assert load("own/pages-only") == "own/pages-only: 3 documents (3 new, 0 changed, 0 unchanged)"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("own/tinny", "there is no dataset own/tinny in ir_datasets; there are own/tiny"),
        ("", "say which files, or --ir-dataset NAME"),
        ("own/topics-only", "the dataset own/topics-only has no documents"),
        ("own/empty", "own/empty: no document in it"),
        ("own/blanks", "own/blanks:4: a docno is one word, without blanks and control characters: 'd 4'"),
        ("own/torn", "own/torn:3: topic '1' a second time"),
        ("own/far", "the dataset own/far is not on this machine, and downloads are not allowed"),
        ("own/lost", "the dataset own/lost cannot be read here: FileNotFoundError"),
    ],
)
def test_whatever_is_wrong_nothing_is_stored(campaign: Campaign, name: str, words: str) -> None:
    with pytest.raises(CommandError) as refused:
        load(name)
    assert words in str(refused.value)
    assert not Document.objects.exists()
    assert not Topic.objects.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("own/pages-only", "the dataset own/pages-only has no judgments"),
        ("own/wild-grades", "own/wild-grades has grades that this campaign lacks: 7"),
    ],
)
def test_judgments_that_cannot_be_taken_keep_out_the_rest(campaign: Campaign, name: str, words: str) -> None:
    with pytest.raises(CommandError) as refused:
        load(name, "--qrels")
    assert words in str(refused.value)
    assert not Document.objects.exists()


def test_files_and_a_name_together_are_wrong_usage(campaign: Campaign) -> None:
    for arguments in (["wings", "file", "--ir-dataset", "own/tiny"], ["wings"], ["wings", "file", "--qrels"]):
        with pytest.raises(CommandError) as refused:
            call_command("import_collection", *arguments)
        assert refused.value.returncode == 2


def test_without_the_library_it_says_how_to_get_it(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("campaigns.exchange.datasets.find_spec", lambda name: None)
    with pytest.raises(CommandError, match="pip install ir_datasets"):
        load("own/tiny")


def test_a_module_that_is_not_there_is_named(campaign: Campaign, settings: Settings) -> None:
    settings.IR_DATASETS_MODULES = ["no_such_module"]
    with pytest.raises(
        CommandError, match="IR_DATASETS_MODULES is not there: No module named 'no_such_module'"
    ):
        load("own/tiny")


def test_costly_documents_and_long_titles_are_named(campaign: Campaign) -> None:
    stored = store_dataset(campaign=campaign, user=make_user("grace"), name="own/costly")
    assert {row["what"]: row["detail"].rpartition(": ")[2] for row in stored.noticed} == {
        "titles cut": "long",
        "documents shown as plain text: too costly to render": "costly",
    }
    assert Document.objects.get(docno="good").html == "<p>One <b>two</b></p>"
    assert (Document.objects.get(docno="costly").html or "")[:3] == "<p>"
    assert len(Document.objects.get(docno="long").title) == TITLE_CHARACTERS


def test_progress_is_told_of_each_document(campaign: Campaign) -> None:
    progress_calls: list[tuple[int, int | None]] = []
    store_dataset(
        campaign=campaign,
        user=make_user("grace"),
        name="own/tiny",
        progress=lambda read, total: progress_calls.append((read, total)),
    )
    assert progress_calls == [(1, 3), (2, 3), (3, 3)]


def test_with_downloads_allowed_the_network_is_tried(campaign: Campaign, settings: Settings) -> None:
    settings.IR_DATASETS_DOWNLOAD = True
    with pytest.raises(Refusal, match="cannot be read here: ConnectionError"):
        store_dataset(campaign=campaign, user=make_user("grace"), name="own/far")


@needs_data
def test_cranfield_by_its_name(campaign: Campaign) -> None:
    said = load("own/cranfield", "--qrels")
    assert said.startswith(
        "own/cranfield: 1,400 documents (1,400 new, 0 changed, 0 unchanged); 225 topics added"
    )

    assert said.endswith("1,837 judgments added, 0 unchanged")
    first = Document.objects.get(docno="1")
    assert first.title.startswith("experimental investigation of the aerodynamics")
    assert Judgment.objects.filter(topic__number="1", document__docno="184", grade=1).exists()
