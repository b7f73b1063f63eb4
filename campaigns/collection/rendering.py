"""HTML nested without end, which takes the parsers of HTML time by the square of its depth."""

from __future__ import annotations

import re

from campaigns.collection.tags import FLAT, INLINE

DEEPEST = 256
# Fewer opening tags cannot nest deep enough to be felt, and need not be looked at one by one.
FEW = 4000

_TOKEN = re.compile(
    r"""<!--(?:-?>|.*?(?:--!?>|\Z))
    |<(?P<raw>script|style|textarea|title|xmp|noscript|iframe)\b.*?(?:</(?P=raw)\b[^>]*>|\Z)
    |<[!?][^>]*>?
    |<(?P<close>/?)(?P<name>[a-z][^\s/>]*)(?:[^>"']|"[^"]*"|'[^']*')*>?""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_OTHER_TAGS = re.compile(r"</?(?!(?:p|br|li|h[1-6])\b)[a-z][^<>]*>", re.IGNORECASE)


def shallow(html: str) -> str:
    """The same HTML, or, where tags nest too deep, its words with their paragraphs, headings and items."""
    if html.count("<") > FEW and _is_deep(html):
        return _OTHER_TAGS.sub(" ", _TOKEN.sub(_without_raw, html))
    return html


def _without_raw(token: re.Match[str]) -> str:
    return " " if token["name"] is None else token[0]


def _is_deep(html: str) -> bool:
    stack: list[str] = []
    for token in _TOKEN.finditer(html):
        name = (token["name"] or "").lower()
        if not name or name in FLAT:
            continue
        if not token["close"]:
            stack.append(name)
            if len(stack) > DEEPEST:
                return True
        elif name in stack:
            _close(stack, name)
    return False


def _close(stack: list[str], name: str) -> None:
    """As a browser does: an inline element is not closed from inside a block."""
    at = len(stack) - 1 - stack[::-1].index(name)
    if name not in INLINE or all(inner in INLINE for inner in stack[at:]):
        del stack[at:]
