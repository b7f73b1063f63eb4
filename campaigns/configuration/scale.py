"""A scale of grades: its labels, and checks of the scale and of the lowest relevant grade."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.formats.qrels import JUNK

FIELDS = {"grade", "label", "gain", "key"}
# What the grade means, for assessors, and whether they are asked for a note with it.
OPTIONAL_FIELDS = {"definition", "note"}
LONGEST_DEFINITION = 500


def grade_labels(grades: Sequence[dict[str, Any]]) -> dict[int | None, str]:
    """The label of each grade of the scale, and of junk."""
    return {row["grade"]: row["label"] for row in grades} | {JUNK: gettext("junk")}


def check_grades(rows: Sequence[dict[str, Any]]) -> None:
    """A scale: at least two grades, ascending, named, gains in [0, 1] that never fall, one key each."""
    if not isinstance(rows, list) or len(rows) < 2:
        raise _bad(gettext("a scale needs at least two grades"))
    for row in rows:
        _check_row(row)
    grades = [row["grade"] for row in rows]
    gains = [row["gain"] for row in rows]
    keys = [row["key"].lower() for row in rows]
    if grades != sorted(set(grades)):
        raise _bad(gettext("grades are different whole numbers, in ascending order"))
    if gains != sorted(gains) or gains[-1] <= 0:
        raise _bad(gettext("each gain must be at least the one before it, and the highest above 0"))
    if len(set(keys)) < len(keys):
        raise _bad(gettext("each grade has a key of its own"))


def check_relevant_from(lowest: int | None, rows: Sequence[dict[str, Any]]) -> None:
    """The lowest relevant grade, if one is named, is worth more than every grade below it."""
    if lowest is None:
        return
    gains = {row["grade"]: row["gain"] for row in rows}
    if lowest not in gains:
        there = ", ".join(map(str, gains))
        raise _not_relevant(
            gettext("the scale has no grade %(lowest)s to count as relevant from; it has %(there)s")
            % {"lowest": lowest, "there": there}
        )
    if gains[lowest] <= max([0, *(gain for grade, gain in gains.items() if grade < lowest)]):
        raise _not_relevant(
            gettext("grade %(lowest)s is worth no more than a grade that does not count as relevant")
            % {"lowest": lowest}
        )


def _check_row(row: Any) -> None:
    if not isinstance(row, dict) or set(row) - OPTIONAL_FIELDS != FIELDS:
        raise _bad(gettext("each grade has a grade, a label, a gain and a key"))
    if type(row["grade"]) is not int or not 0 <= row["grade"] <= 99:
        raise _bad(
            gettext("a grade is a whole number from 0 to 99, not %(grade)s") % {"grade": repr(row["grade"])}
        )
    if type(row["gain"]) not in (int, float) or not math.isfinite(row["gain"]) or not 0 <= row["gain"] <= 1:
        raise _bad(gettext("a gain lies between 0 and 1, not at %(gain)s") % {"gain": repr(row["gain"])})
    if not _is_word(row["label"], longest=100):
        raise _bad(
            gettext("grade %(grade)s needs a label of at most 100 printable characters")
            % {"grade": row["grade"]}
        )
    definition = row.get("definition", "")
    if not isinstance(definition, str) or len(definition) > LONGEST_DEFINITION or "\0" in definition:
        raise _bad(
            gettext("the definition of grade %(grade)s has at most %(most)s characters")
            % {"grade": row["grade"], "most": LONGEST_DEFINITION}
        )
    if type(row.get("note", False)) is not bool:
        raise _bad(
            gettext("whether grade %(grade)s asks for a note is true or false") % {"grade": row["grade"]}
        )
    if not _is_word(row["key"], longest=1):
        raise _bad(gettext("the key of grade %(grade)s is one character") % {"grade": row["grade"]})


def _is_word(value: Any, *, longest: int) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= len(value) <= longest


def _not_relevant(detail: str) -> Refusal:
    return Refusal("bad_relevant_from", detail, field="relevant_from")


def _bad(detail: str) -> Refusal:
    return Refusal("bad_grades", detail, field="grades")
