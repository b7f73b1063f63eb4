"""Captions of search results."""

from __future__ import annotations

import pytest

from campaigns.collection.search import SearchPage
from campaigns.pages.sentences.documents import search_caption


@pytest.mark.parametrize(
    ("matching", "column", "caption"),
    [
        (0, "", "Found by docno"),
        (0, "length", "Found by docno"),
        (
            None,
            "length",
            "More than 10,000 documents match; only 10,000 of them are sorted. Add a rarer word to sort all.",
        ),
        (None, "", "More than 10,000 documents contain these words; add a rarer word to rank all of them."),
        (1, "length", "1 document matches"),
        (1200, "length", "1,200 documents match"),
        (1, "", "1 document contains these words"),
        (1200, "", "1,200 documents contain these words, the best match first"),
    ],
)
def test_caption_counts_what_was_found(matching: int | None, column: str, caption: str) -> None:
    assert search_caption(SearchPage([], matching, 1, True, False), column) == caption
