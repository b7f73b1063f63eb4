"""Settings of studies as requests give them: checked, and all that a study reads named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, get_args, get_origin, get_type_hints

from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.lab.studies.registry import STUDIES
from selection.registry import PLANNABLE_METHODS
from selection.studies.interface import StudySettings
from selection.topics.measures import VARIANCES

MOST_VALUES = 50
# Bounds of whole numbers that have others than 1 and the largest number of a database's column.
LEAST = {"trials": 2, "seed": 0}
MOST = {"trials": 1000}
LARGEST = 2**31 - 1
# A week in minutes.
MOST_COST = 10_080
HINTS: Mapping[str, Any] = get_type_hints(StudySettings)
DEFAULTS = StudySettings()


def settings_of(study: str, given: Mapping[str, Any]) -> StudySettings:
    """Raises Refusal for a setting that the study does not read, or whose value is out of range."""
    if study not in STUDIES:
        words = gettext("no study is called “%(name)s”; there are %(there)s")
        detail = words % {"name": study[:60], "there": ", ".join(STUDIES)}
        raise Refusal("unknown_study", detail, field="study")
    uses = STUDIES[study].kernel.uses
    for name in given:
        if name not in uses:
            words = gettext("%(study)s does not read the setting %(name)s")
            raise Refusal(
                "unknown_setting", words % {"study": study, "name": str(name)[:60]}, field="settings"
            )
    return StudySettings(**{name: _value(name, value) for name, value in given.items()})


def stored(study: str, settings: StudySettings) -> dict[str, Any]:
    """Every setting that the study reads, as JSON."""
    values = asdict(settings)
    return {
        name: list(values[name]) if isinstance(values[name], tuple) else values[name]
        for name in STUDIES[study].kernel.uses
    }


def restored(values: Mapping[str, Any]) -> StudySettings:
    """From `stored`; a setting that a later version no longer has is left out."""
    there = {field.name for field in fields(StudySettings)}
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
        if name in there
    }
    return StudySettings(**settings)


def typed(name: str, text: str) -> Any:
    """A setting as a form gives it: several values are separated by spaces or commas."""
    kind = HINTS[name]
    words = text.replace(",", " ").split()
    if get_origin(kind) is tuple:
        return [_number(name, word, get_args(kind)[0]) for word in words]
    return _number(name, text.strip(), kind)


def as_text(value: Any) -> str:
    """For a form or a command line."""
    if isinstance(value, list | tuple):
        return ",".join(as_text(one) for one in value)
    return repr(value) if isinstance(value, float) else str(value)


def _number(name: str, word: str, kind: type) -> Any:
    try:
        return kind(word)
    except ValueError:
        raise _bad(name, gettext("%(name)s: “%(word)s” is not a number"), word=word[:40]) from None


def _value(name: str, value: Any) -> Any:
    kind = HINTS[name]
    if get_origin(kind) is not tuple:
        return _one(name, value, kind)
    if not isinstance(value, list | tuple):
        raise _bad(name, gettext("%(name)s is a list"))
    if len(value) > MOST_VALUES:
        raise _bad(name, gettext("%(name)s has at most %(most)s values"), most=MOST_VALUES)
    values = dict.fromkeys(_one(name, one, get_args(kind)[0]) for one in value)
    # Names keep their order; numbers ascend.
    return tuple(values) if get_args(kind)[0] is str else tuple(sorted(values))


def _one(name: str, value: Any, kind: type) -> Any:
    return CHECKS_BY_NAME.get(name, CHECKS[kind])(name, value)


def _whole(name: str, value: Any) -> int:
    least, most = LEAST.get(name, 1), MOST.get(name, LARGEST)
    if type(value) is not int or not least <= value <= most:
        words = gettext("%(name)s is a whole number from %(least)s to %(most)s, not %(value)s")
        raise _bad(name, words, least=least, most=most, value=str(value)[:40])
    return value


def _amount(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= MOST_COST:
        words = gettext("%(name)s is a number from 0 to %(most)s, not %(value)s")
        raise _bad(name, words, most=MOST_COST, value=str(value)[:40])
    return float(value)


def _fraction(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 < value < 1:
        words = gettext("%(name)s is a number between 0 and 1, not %(value)s")
        raise _bad(name, words, value=str(value)[:40])
    return float(value)


def _method(name: str, value: Any) -> str:
    if value not in PLANNABLE_METHODS:
        words = gettext("no method that replays is called “%(value)s”; there are %(there)s")
        raise _bad(name, words, value=str(value)[:40], there=", ".join(PLANNABLE_METHODS))
    return str(value)


def _variance(name: str, value: Any) -> str:
    if value not in VARIANCES:
        words = gettext("%(name)s is one of %(there)s, not %(value)s")
        raise _bad(name, words, there=", ".join(VARIANCES), value=str(value)[:40])
    return str(value)


CHECKS: Mapping[type, Callable[[str, Any], Any]] = {int: _whole, float: _fraction, str: _method}
CHECKS_BY_NAME: Mapping[str, Callable[[str, Any], Any]] = {
    "variance": _variance,
    "minutes_per_topic": _amount,
    "seconds_per_judgment": _amount,
}


def _bad(name: str, words: str, **values: Any) -> Refusal:
    return Refusal("bad_setting", words % {"name": name, **values}, field=name)
