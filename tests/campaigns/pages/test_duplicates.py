"""The page of near-duplicates, and the places that lead there."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.collection.documents import store_documents
from campaigns.duplicates import groups
from campaigns.duplicates.groups import DuplicateFigures
from campaigns.duplicates.tasks import compare_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, TextSignature
from campaigns.pages.sentences.documents import duplicates_sentence, similarity_words
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

STORY = [f"word{n}" for n in range(60)]
NEAR = [*STORY[:-1], "other"]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Alike", opened=False)
    texts = {"a": STORY, "b": STORY, "c": NEAR, "d": NEAR[::-1], "e": NEAR[::-1], "f": ["alone"]}
    # The texts of runs' documents belong to the file.
    texts |= {docno: [docno] for docno in "ghijklmn"}
    records = [DocumentRecord(docno, "", " ".join(words)) for docno, words in texts.items()]
    store_documents(collection=campaign.collection, records=records, file="texts")
    compare_documents(campaign.collection_id)
    return campaign


def page(campaign: Campaign, query: str = "", name: str = "duplicates") -> str:
    address = reverse(f"campaigns:{name}", args=[campaign.slug])
    response = signed_in(f"{campaign.name}-ada").get(address + query)
    assert response.status_code == 200
    return response.content.decode()


def test_groups_are_listed_the_largest_first(campaign: Campaign) -> None:
    shown = page(campaign)
    assert "3 documents duplicate others in 2 groups." in shown
    assert "Same text: 2. Near-duplicates: 1." in shown
    assert 0 < shown.index("?docno=a&amp;docno=b") < shown.index("?docno=d&amp;docno=e")
    assert "same text" in shown
    assert "similarity 0.96" in shown


def test_groups_come_in_pages(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "GROUPS_ON_A_PAGE", 1)
    monkeypatch.setattr(groups, "MOST_LISTED", 1)
    first, second = page(campaign), page(campaign, "?page=2")
    assert "and 1 more" in first
    assert 'rel="next"' in first
    assert 'rel="prev"' not in first
    assert "docno=d&amp;docno=e" in second
    assert 'rel="next"' not in second


def test_two_documents_stand_side_by_side(campaign: Campaign) -> None:
    shown = page(campaign, "?docno=a&docno=c")
    assert "Similarity 0.96" in shown
    assert " ".join(STORY) in shown
    assert " ".join(NEAR) in shown


@pytest.mark.parametrize("query", ["?docno=a", "?docno=a&docno=zz", "?docno=a&docno=b&docno=c"])
def test_other_numbers_of_documents_are_not_found(campaign: Campaign, query: str) -> None:
    address = reverse("campaigns:duplicates", args=[campaign.slug])
    assert signed_in("Alike-ada").get(address + query).status_code == 404


def test_pages_require_organisers_and_only_read(campaign: Campaign) -> None:
    address = reverse("campaigns:duplicates", args=[campaign.slug])
    make_campaign("Other", {}, opened=False)
    assert signed_in("Alike-grace").get(address).status_code == 403
    assert signed_in("Other-ada").get(address).status_code == 404
    assert signed_in("Alike-ada").post(address).status_code == 405


def test_a_document_names_its_duplicates(campaign: Campaign) -> None:
    shown = page(campaign, "?docno=c", "document")
    assert "3 documents with this text or nearly this text" in shown
    assert "with this text" not in page(campaign, "?docno=f", "document")


def test_the_set_up_counts_duplicates(campaign: Campaign) -> None:
    assert "3 documents duplicate others in 2 groups." in page(campaign, name="setup")


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        (DuplicateFigures(2, 1, 1, compared=False), "The worker is still comparing texts."),
        (DuplicateFigures(0, 0, 0, compared=True), "No document duplicates another."),
        (DuplicateFigures(1, 1, 1, compared=True), "1 document duplicates another in 1 group."),
        (DuplicateFigures(1204, 7, 512, compared=True), "1,204 documents duplicate others in 512 groups."),
    ],
)
def test_sentence_of_duplicates(figures: DuplicateFigures, sentence: str) -> None:
    assert duplicates_sentence(figures) == sentence


def test_similarities_are_rounded_down() -> None:
    assert similarity_words(TextSignature(similarity=0.999)) == "similarity 0.99"
    assert similarity_words(TextSignature(similarity=1.0)) == "similarity 1.00"
    assert similarity_words(TextSignature(same=True, similarity=1.0)) == "same text"
