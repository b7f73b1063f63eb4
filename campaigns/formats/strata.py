"""Pools judged at different rates in their strata: five columns a line, `topic 0 docno stratum rel`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.grading import Grading
from campaigns.formats.judgment_lines import GRADE, judgment_lines
from campaigns.formats.qrels_rows import JUNK, NOT_JUDGED

_COLUMNS = 5
_DIGITS = 9


@dataclass(frozen=True)
class Pooled:
    """A document of the pool: its stratum as the file numbers it, and its grade, None where not judged."""

    stratum: int
    grade: int | None


Strata = Mapping[str, Mapping[str, Pooled]]


def read_strata(file: Path, grading: Grading) -> Strata:
    """Every topic's pool by docno. Of the grades, -1 is pooled and not judged, -2 junk.

    Raises FormatError listing every line that is not five such columns, repeats a document, or has a grade
    without a gain, and for a file without lines.
    """
    errors = ErrorList(str(file))
    strata: dict[str, dict[str, Pooled]] = {}
    for number, words in judgment_lines(file, errors, partial(_stratum_error, grading=grading)):
        topic, docno, grade = words[0].decode(), words[2].decode(), int(words[4])
        one = Pooled(int(words[3]), None if grade == NOT_JUDGED else grade)
        if strata.setdefault(topic, {}).setdefault(docno, one) is not one:
            errors.add(number, f"docno {quote(docno)} a second time in topic {quote(topic)}")
    if not strata and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    return strata


def _stratum_error(words: list[bytes], grading: Grading) -> str:
    if len(words) != _COLUMNS:
        return f"{len(words)} columns where sampled qrels have 5 (topic, 0, docno, stratum, rel)"
    if not words[3].isdigit() or len(words[3]) > _DIGITS:
        return f"stratum {quote(words[3])} is not a whole number from 0 on"
    if not GRADE.match(words[4]):
        return f"rel {quote(words[4])} is not a whole number"
    if int(words[4]) < JUNK:
        return f"rel {quote(words[4])} has no meaning: -1 is not judged, -2 is junk, nothing is lower"
    return grading.lacks(int(words[4]))
