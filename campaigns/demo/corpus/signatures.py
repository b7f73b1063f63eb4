"""The line that stands above a docstring: a qualified name and its parameters, the same on every run."""

from __future__ import annotations

import enum
import inspect
import re
from typing import Any

LONGEST = 200
_KIND = {"class": "class ", "module": "module ", "property": "property "}
_OPENING = re.compile(r"(?:[\w.]+\.)?(\w+)\(")
_RESULT = re.compile(r"[ ]*(?:->[^\n]*)?(?:\n|$)")
# What every NumPy ufunc takes besides its operands.
_UFUNC_TAIL = re.compile(r"(?:, /)?, out=None(?:, \*, where=True.*)?\)$")

# The parameters of C functions are evaluated from text, in which defaults may name what is not there.
_UNKNOWN = (TypeError, ValueError, AttributeError, NameError)


def title_line(docno: str, kind: str, parameters: str) -> str:
    line = _KIND.get(kind, "") + docno + parameters
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def divide_signature(docno: str, text: str) -> tuple[str, str]:
    """A leading `name(…)`, as functions written in C have it, and the text without it."""
    opening = _OPENING.match(text)
    if opening is None or opening[1] != docno.rpartition(".")[2]:
        return "", text
    end = _closing(text, opening.end() - 1)
    rest = _RESULT.match(text, end)
    if rest is None:
        return "", text
    return " ".join(text[opening.end() - 1 : end].split()), text[rest.end() :].lstrip("\n")


def _closing(text: str, start: int) -> int:
    """Just behind the bracket that closes the one at ``start``; the end of the text if none does."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


def parameters_of(value: Any, in_text: str = "") -> str:
    """`(a, *, axis=None)`; what the docstring says where Python does not know. Annotations are left out."""
    if in_text and _UFUNC_TAIL.search(in_text):
        return _UFUNC_TAIL.sub(")", in_text)
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except _UNKNOWN:
        return in_text
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    shown = [each.replace(annotation=each.empty, default=_shown(each.default)) for each in parameters]
    return str(inspect.Signature(shown))


class _AsWritten:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _shown(default: Any) -> Any:
    """Simple values as they are. Of others the repr may hold an address or this machine's environment."""
    if default is inspect.Parameter.empty or default is None:
        return default
    if isinstance(default, enum.Enum):
        return _AsWritten(f"{type(default).__name__}.{default.name}")
    if type(default) in (bool, int, float, complex, str, bytes):
        return default
    if type(default) is tuple:
        return tuple(_shown(each) for each in default)
    if isinstance(default, type) or inspect.isroutine(default):
        return _AsWritten(default.__name__)
    return _AsWritten("…")
