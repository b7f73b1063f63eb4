"""The known name that a misspelt one probably meant: measures, methods, options, runs and campaigns."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice

# Comparing with each known name takes up to a millisecond.
_MOST_COMPARED, _LONGEST_COMPARED = 1000, 200


def nearest_name(name: str, known: Collection[str]) -> str:
    """The most similar known name, whatever the case; empty if none is similar. Two different numbers never
    are: topic 451 is no misspelt 450.

    >>> nearest_name("MAP", ["RBP", "AP", "EAP"])
    'AP'
    >>> nearest_name("451", ["450"])
    ''
    """
    if len(name) > _LONGEST_COMPARED:
        return ""
    by_fold = {one.casefold(): one for one in islice(known, _MOST_COMPARED)}
    if name.isdecimal():
        by_fold = {fold: one for fold, one in by_fold.items() if not one.isdecimal() or int(one) == int(name)}
    near = get_close_matches(name.casefold(), by_fold, n=1)
    return by_fold[near[0]] if near else ""


def unknown_name(kind: str, name: str, known: Collection[str]) -> str:
    """An error's sentence: the unknown name, the nearest known one, and all known ones.

    >>> unknown_name("method", "poolin", ["pooling", "A"])
    "no method is called 'poolin'; did you mean pooling? There are pooling, A"
    """
    return f"no {kind} is called {name!r}; {or_all(nearest_name(name, known), ', '.join(known))}"


def or_all(meant: str, listed: str) -> str:
    return f"did you mean {meant}? There are {listed}" if meant else f"there are {listed}"
