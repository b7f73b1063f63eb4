"""Judgments of subtopics, four columns a line: `topic subtopic docno rel`, as in TREC's diversity tasks."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.lines import GRADE, judgment_lines

_COLUMNS = 4
# By topic and docno, the subtopics that the document is relevant to.
Subtopics = Mapping[str, Mapping[str, Set[str]]]


def read_subtopics(file: Path) -> Subtopics:
    """The subtopics of each judged document, by topic and docno: those with a grade above 0.

    Raises FormatError listing every line that is not four such columns or repeats a document in a subtopic;
    a file of more than a million lines or 64 MiB unpacked, and one without lines.
    """
    errors = ErrorList(str(file))
    found: dict[str, dict[str, set[str]]] = {}
    judged: set[tuple[str, str, str]] = set()
    for number, words in judgment_lines(file, errors, _what_is_wrong):
        topic, subtopic, docno = (word.decode() for word in words[:3])
        if (topic, subtopic, docno) in judged:
            where = f"subtopic {quote(subtopic)} of topic {quote(topic)}"
            errors.add(number, f"docno {quote(docno)} a second time in {where}", "docno")
        judged.add((topic, subtopic, docno))
        of_document = found.setdefault(topic, {}).setdefault(docno, set())
        if int(words[3]) > 0:
            of_document.add(subtopic)
    if not judged and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    return found


def _what_is_wrong(words: list[bytes]) -> tuple[str, str] | None:
    if len(words) != _COLUMNS:
        return "", f"{len(words)} columns where judgments of subtopics have 4 (topic, subtopic, docno, rel)"
    if not GRADE.match(words[3]):
        return "rel", f"rel {quote(words[3])} is not a whole number"
    return None
