"""Known names of columns: a first line made of them is a header, not a record."""

from __future__ import annotations

from collections.abc import Iterable

_NUMBER = {"number", "num", "id", "_id"}
_TOPIC = {"qid", "query_id", "query-id", "queryid", "topic", "topic_id", "topic-id", "topicid", *_NUMBER}
_TEXT = {"query", "title", "text", "description", "desc", "narrative", "narr", "question", "keyword"}
_CORPUS = {"corpus-id", "corpus_id", "pid"}
_DOCNO = {"docno", "doc_id", "doc-id", "docid", "doc", "document", "document_id", *_CORPUS}
_ITERATION = {"q0", "iter", "iteration", "0"}
_GRADE = {"rel", "relevance", "grade", "label", "score", "judgment", "relevant"}
_RANK, _SCORE = {"rank"}, {"score", "sim", "similarity"}
_TAG = {"tag", "run", "run_id", "runid", "system", "name"}
_BODY = {"body", "contents", "content", "passage", "abstract", "url"}
TOPIC_COLUMNS = (_TOPIC, _TEXT)
DOCUMENT_COLUMNS, DOCUMENT_ONLY = (_DOCNO | {"id", "_id"}, _TEXT | _BODY), (_DOCNO | _BODY,)
# Of runs and qrels, the columns in their order.
QRELS_HEADER = (_TOPIC, _ITERATION, _DOCNO, _GRADE)
RUN_HEADER = (_TOPIC, _ITERATION, _DOCNO, _RANK, _SCORE, _TAG)


def header_of(line: bytes, roles: Iterable[set[str]], *, mark: str | None = "\t") -> list[str] | None:
    """The names in a first line; None unless each is different, and one of each role is among them.

    >>> header_of(b"qid\\tquery\\tlang", TOPIC_COLUMNS)
    ['qid', 'query', 'lang']
    >>> header_of(b"1\\tquery", TOPIC_COLUMNS)
    """
    names = [name.strip() for name in line.decode("utf-8", "replace").strip().split(mark)]
    lower = {name.lower() for name in names}
    if len(lower) < len(names) or "" in lower:
        return None
    return names if all(lower & role for role in roles) else None


def is_header(words: list[bytes], columns: tuple[set[str], ...]) -> bool:
    """True if the words of a line are known names of the columns, in their order."""
    return len(words) == len(columns) and all(
        word.lower().decode("utf-8", "replace") in names for word, names in zip(words, columns, strict=True)
    )
