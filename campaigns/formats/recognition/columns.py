"""Known names of columns: a first line made of them is a header, not a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Roles = Mapping[str, tuple[str, ...]]

DOCNOS = (
    *("docno", "_id", "id", "doc_id", "docid", "cord_uid", "pid", "passage_id", "document_id", "paper_id"),
    *("clueweb22_id", "doc_no", "uid", "uuid", "put", "corpus_id"),
)
TEXTS = (
    *("text", "segment", "passage", "content", "contents", "body", "body_text", "abstract", "full_text"),
    *("fulltext", "article", "paragraph", "chunk", "clean_text", "maintext", "summary", "description"),
)
TITLES = (
    *("title", "document_title", "page_title", "wikipedia_title", "headline", "headings", "heading"),
    *("name", "subject"),
)
# Programs put a record's own fields into an object: Elasticsearch, Vespa, BEIR.
WRAPPERS = ("_source", "fields", "metadata")
# Roles of the columns of a table, that which names a record first; of each, the preferred names first.
TOPIC_ROLES: Roles = {
    "number": (
        *("number", "num", "qid", "query_id", "queryid", "topic_id", "topicid", "_id", "id", "topic"),
    ),
    "title": ("title", "query", "text", "topic", "keyword"),
    "description": ("description", "desc", "question", "text"),
    "narrative": ("narrative", "narr"),
}
DOCUMENT_ROLES: Roles = {"docno": (*DOCNOS, "doc", "document"), "text": TEXTS, "title": TITLES}
# Names that only one of the two kinds has.
_OF_TOPICS = {"query", "question", "keyword", "narrative", "narr", "qid", "query_id", "queryid", "topic_id"}
_OF_DOCUMENTS = {*DOCUMENT_ROLES["docno"], *TEXTS} - {"id", "_id", "text", "description", "summary"}
_NUMBER = {"number", "num", "id", "_id"}
_TOPIC = {"qid", "query_id", "query-id", "queryid", "topic", "topic_id", "topic-id", "topicid", *_NUMBER}
_CORPUS = {"corpus-id", "corpus_id", "pid"}
_DOCNO = {"docno", "doc_id", "doc-id", "docid", "doc", "document", "document_id", *_CORPUS}
_ITERATION = {"q0", "iter", "iteration", "0"}
_GRADE = {"rel", "relevance", "grade", "label", "score", "judgment", "relevant"}
_RANK, _SCORE = {"rank"}, {"score", "sim", "similarity"}
_TAG = {"tag", "run", "run_id", "runid", "system", "name"}
# Of runs and qrels, the columns in their order.
QRELS_HEADER = (_TOPIC, _ITERATION, _DOCNO, _GRADE)
RUN_HEADER = (_TOPIC, _ITERATION, _DOCNO, _RANK, _SCORE, _TAG)


@dataclass(frozen=True)
class TableHeader:
    """Names of columns, and the place of each role that one of them has."""

    names: list[str]
    places: dict[str, int]


def table_header(line: bytes, roles: Roles) -> TableHeader | None:
    """The header of a table of topics or documents; None unless it names records and a text of them.

    >>> table_header(b"id\\ttopic\\tnarrative", TOPIC_ROLES).places
    {'number': 0, 'title': 1, 'narrative': 2}
    >>> table_header(b"1\\tquery", TOPIC_ROLES)
    """
    names = [name.strip().strip('"') for name in line.decode("utf-8", "replace").strip().split("\t")]
    plain = [name.lower().replace("-", "_") for name in names]
    if "" in plain or len({*plain}) < len(plain):
        return None
    places: dict[str, int] = {}
    for role, known in roles.items():
        free = (plain.index(name) for name in known if name in plain)
        place = next((place for place in free if place not in places.values()), None)
        if place is None and not places:
            return None
        if place is not None:
            places[role] = place
    return TableHeader(names, places) if len(places) > 1 else None


def table_kinds(line: bytes) -> tuple[bool, bool]:
    """True for topics, and for documents, if a first line can be the header of a table of these."""
    topics, documents = (table_header(line, roles) is not None for roles in (TOPIC_ROLES, DOCUMENT_ROLES))
    if topics and documents:
        names = {name.strip().strip('"') for name in line.decode("utf-8", "replace").lower().split("\t")}
        plain = {name.replace("-", "_") for name in names}
        if bool(plain & _OF_TOPICS) != bool(plain & _OF_DOCUMENTS):
            return bool(plain & _OF_TOPICS), bool(plain & _OF_DOCUMENTS)
    return topics, documents


def is_header(words: list[bytes], columns: tuple[set[str], ...]) -> bool:
    """True if the words of a line are known names of the columns, in their order."""
    return len(words) == len(columns) and all(
        word.lower().decode("utf-8", "replace") in names for word, names in zip(words, columns, strict=True)
    )
