"""The scale as the form writes it: a preset, or rows of grade, label, gain and key."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from campaigns.core.errors import Refused
from campaigns.models.campaign import three_grades

Grades = list[dict[str, Any]]

CUSTOM = "custom"


def two_grades() -> Grades:
    return [
        {"grade": 0, "label": "not relevant", "gain": 0.0, "key": "0"},
        {"grade": 1, "label": "relevant", "gain": 1.0, "key": "1"},
    ]


PRESETS = {"two": two_grades, "three": three_grades}


def preset_of(grades: Grades) -> str:
    return next((name for name, make in PRESETS.items() if make() == grades), CUSTOM)


def read_grades(posted: QueryDict) -> Grades:
    preset = posted.get("scale", "three")
    if preset in PRESETS:
        return PRESETS[preset]()
    columns = [posted.getlist(name) for name in ("grade", "label", "gain", "key")]
    rows = [_row(*cells) for cells in zip(*columns, strict=False) if any(cell.strip() for cell in cells)]
    return sorted(rows, key=lambda row: row["grade"])


def _decimal(text: str) -> float:
    """Half of the world writes a comma."""
    return float(text.replace(",", ".", 1))


def _row(grade: str, label: str, gain: str, key: str) -> dict[str, Any]:
    try:
        return {"grade": int(grade), "label": label.strip(), "gain": _decimal(gain), "key": key.strip()}
    except ValueError:
        detail = gettext(
            "a grade is a whole number and its gain a number, not “%(grade)s” and “%(gain)s”"
        ) % {"grade": grade, "gain": gain}
        raise Refused("bad_grades", detail, field="grades") from None
