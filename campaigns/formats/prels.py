"""Sampled judgments, five columns a line: prels (`topic docno rel method iprob`) and sampled qrels.

Sampled qrels (`topic 0 docno stratum rel`) hold pools that were judged at different rates in their strata.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from pathlib import Path

from campaigns.formats.errors import ErrorList, check_name, quote
from campaigns.formats.grading import Grading
from campaigns.formats.lines import GRADE, judgment_lines
from campaigns.formats.qrels import JUNK, NOT_JUDGED, Grade

_COLUMNS = 5
# 4 is a method of others, which is read and not written.
PREL_METHODS = (0, 1, 2, 4)
NOT_JUDGED_PREL = -999

_DIGITS = 9


class PrelMethod(IntEnum):
    """Way in which a document came to be judged: the fourth column."""

    OTHERWISE = 0
    SAMPLE = 1
    BOTH = 2


# Documents that were certain to be judged, whatever the fifth column says.
_CERTAIN = (PrelMethod.OTHERWISE, PrelMethod.BOTH)


@dataclass(frozen=True, slots=True)
class SampledJudgment:
    """A judgment and the probability, in (0, 1], with which its document was drawn. `method`: the fourth
    column."""

    grade: int
    inclusion: float
    method: int = PrelMethod.SAMPLE


SampledJudgments = Mapping[str, Mapping[str, SampledJudgment]]


def read_prels(file: Path, grading: Grading) -> SampledJudgments:
    """The judgments drawn, by topic and docno.

    Documents that MTC chose were certain to be judged: probability 1, whatever the line says. Left out, as
    the published program does: grades of -999 and below, probabilities that are NA or outside [0, 1], and
    topics in which MTC chose every document, for they are no sample.

    Raises FormatError listing every line that is not five such columns, repeats a document,
    has a grade without a gain or was drawn with probability 0; a file of more than a million lines or 64 MiB
    unpacked, and one without lines.
    """
    errors = ErrorList(str(file))
    drawn: dict[str, dict[str, SampledJudgment]] = {}
    sampled: set[str] = set()
    number = 0
    for number, words in judgment_lines(file, errors, partial(_what_is_wrong_with_prel, grading=grading)):
        topic, docno = words[0].decode(), words[1].decode()
        if int(words[3]) != PrelMethod.OTHERWISE:
            sampled.add(topic)
        if (one := _drawn(words)) is None:
            continue
        if drawn.setdefault(topic, {}).setdefault(docno, one) is not one:
            errors.add(number, f"docno {quote(docno)} a second time in topic {quote(topic)}", "docno")
    if not number and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    return {topic: of_topic for topic, of_topic in drawn.items() if topic in sampled}


def _drawn(words: list[bytes]) -> SampledJudgment | None:
    grade, method = int(words[2]), int(words[3])
    if grade <= NOT_JUDGED_PREL:
        return None
    if method in _CERTAIN:
        return SampledJudgment(grade, 1.0, method)
    inclusion = _probability(words[4])
    return None if inclusion is None or not 0 < inclusion <= 1 else SampledJudgment(grade, inclusion, method)


def _probability(word: bytes) -> float | None:
    return None if word == b"NA" else float(word)


def _what_is_wrong_with_prel(words: list[bytes], grading: Grading) -> tuple[str, str] | None:
    if len(words) != _COLUMNS:
        return "", f"{len(words)} columns where prels have 5 (topic, docno, rel, method, iprob)"
    if not GRADE.match(words[2]):
        return "rel", f"rel {quote(words[2])} is not a whole number"
    if not words[3].isdigit() or int(words[3]) not in PREL_METHODS:
        return "method", f"method {quote(words[3])} is not 0, 1, 2 or 4"
    try:
        probability = _probability(words[4])
    except ValueError:
        return "iprob", f"iprob {quote(words[4])} is neither a number nor NA"
    if probability == 0 and int(words[3]) not in _CERTAIN:
        return "iprob", "a document cannot be drawn with probability 0"
    lacks = grading.lacks(int(words[2]))
    return ("rel", lacks) if lacks else None


def format_prel(topic: str, docno: str, grade: int, method: PrelMethod, inclusion: float) -> str:
    """One judgment as a line, its newline included; the probability is read back to the last bit.

    `ValueError` for a name that a line cannot hold, or a probability outside (0, 1].
    """
    check_name("topic", topic)
    check_name("docno", docno)
    if not 0 < inclusion <= 1:
        raise ValueError(f"inclusion probability {inclusion} of {docno} is outside (0, 1]")
    return f"{topic} {docno} {grade} {method.value} {float(inclusion)!r}\n"


@dataclass(frozen=True, slots=True)
class PooledDocument:
    """A document of the pool: its stratum as the file numbers it, and its grade, None where not judged."""

    stratum: int
    grade: int | None


Strata = Mapping[str, Mapping[str, PooledDocument]]


def read_strata(file: Path, grading: Grading) -> Strata:
    """Every topic's pool by docno. Of the grades, -1 is pooled and not judged, -2 junk.

    Raises FormatError listing every line that is not five such columns, repeats a document, or has a grade
    without a gain; a file of more than a million lines or 64 MiB unpacked, and one without lines.
    """
    errors = ErrorList(str(file))
    strata: dict[str, dict[str, PooledDocument]] = {}
    for number, words in judgment_lines(file, errors, partial(_what_is_wrong_with_stratum, grading=grading)):
        topic, docno, grade = words[0].decode(), words[2].decode(), int(words[4])
        one = PooledDocument(int(words[3]), None if grade == NOT_JUDGED else grade)
        if strata.setdefault(topic, {}).setdefault(docno, one) is not one:
            errors.add(number, f"docno {quote(docno)} a second time in topic {quote(topic)}", "docno")
    if not strata and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    return strata


def format_stratum(topic: str, docno: str, stratum: int, grade: Grade | None) -> str:
    """One pooled document as a line, its newline included; None is not judged.

    `ValueError` for a name that a line cannot hold.
    """
    check_name("topic", topic)
    check_name("docno", docno)
    return f"{topic} 0 {docno} {stratum} {NOT_JUDGED if grade is None else grade}\n"


def _what_is_wrong_with_stratum(words: list[bytes], grading: Grading) -> tuple[str, str] | None:
    if len(words) != _COLUMNS:
        return "", f"{len(words)} columns where sampled qrels have 5 (topic, 0, docno, stratum, rel)"
    if not words[3].isdigit() or len(words[3]) > _DIGITS:
        return "stratum", f"stratum {quote(words[3])} is not a whole number from 0 on"
    if not GRADE.match(words[4]):
        return "rel", f"rel {quote(words[4])} is not a whole number"
    if int(words[4]) < JUNK:
        return "rel", f"rel {quote(words[4])} has no meaning: -1 is not judged, -2 is junk, nothing is lower"
    lacks = grading.lacks(int(words[4]))
    return ("rel", lacks) if lacks else None
