"""Texts as term weights, for methods that read documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.db import connection
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer

from campaigns.collection.terms import features, plain
from campaigns.models import Campaign, Document, Topic
from selection.framework.interface import Texts
from selection.pool import Ids

# The most frequent terms are kept. An idea of the size: 8 bytes for each different term of each document.
MAX_TERMS = 2**18
TEXT_CHUNK = 500


@dataclass(frozen=True, eq=False)
class ReadDocuments:
    """documents : int32 (n,), in the order they were read; vectors : csr float32 (n, terms)."""

    documents: Ids
    vectors: csr_array
    vectorizer: Any

    def with_topics(self, topics: Sequence[str]) -> Texts:
        if not topics:
            none = csr_array(np.zeros((0, self.vectors.shape[1]), dtype=np.float32))
            return Texts(self.documents, self.vectors, none)
        return Texts(self.documents, self.vectors, csr_array(self.vectorizer.transform(topics)))


def read_documents(documents: Iterable[tuple[int, str]]) -> ReadDocuments:
    """Term weights of documents, given with their ids in ascending order and read one at a time.

    A weight is (1 + ln tf) idf, a document's weights are of length 1, terms are those of `features`.
    Raises ValueError if no document holds a word.
    """
    ids: list[int] = []

    def texts() -> Iterator[str]:
        for document, text in documents:
            ids.append(document)
            yield text

    vectorizer = TfidfVectorizer(
        analyzer=features, sublinear_tf=True, max_features=MAX_TERMS, dtype=np.float32
    )
    try:
        vectors = csr_array(vectorizer.fit_transform(texts()))
    except ValueError as error:
        if "empty vocabulary" in str(error):
            raise ValueError(f"none of the {len(ids)} documents holds a word") from error
        raise
    return ReadDocuments(np.array(ids, dtype=np.int32), vectors, vectorizer)


def load_texts(campaign: Campaign) -> Texts:
    """Load the texts of the campaign's collection and topics, these in their order.

    Raises ValueError if none of the collection's documents has text.
    """
    read = _of_collection(campaign.collection_id, _edition(campaign.collection_id))
    topics = Topic.objects.filter(campaign=campaign).order_by("position")
    rows = topics.values_list("title", "description", "narrative")
    return read.with_topics(["\n".join(parts) for parts in rows])


# One collection, so that not every worker's start and every look at a topic reads it again.
@lru_cache(maxsize=1)
def _of_collection(collection: int, edition: tuple[int, int]) -> ReadDocuments:
    rows = Document.objects.filter(collection_id=collection).order_by("id")
    columns = rows.values_list("id", "title", "body", "content_type").iterator(chunk_size=TEXT_CHUNK)
    return read_documents((id_, f"{title}\n{plain(body, kind)}") for id_, title, body, kind in columns)


def _edition(collection: int) -> tuple[int, int]:
    """Another one whenever a document came, went or was given another text."""
    with connection.cursor() as cursor:
        # A row's xmin is the transaction that wrote it last; no text needs to be read to add them up.
        cursor.execute(
            "SELECT count(*), coalesce(sum(xmin::text::bigint), 0) FROM campaigns_document"
            " WHERE collection_id = %s",
            [collection],
        )
        count, written = cursor.fetchone()
    return int(count), int(written)
