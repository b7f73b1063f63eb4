"""Steps of the set-up in words."""

from __future__ import annotations

import pytest

from campaigns.models import Campaign, Collection, Loading
from campaigns.pages.sentences.setup import (
    collection_sentence,
    loaded_sentence,
    loading_sentence,
    opening_sentence,
)


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        ("draft", "Everything is there."),
        ("paused", "The campaign is <strong>paused</strong>: no one can judge."),
        (
            "closed",
            "The campaign is <strong>closed</strong>; the judgments can be exported, and it can be opened "
            "again.",
        ),
    ],
)
def test_opening_is_introduced_by_the_status(status: str, sentence: str) -> None:
    assert opening_sentence(status) == sentence


@pytest.mark.parametrize(
    ("complete", "documents", "shared_with", "sentence"),
    [
        (True, 1, 0, "<strong>1</strong> document in “a&lt;b”"),
        (True, 1200, 0, "<strong>1,200</strong> documents in “a&lt;b”"),
        (False, 1, 0, "<strong>1</strong> document known by docno, without text"),
        (False, 2, 0, "<strong>2</strong> documents known by docno, without text"),
        (False, 0, 0, '<span class="soft">None yet.</span>'),
        (True, 2, 1, "<strong>2</strong> documents in “a&lt;b”; 1 other campaign shares them"),
        (True, 2, 3, "<strong>2</strong> documents in “a&lt;b”; 3 other campaigns share them"),
    ],
)
def test_collection_is_counted(complete: bool, documents: int, shared_with: int, sentence: str) -> None:
    campaign = Campaign(collection=Collection(name="a<b", complete=complete))
    assert collection_sentence(campaign, documents, shared_with) == sentence


@pytest.mark.parametrize(
    ("loading", "sentence"),
    [
        (Loading(), "Waiting for the worker."),
        (
            Loading(state="running", documents=1200, total=3000),
            "1,200 of 3,000 documents. You may leave the page.",
        ),
        (Loading(state="running", documents=1), "1 document so far. You may leave the page."),
        (Loading(state="running", documents=1200), "1,200 documents so far. You may leave the page."),
    ],
)
def test_loading_states_its_progress(loading: Loading, sentence: str) -> None:
    assert loading_sentence(loading) == sentence


@pytest.mark.parametrize(
    ("taken", "qrels", "sentence"),
    [
        ({"documents": 1}, False, "cranfield is loaded. 1 document"),
        ({"documents": 1200, "topics": 1}, False, "cranfield is loaded. 1,200 documents, 1 new topic"),
        (
            {"documents": 2, "topics": 2, "judgments": 1},
            True,
            "cranfield is loaded. 2 documents, 2 new topics, 1 new judgment",
        ),
        (
            {"documents": 2, "judgments": 1200},
            True,
            "cranfield is loaded. 2 documents, 1,200 new judgments",
        ),
    ],
)
def test_loaded_dataset_lists_what_it_brought(taken: dict[str, int], qrels: bool, sentence: str) -> None:
    assert loaded_sentence(Loading(name="cranfield", taken=taken, qrels=qrels)) == sentence
