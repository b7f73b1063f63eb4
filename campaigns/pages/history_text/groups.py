"""Entries of the history that say the same many times over: one import, or one act on all selected rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from campaigns.log.timeline import HistoryLine
from campaigns.pages.history_text import sentence_of
from campaigns.pages.history_text.sentences import UNFIT, CampaignLinks, sentence

# Two are as quickly read as their sum.
LEAST_COLLAPSED = 3
# An import of many files sends one after the other.
LONGEST_PAUSE = timedelta(minutes=2)
# Judgments, which collapse only where a file brought them.
IMPORTED_TOGETHER = "judged"


@dataclass(frozen=True)
class HistorySentence:
    line: HistoryLine
    sentence: SafeString


@dataclass(frozen=True)
class HistoryGroup:
    """Neighbouring lines, the newest first. `summary`: what they come to; empty if each stands for itself."""

    lines: list[HistorySentence]
    summary: SafeString | str

    @property
    def first(self) -> HistorySentence:
        return self.lines[0]


def grouped_lines(lines: Sequence[HistoryLine], at: CampaignLinks) -> list[HistoryGroup]:
    """The lines in their order, runs of one kind by one person together."""
    groups = []
    for some in _stretches(lines):
        sentences = [HistorySentence(line, sentence_of(line, at).html) for line in some]
        if len(some) >= LEAST_COLLAPSED:
            groups.append(HistoryGroup(sentences, _summary(some)))
        else:
            groups += [HistoryGroup([one], "") for one in sentences]
    return groups


def _stretches(lines: Sequence[HistoryLine]) -> Iterator[list[HistoryLine]]:
    some: list[HistoryLine] = []
    for line in lines:
        if some and not _goes_on(some[-1], line):
            yield some
            some = []
        some.append(line)
    if some:
        yield some


def _goes_on(later: HistoryLine, earlier: HistoryLine) -> bool:
    same = (later.kind, later.who) == (earlier.kind, earlier.who) and later.kind in _SUMMARIES
    if later.kind == IMPORTED_TOGETHER:
        # No one judges two documents in the same microsecond: these are of one file.
        return same and later.at == earlier.at
    days = [timezone.localtime(line.at).date() for line in (later, earlier)]
    return same and days[0] == days[1] and abs(later.at - earlier.at) <= LONGEST_PAUSE


def _summary(lines: Sequence[HistoryLine]) -> SafeString | str:
    words, count = _SUMMARIES[lines[0].kind]
    try:
        number = sum(count(line.detail) for line in lines)
    except UNFIT:
        return ""
    return sentence(words(number), count=number).html


def _one(detail: dict[str, Any]) -> int:
    return 1


_SUMMARIES: dict[str, tuple[Callable[[int], str], Callable[[dict[str, Any]], int]]] = {
    "runs": (
        lambda n: ngettext("imported {count} run", "imported {count} runs", n),
        lambda detail: len(detail["runs"]),
    ),
    "documents": (
        lambda n: ngettext("imported {count} document", "imported {count} documents", n),
        lambda detail: int(detail["documents"]),
    ),
    "topics": (
        lambda n: ngettext("imported {count} file of topics", "imported {count} files of topics", n),
        _one,
    ),
    "qrels": (
        lambda n: ngettext("imported {count} judgment as qrels", "imported {count} judgments as qrels", n),
        lambda detail: int(detail["judgments"]),
    ),
    IMPORTED_TOGETHER: (
        lambda n: ngettext("imported {count} judgment", "imported {count} judgments", n),
        _one,
    ),
    "run removed": (lambda n: ngettext("removed {count} run", "removed {count} runs", n), _one),
    "run withdrawn": (lambda n: ngettext("withdrew {count} run", "withdrew {count} runs", n), _one),
    "run brought back": (
        lambda n: ngettext("brought {count} run back", "brought {count} runs back", n),
        _one,
    ),
    "run contributes": (
        lambda n: ngettext(
            "changed whether {count} run contributes", "changed whether {count} runs contribute", n
        ),
        _one,
    ),
    "topic closed": (lambda n: ngettext("closed {count} topic", "closed {count} topics", n), _one),
    "topic done": (
        lambda n: ngettext("was done with {count} topic", "was done with {count} topics", n),
        _one,
    ),
    "topic reopened": (
        lambda n: ngettext("opened {count} topic again", "opened {count} topics again", n),
        _one,
    ),
    "person paused": (lambda n: ngettext("paused {count} person", "paused {count} people", n), _one),
    "person resumed": (
        lambda n: ngettext("ended the pause of {count} person", "ended the pause of {count} people", n),
        _one,
    ),
    "invited": (lambda n: ngettext("invited {count} person", "invited {count} people", n), _one),
    "exported": (lambda n: ngettext("downloaded {count} file", "downloaded {count} files", n), _one),
}
