"""Regular expressions take time by the length of a text: for twice the text, twice the time.

Patterns are found in the source. One that reads texts of bounded length only says so beside it:
`# at most 200 characters: …`.
"""

from __future__ import annotations

import gc
import re
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.plumbing.patterns import Found, python_patterns, script_patterns, seeds

LONGEST = 8 << 10
# Far above what the clock cannot tell, and far below what a quadratic pattern takes for the longest text; on
# a slow machine, what a linear pattern takes for it.
LONG = 0.0005
_LINEAR = re.compile(r"[a-z]+\d")
# Texts of which one is eight times as long as the other: a linear pattern takes eight times as long, a
# quadratic one sixty-four times. Either has to be off by the factor 2.8 to be taken for the other.
_LONGER = 8
MOST = _LONGER**1.5
_REPEATS = 5
# Tests that share the patterns: on a slow machine, one alone would not end in time.
PARTS = 12
# Seconds of the processor: an exponential pattern would take years. Matching stops at a signal.
ENDLESS = 1.0


@pytest.fixture(autouse=True)
def _stopped_in_time() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    gc.disable()
    before = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, before)
    gc.enable()


def test_every_pattern_is_found() -> None:
    found, missed = python_patterns()
    assert missed == []
    assert len(found) > 80
    assert len(script_patterns()) > 20


@pytest.mark.parametrize("part", range(PARTS))
def test_patterns_take_time_by_the_length_of_the_text(part: int) -> None:
    found = [*python_patterns()[0], *script_patterns()][part::PARTS]
    assert {place: words for place, words in map(_slowness, found) if words} == {}


@pytest.mark.parametrize(
    "pattern",
    [
        r"<title[^>]*>",
        r"<!--.*?-->",
        r"\s+$",
        rb"[+-]?(\d+\.?\d*|\.\d+)\Z",
        r'"[^"\\]*(?:\\.[^"\\]*)*"',
        r"(?:a|b|ab)*c",
    ],
)
def test_a_quadratic_pattern_is_found(pattern: Any) -> None:
    assert _slowness(Found("here", re.compile(pattern, re.DOTALL)))[1]


@pytest.mark.parametrize("pattern", [r"(\w+\s?)*;", r"(a|a)*b", r"(?:(?:x+)+y?)+z"])
def test_an_exponential_pattern_is_found_soon(pattern: str) -> None:
    assert _slowness(Found("here", re.compile(pattern)))[1]
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def _slowness(found: Found) -> tuple[str, str]:
    """The place, and the first of the texts of which twice as much takes far longer."""
    for begin, pump, end in seeds(found.pattern):
        try:
            words = _what_takes_long(found, begin, pump, end)
        except TimeoutError:
            words = f"over {ENDLESS} s"
        if words:
            return found.place, f"{found.pattern.pattern!r} on {begin!r} + n × {pump!r} + {end!r}: {words}"
    return found.place, ""


def _what_takes_long(found: Found, begin: str, pump: str, end: str) -> str:
    def seconds(size: int, repeats: int = 1) -> float:
        text = begin + pump * (size // len(pump) + 1) + end
        given = text if isinstance(found.pattern.pattern, str) else text.encode("latin-1", "replace")
        return _least(lambda: _tried(found, given), repeats)

    longest = min(found.longest or LONGEST, LONGEST)
    long = max(LONG, _least(lambda: _LINEAR.findall("ab1" * (LONGEST // 3)), 3))
    size = 12
    while size <= longest:
        # Once more: the first time, memory may be new to the process.
        if seconds(size) > long and seconds(size, _REPEATS) > long:
            if found.longest:
                return f"{seconds(longest):.3f} s for {longest} characters"
            # Up to a text that takes so long that the clock and other processes matter little.
            # What is quadratic is so each time; another process disturbs one measurement.
            growth = 0.0
            for _ in range(3):
                growth = seconds(4 * size, _REPEATS) / seconds(4 * size // _LONGER, _REPEATS)
                if growth <= MOST:
                    return ""
            return f"{growth:.0f} times as long for {_LONGER} times {size // 2}"
        size *= 2
    return ""


def _tried(found: Found, text: Any) -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, ENDLESS)
    try:
        if found.begins:
            found.pattern.match(text)
            found.pattern.fullmatch(text)
        else:
            for _ in found.pattern.finditer(text):
                pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _least(work: Callable[[], object], repeats: int) -> float:
    """Processor time of this thread, the least of several."""
    taken = []
    for _ in range(repeats):
        begun = time.thread_time()
        work()
        taken.append(time.thread_time() - begun)
    return min(taken)
