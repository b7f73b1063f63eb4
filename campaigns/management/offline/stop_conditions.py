"""The stop tests that a command line names."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from campaigns.management.offline.files import unknown_run
from selection.simulation.calibrated_pairs import CalibratedPairs
from selection.stopping.confidence import ConfidentPairs, RelevanceKind
from selection.stopping.tests import PairsDecided, StopTest, TopDistinct, TopPairs

STOP_FORMS = "top-distinct, pairs=K, separated=RUN,RUN or confidence=C[,K[,RELEVANCE]]"
STOP_HELP = (
    "condition to stop before the budget is spent (default: none): top-distinct, the best run's base "
    "is above every other run's top; "
    "pairs=K, all pairs among the K best runs are certainly separated; "
    "separated=RUN,RUN, these two runs are; confidence=C, each pair among the K (5) best is ordered with "
    "that confidence by mean average precision, unjudged documents being relevant as RELEVANCE says: model "
    "(the default, calibrated; fitted again after each 2%% of further judgments, so --test-every saves "
    f"time), or as published and not calibrated {', '.join(get_args(RelevanceKind))} (constant: one half)"
)


@dataclass(frozen=True)
class StopCondition:
    """The words that asked for a stop test, and the test for runs of these names. `presumes`: it presumes the
    relevance of unjudged documents, so that it can pass although topics have no judgment."""

    text: str
    test: Callable[[Sequence[str]], StopTest]
    presumes: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process makes the test again: the function that makes it cannot be sent.
        return stop_condition, (self.text,)


def stop_condition(text: str) -> StopCondition:
    name, _, values = text.partition("=")
    words = values.split(",") if values else []
    if name == "top-distinct" and text == name:
        return StopCondition(text, lambda runs: TopDistinct())
    if name == "pairs" and len(words) == 1:
        top = TopPairs(_several(text, words[0]))
        return StopCondition(text, lambda runs: top)
    if name == "separated" and len(words) == 2:
        return StopCondition(text, lambda runs: PairsDecided((_places(runs, words),)))
    if name == "confidence" and 1 <= len(words) <= 3:
        confident = _confident(text, *words)
        return StopCondition(text, lambda runs: confident, presumes=True)
    raise ArgumentTypeError(f"{text!r} is no stop test: give {STOP_FORMS}")


def _confident(text: str, confidence: str, k: str = "5", relevance: str = "model") -> StopTest:
    try:
        if relevance == "model":
            return CalibratedPairs(float(confidence), _several(text, k))
        # Which words and numbers it takes, the test itself knows.
        return ConfidentPairs(float(confidence), _several(text, k), relevance=cast(RelevanceKind, relevance))
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: {error}") from None


def _places(runs: Sequence[str], names: Sequence[str]) -> tuple[int, int]:
    for name in names:
        if name not in runs:
            raise ValueError(unknown_run(name, runs))
    first, second = map(runs.index, names)
    return first, second


def _several(text: str, word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 1):
        raise ArgumentTypeError(f"{text!r}: {word!r} is not a whole number above 1")
    return int(word)
