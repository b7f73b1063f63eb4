"""Options of methods: a frozen dataclass each, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar, get_type_hints

from evaluation.name_suggestions import nearest_name

OptionsT = TypeVar("OptionsT")


@dataclass(frozen=True)
class NoOptions:
    """Options of a method that has none."""


def make_options(kind: type[OptionsT], given: Mapping[str, object], method: str) -> OptionsT:
    """The options of that kind, from values or from words such as a command line gives.

    Raises ValueError naming the option for one that is not known, or whose value is not of its type or
    outside its range.
    """
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # always a dataclass
    for name in given:
        if name not in known:
            listed = ", ".join(known) or "no options"
            meant = nearest_name(name, known)
            has = f"did you mean {meant}? It has {listed}" if meant else f"it has {listed}"
            raise ValueError(f"method {method} has no option {name!r}; {has}")
    return kind(**{name: _value(name, value, hints[name]) for name, value in given.items()})


def _value(name: str, value: object, kind: Any) -> object:
    """Only from a word, and only to the type that the field has: 1 is a float, "1" too, True is not."""
    kinds = [one for one in getattr(kind, "__args__", (kind,)) if one in (int, float, str, bool)] or [str]
    for one in kinds:
        if isinstance(value, bool) != (one is bool) and not isinstance(value, str):
            continue
        if type(value) is one:
            return value
        if one is float and isinstance(value, int):
            return float(value)
        if isinstance(value, str) and one is not bool:
            try:
                return one(value)
            except ValueError:
                continue
        if isinstance(value, str) and one is bool and value in ("true", "false"):
            return value == "true"
    if value is None and type(None) in getattr(kind, "__args__", ()):
        return None
    raise ValueError(f"{name} = {value!r} is not {' or '.join(one.__name__ for one in kinds)}")
