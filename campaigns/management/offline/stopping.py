"""Stop tests as a command line names them."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import cast, get_args

from selection.stopping.confidence import Confident, Relevance
from selection.stopping.tests import StopTest, TopDistinct, TopPairs

FORMS = "top-distinct, pairs=K or confidence=C[,K[,RELEVANCE]]"
HELP = (
    "stop, within the budget, when: top-distinct, the best run's base is above every other run's top; "
    "pairs=K, all pairs among the K best runs are decided by the bounds of their difference; confidence=C, "
    "each pair among the K (5) best is ordered with that confidence by mean average precision, unjudged "
    f"documents being relevant as RELEVANCE says: {', '.join(get_args(Relevance))} (the first: one half)"
)


@dataclass(frozen=True)
class Until:
    """A stop test and the words that asked for it."""

    text: str
    test: StopTest


def until(text: str) -> Until:
    name, _, values = text.partition("=")
    words = values.split(",") if values else []
    if name == "top-distinct" and text == name:
        return Until(text, TopDistinct())
    if name == "pairs" and len(words) == 1:
        return Until(text, TopPairs(_several(text, words[0])))
    if name == "confidence" and 1 <= len(words) <= 3:
        return Until(text, _confident(text, *words))
    raise ArgumentTypeError(f"{text!r} is no stop test: give {FORMS}")


def _confident(text: str, confidence: str, k: str = "5", relevance: str = "constant") -> Confident:
    try:
        # Which words and numbers it takes, the test itself knows.
        return Confident(float(confidence), _several(text, k), relevance=cast(Relevance, relevance))
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: {error}") from None


def _several(text: str, word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 1):
        raise ArgumentTypeError(f"{text!r}: {word!r} is not a whole number above 1")
    return int(word)
