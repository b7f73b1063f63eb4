"""Types of what a template looks up, as far as annotations give them."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from inspect import getattr_static, isfunction
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model
from django.db.models.fields.related import ForeignObject

# Lookups in these are checked; those in other types depend on what their instances are given.
PLAIN = (str, int, float, bool, date, list, tuple, set, frozenset, Mapping)


class Missing:
    """No instance of the type has the attribute."""


def members(kind: Any) -> list[Any]:
    """Types of a union but for None."""
    if get_origin(kind) in (Union, types.UnionType):
        return [each for one in get_args(kind) if one is not type(None) for each in members(one)]
    return [kind]


def union(kinds: Iterable[Any]) -> Any:
    found = list(dict.fromkeys(map(_hashable, kinds)))
    return Union[tuple(found)] if found else Any  # noqa: UP007  # of a tuple


def _hashable(kind: Any) -> Any:
    try:
        hash(kind)
    except TypeError:
        return Any
    return kind


def attribute(kind: Any, name: str) -> Any:
    """Type of `value.name` in a template, `Missing` if no member of the union has it."""
    found = [_attribute(one, name) for one in members(kind)]
    known = [one for one in found if one is not Missing]
    if found and not known:
        return Missing
    return Any if Any in known else union(known)


def _attribute(kind: Any, name: str) -> Any:
    owner, given = get_origin(kind) or kind, get_args(kind)
    if not isinstance(owner, type) or owner is object or issubclass(owner, Enum):
        return Any
    if issubclass(owner, Mapping) and name not in ("items", "keys", "values"):
        return hints_of(owner).get(name, Missing) if hasattr(owner, "__total__") else (given or (Any,))[-1]
    if issubclass(owner, Mapping) and len(given) == 2:
        return {"items": list[tuple[given]], "keys": list[given[0]], "values": list[given[1]]}[name]  # type: ignore[valid-type]
    if name.isdigit() and issubclass(owner, (list, tuple)) and given:
        return given[0] if given[-1] is ... or issubclass(owner, list) else (*given, Missing)[int(name)]
    if issubclass(owner, Model):
        return _of_model(owner, name)
    hints = hints_of(owner)
    if name in hints:
        return _filled(hints[name], dict(zip(getattr(owner, "__parameters__", ()), given, strict=False)))
    if hasattr(owner, name):
        return returned(getattr_static(owner, name))
    strict = is_dataclass(owner) or hasattr(owner, "_fields") or issubclass(owner, PLAIN)
    return Missing if strict else Any


def _of_model(owner: type[Model], name: str) -> Any:
    try:
        field = owner._meta.get_field(name)
    except FieldDoesNotExist:
        if hasattr(owner, name):
            return returned(getattr_static(owner, name))
        # Else a query may have annotated it.
        return hints_of(owner).get(name, Any)
    return field.related_model if isinstance(field, ForeignObject) else Any


def _filled(kind: Any, given: Mapping[Any, Any]) -> Any:
    """The type with the values of its type variables."""
    if isinstance(kind, TypeVar):
        return given.get(kind, Any)
    parameters = getattr(kind, "__parameters__", ())
    return kind[tuple(given.get(one, Any) for one in parameters)] if parameters and get_args(kind) else kind


def _hints_of(owner: Any) -> dict[str, Any]:
    try:
        return get_type_hints(owner)
    except (NameError, TypeError, AttributeError):
        return {}


hints_of: Callable[[Any], dict[str, Any]] = cache(_hints_of)


def returned(member: Any) -> Any:
    """Type that the property or function returns: a template calls what it can."""
    function = getattr(member, "fget", None) or getattr(member, "func", None) or member
    function = getattr(function, "__func__", function)
    return hints_of(function).get("return", Any) if isfunction(function) else Any


def element(kind: Any) -> Any:
    """Type of what a loop over the value yields."""
    found = []
    for one in members(kind):
        owner, given = get_origin(one) or one, get_args(one)
        if not given or not isinstance(owner, type) or not issubclass(owner, Iterable):
            return Any
        found.append(union(given) if owner is tuple and given[-1] is not ... else given[0])
    return union(found)


def unpacked(kind: Any, count: int) -> list[Any] | None:
    """Types of so many loop variables; None if the value has another number of parts."""
    found = []
    for one in members(kind):
        given = get_args(one)
        if get_origin(one) is not tuple or given[-1] is ...:
            return [Any] * count
        if len(given) != count:
            return None
        found.append(given)
    return [union(each) for each in zip(*found, strict=True)]
