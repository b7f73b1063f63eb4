from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from campaigns.demo.corpus import Document
from campaigns.demo.index import Index, build_index, count_words
from campaigns.demo.tokens import four_grams, stem

NAME_WEIGHT, SUMMARY_WEIGHT = 8, 3


@dataclass(frozen=True)
class Indexes:
    """The collection, indexed in the ways that its rankers ask for."""

    stems: Index
    exact: Index
    grams: Index
    # Names and signatures only, without the texts.
    names: Index
    # Everything, a word of the name or of the first sentence counting several times.
    fields: Index


def build_indexes(
    documents: Sequence[Document], progress: Callable[[float], None] = lambda share: None
) -> Indexes:
    """Words are counted once for each part of the documents; all indexes are sums of those counts."""
    parts = [part for document in documents for part in _parts(document)]
    counts, vocabulary = count_words(parts)
    progress(0.5)
    names, summaries, rest = counts[0::3], counts[1::3], counts[2::3]
    everything = names + summaries + rest
    weighted = NAME_WEIGHT * names + SUMMARY_WEIGHT * summaries + rest
    return Indexes(
        stems=build_index(everything, vocabulary, lambda word: [stem(word)]),
        exact=build_index(everything, vocabulary, lambda word: [word]),
        grams=build_index(everything, vocabulary, four_grams),
        names=build_index(names, vocabulary, lambda word: [stem(word)]),
        fields=build_index(weighted, vocabulary, lambda word: [stem(word)]),
    )


def _parts(document: Document) -> tuple[str, str, str]:
    """The name with its parameters, the first paragraph, and the rest."""
    summary, _, rest = document.body.partition("\n\n")
    return document.title, summary, rest
