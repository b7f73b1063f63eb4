"""An inverted index as sparse matrices: documents by terms, as many times as a term occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from campaigns.demo.tokens import words

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]
# From a word of the text to the terms it is searched by: its stem, itself, pieces of it.
Analyser = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Index:
    """`counts` has shape (documents, terms), float64, CSC; `terms` maps each term to its column."""

    counts: sparse.csc_array
    terms: dict[str, int]
    analyse: Analyser

    @cached_property
    def lengths(self) -> Floats:
        """Terms in each document, shape (documents,)."""
        return np.asarray(self.counts.sum(axis=1), dtype=float)

    @cached_property
    def document_frequencies(self) -> Floats:
        """Documents with each term, shape (terms,)."""
        return np.diff(self.counts.indptr).astype(float)

    @cached_property
    def collection_frequencies(self) -> Floats:
        """Occurrences of each term, shape (terms,)."""
        return np.asarray(self.counts.sum(axis=0), dtype=float)

    def queries(self, texts: Sequence[str]) -> sparse.csr_array:
        """How often each text has each term of the index, shape (texts, terms)."""
        counted = [
            Counter(
                self.terms[term] for word in words(text) for term in self.analyse(word) if term in self.terms
            )
            for text in texts
        ]
        ends = np.cumsum([0, *map(len, counted)])
        columns = np.fromiter(chain.from_iterable(counted), dtype=np.int64)
        values = np.fromiter(chain.from_iterable(each.values() for each in counted), dtype=float)
        return sparse.csr_array((values, columns, ends), shape=(len(texts), len(self.terms)))

    def _columns(self, text: str) -> Iterator[int]:
        found = chain.from_iterable(map(self.analyse, words(text)))
        return (self.terms[term] for term in found if term in self.terms)


def count_words(texts: Iterable[str]) -> tuple[sparse.csr_array, list[str]]:
    """Occurrences of each word in each text, shape (texts, words), and the words, ascending."""
    numbers: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    for text in texts:
        columns += [numbers.setdefault(word, len(numbers)) for word in words(text)]
        ends.append(len(columns))
    vocabulary = sorted(numbers)
    place = np.empty(len(numbers), dtype=np.int64)
    place[[numbers[word] for word in vocabulary]] = np.arange(len(numbers))
    occurrences = (np.ones(len(columns)), place[np.array(columns, dtype=np.int64)], np.array(ends))
    counts = sparse.csr_array(occurrences, shape=(len(ends) - 1, len(numbers)))
    counts.sum_duplicates()
    return counts, vocabulary


def build_index(counts: sparse.csr_array, vocabulary: Sequence[str], analyse: Analyser) -> Index:
    """Sum the columns of words that share a term; a word with several terms counts for each."""
    terms_of = [analyse(word) for word in vocabulary]
    terms = {term: column for column, term in enumerate(sorted(set(chain.from_iterable(terms_of))))}
    rows = np.repeat(np.arange(len(vocabulary)), [len(each) for each in terms_of])
    columns = np.fromiter((terms[term] for each in terms_of for term in each), dtype=np.int64)
    shape = (len(vocabulary), len(terms))
    merge = sparse.csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)
    return Index(sparse.csc_array(counts @ merge), terms, analyse)
