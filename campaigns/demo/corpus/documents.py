from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# Fewer words than this tell an assessor hardly more than the name does.
FEWEST_WORDS = 8
_WORD = re.compile(r"[A-Za-z]{2,}")


@dataclass(frozen=True)
class Document:
    """One docstring: `docno` is the qualified name, `title` a signature, `body` plain text."""

    docno: str
    title: str
    body: str


def long_enough(body: str) -> bool:
    return len(_WORD.findall(body)) >= FEWEST_WORDS


def without_twins(documents: Iterable[Document]) -> list[Document]:
    """One document per text: an inherited or copied docstring counts for the shortest name it has."""
    chosen: dict[str, Document] = {}
    for document in sorted(documents, key=_nearest_to_the_top):
        chosen.setdefault(" ".join(document.body.split()), document)
    by_docno = {document.docno: document for document in reversed(chosen.values())}
    return [by_docno[docno] for docno in sorted(by_docno)]


def _nearest_to_the_top(document: Document) -> tuple[int, int, str]:
    return document.docno.count("."), len(document.docno), document.docno
