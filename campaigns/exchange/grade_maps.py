"""Qrels with other grades than the campaign's: what each of their grades becomes, or a scale made of them."""

from __future__ import annotations

import string
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext, ngettext

from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.formats.qrels import JUNK, NOT_JUDGED, Grade, ParsedQrels
from campaigns.log.current import scale_of
from campaigns.models import Campaign
from campaigns.setup.campaigns import change_settings

# A grade of the file → the campaign's; None leaves its lines out.
GradeMap = Mapping[int, int | None]
LEFT_OUT = "none"
_KEYS = string.digits + string.ascii_lowercase


@dataclass(frozen=True)
class GradeChoice:
    """Organiser's choice for a file's grades: a map of some, or to make them the campaign's scale."""

    map: GradeMap | None = None
    adopt: bool = False


AS_THEY_ARE = GradeChoice()


class OtherGrades(Refusal):
    """`suggested`: a map of the file's grades to the campaign's; `obstacle`: why they cannot be made its
    scale, empty if they can."""

    def __init__(self, campaign: Campaign, counts: Mapping[int, int], file: str) -> None:
        scale = scale_of(campaign)
        self.suggested = suggested_map(counts, scale)
        self.obstacle = adoption_obstacle(campaign)
        unknown = [grade for grade in sorted(counts) if grade > NOT_JUDGED and grade not in scale]
        count = sum(counts[grade] for grade in unknown)
        values = {
            "file": file,
            "grades": ", ".join(map(str, unknown)),
            "count": group_digits(count),
            "scale": ", ".join(map(str, scale)),
            "map": map_text(self.suggested),
            "why": self.obstacle,
        }
        if self.obstacle:
            words = ngettext(
                "%(file)s has grades that this campaign lacks: %(grades)s, in %(count)s judgment. Map them "
                "to its grades %(scale)s (suggested: %(map)s). The file’s grades cannot be used: %(why)s",
                "%(file)s has grades that this campaign lacks: %(grades)s, in %(count)s judgments. Map them "
                "to its grades %(scale)s (suggested: %(map)s). The file’s grades cannot be used: %(why)s",
                count,
            )
        else:
            words = ngettext(
                "%(file)s has grades that this campaign lacks: %(grades)s, in %(count)s judgment. Map them "
                "to its grades %(scale)s (suggested: %(map)s), or use the file’s grades",
                "%(file)s has grades that this campaign lacks: %(grades)s, in %(count)s judgments. Map them "
                "to its grades %(scale)s (suggested: %(map)s), or use the file’s grades",
                count,
            )
        super().__init__("other_grades", words % values, field="map", status=409)


def preview_of(campaign: Campaign, grades: Collection[int]) -> dict[str, Any] | None:
    """Choices for a file with some of these grades; None where the campaign has them all."""
    scale = scale_of(campaign)
    if all(grade in scale for grade in grades if grade >= 0):
        return None
    suggested = suggested_map(grades, scale)
    return {
        "grades": [{"grade": grade, "suggested": own} for grade, own in suggested.items()],
        "scale": scale,
        "obstacle": adoption_obstacle(campaign),
    }


def suggested_map(grades: Collection[int], scale: Collection[int]) -> dict[int, int | None]:
    """Suggest a map for a file's grades: 0 and below become the lowest of the scale, the others follow in
    their order, lowest to lowest above it and highest to highest. Where the file has a 0, -1 stays *not
    judged*.

    Examples
    --------
    >>> suggested_map([0, 1, 2, 3], [0, 1])
    {0: 0, 1: 1, 2: 1, 3: 1}
    >>> suggested_map([-1, 1, 2, 3, 4], [0, 1, 2])
    {-1: 0, 1: 1, 2: 1, 3: 2, 4: 2}
    """
    lowest, *above = sorted(scale)
    found: dict[int, int | None] = {}
    if NOT_JUDGED in grades:
        found[NOT_JUDGED] = None if 0 in grades else lowest
    if 0 in grades:
        found[0] = lowest
    relevant = sorted(grade for grade in grades if grade > 0)
    steps = max(len(relevant) - 1, 1)
    for place, grade in enumerate(relevant):
        found[grade] = above[(2 * place * (len(above) - 1) + steps) // (2 * steps)]
    return found


def map_text(grades: GradeMap) -> str:
    return ",".join(f"{file}={LEFT_OUT if own is None else own}" for file, own in grades.items())


def read_map(typed: Iterable[str]) -> dict[int, int | None]:
    """From `2=1` or `2=1,3=1`: a grade of the file and one of the campaign, or `none` to leave it out."""
    found: dict[int, int | None] = {}
    for pair in (part.strip() for one in typed for part in one.split(",") if part.strip()):
        file, _, own = (word.strip() for word in pair.partition("="))
        if not (_is_whole(file) and (own == LEFT_OUT or _is_whole(own))):
            words = gettext("“%(pair)s” is no pair of grades, such as 3=1, or 3=none to leave grade 3 out")
            raise _bad(words % {"pair": pair[:40]})
        if int(file) in found:
            raise _bad(gettext("grade %(grade)s is mapped twice") % {"grade": int(file)})
        found[int(file)] = None if own == LEFT_OUT else int(own)
    return found


def _is_whole(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) < 10


def _bad(detail: str) -> Refusal:
    return Refusal("bad_map", detail, field="map")


def chosen_grades(
    *, campaign: Campaign, parsed: ParsedQrels, file: str, choice: GradeChoice
) -> tuple[ParsedQrels, str, int]:
    """The file in the campaign's grades; the map that was used, empty without one; and how many judgments it
    left out. `adopt` changes the campaign's scale first. Grades that stay outside the scale are refused as
    `OtherGrades`."""
    counts = _counts(parsed)
    if choice.adopt and choice.map is not None:
        raise _bad(gettext("map the file’s grades or use them, not both"))
    used: GradeMap = choice.map or {}
    if choice.adopt:
        _adopt(campaign, counts)
        used = {NOT_JUDGED: 0} if NOT_JUDGED in counts and 0 not in counts else {}
    scale = scale_of(campaign)
    for grade, own in used.items():
        if own is not None and own != JUNK and own not in scale:
            values = {"grade": grade, "own": own, "scale": ", ".join(map(str, scale))}
            raise _bad(gettext("%(grade)s=%(own)s: the campaign has grades %(scale)s") % values)
    # Without a grade for it, -1 is not judged in any case.
    kept: Mapping[int, int | None] = {NOT_JUDGED: None}
    used = {grade: own for grade, own in used.items() if grade in counts and own != kept.get(grade, grade)}
    if any(used.get(grade, grade) not in {*scale, JUNK, NOT_JUDGED, None} for grade in counts):
        raise OtherGrades(campaign, counts, file)
    if not used:
        return parsed, "", 0
    return _mapped(parsed, used), map_text(used), sum(counts[grade] for grade in used if used[grade] is None)


def _counts(parsed: ParsedQrels) -> Counter[int]:
    counts = Counter(int(grade) for of_topic in parsed.grades.values() for grade in of_topic.values())
    if missing := sum(map(len, parsed.not_judged.values())):
        counts[NOT_JUDGED] = missing
    return counts


def _mapped(parsed: ParsedQrels, used: GradeMap) -> ParsedQrels:
    """Apply the map. Where -1 becomes a grade, rows have no line numbers any more: those of the rows not
    judged are unknown."""
    grades: dict[str, dict[str, Grade]] = {topic: {} for topic in (*parsed.grades, *parsed.not_judged)}
    lines: dict[str, array[int]] = {topic: array("i") for topic in parsed.lines}
    for line, topic, docno, grade in parsed.rows():
        own = used.get(int(grade), grade)
        if own is not None:
            grades[topic][docno] = own
            if line is not None:
                lines[topic].append(line)
    if (own := used.get(NOT_JUDGED)) is not None:
        lines = {}
        for topic, docnos in parsed.not_judged.items():
            grades[topic] |= dict.fromkeys(sorted(docnos), own)
    return replace(parsed, grades=grades, lines=lines)


def adoption_obstacle(campaign: Campaign) -> str:
    """Reason why the campaign's scale is fixed; empty if it is not."""
    if campaign.judgments.exists():
        return gettext("documents are judged by the campaign’s grades already")
    if campaign.training_items.exists() or campaign.guideline_examples.exists():
        return gettext("training or examples use the campaign’s grades already")
    return ""


def _adopt(campaign: Campaign, counts: Collection[int]) -> None:
    if obstacle := adoption_obstacle(campaign):
        words = gettext("The file’s grades cannot be used: %(why)s") % {"why": obstacle}
        raise Refusal("grade_in_use", words, field="use_grades", status=409)
    grades = sorted({0, *(grade for grade in counts if grade >= 0)})
    if len(grades) > len(_KEYS):
        raise _bad(gettext("the file has %(count)s grades: map them") % {"count": len(grades)})
    settings: dict[str, Any] = {"grades": _scale(grades)}
    if campaign.relevant_from not in grades:
        settings["relevant_from"] = None
    change_settings(campaign=campaign, **settings)


def _scale(grades: list[int]) -> list[dict[str, Any]]:
    """Gains rise evenly, as those of the scales to choose from."""
    keys = iter(key for key in _KEYS if key not in {str(grade) for grade in grades})
    return [
        {
            "grade": grade,
            "label": f"grade {grade}" if grade else "not relevant",
            "gain": round(place / max(len(grades) - 1, 1), 3),
            "key": str(grade) if grade < 10 else next(keys),
        }
        for place, grade in enumerate(grades)
    ]
