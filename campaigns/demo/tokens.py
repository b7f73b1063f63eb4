"""Text to terms, the way programmers write: `ThreadPoolExecutor` is three words, `read_array` two."""

from __future__ import annotations

import re
from functools import cache

from snowballstemmer import stemmer

# A capitalised word, a run of capitals such as HTTP, or small letters.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHORTEST, _LONGEST = 2, 30

STOP_WORDS = frozenset(
    """
    a about after again all also an and any are as at be because been before being between both but by can
    could did do does doing done each either etc every few for from further get had has have having he her
    here his how i if in into is it its itself just may me might more most must my no nor not of off on once
    one only onto or other our out over own per rather same shall she should so some such than that the
    their them then there these they this those through thus to too under until up upon us use used uses
    using very via was way we were what when where whether which while who whose why will with within
    without would you your
    """.split()  # noqa: SIM905 - a hundred quoted words are no easier to read
)

_stemmer = stemmer("english")


def words(text: str) -> list[str]:
    """The words of a text in order, in small letters. Digits separate: most are examples' output."""
    found = (word.lower() for word in _WORD.findall(text))
    return [word for word in found if _SHORTEST <= len(word) <= _LONGEST and word not in STOP_WORDS]


@cache
def stem(word: str) -> str:
    return str(_stemmer.stemWord(word))


def four_grams(word: str) -> list[str]:
    """`sorted` gives `_sor sort orte rted ted_`."""
    marked = f"_{word}_"
    return [marked[start : start + 4] for start in range(max(1, len(marked) - 3))]
