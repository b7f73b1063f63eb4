"""Which topics the list shows: by words, and by how far they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from campaigns.results.overview import TopicRow

LONGEST = 200

STATES: dict[str, str | Promise] = {
    "": gettext_lazy("any"),
    "left": gettext_lazy("open, minimum not reached"),
    "enough": gettext_lazy("minimum reached"),
    "untouched": gettext_lazy("nothing judged yet"),
    "now": gettext_lazy("being judged now"),
    "unassigned": gettext_lazy("open, assigned to nobody"),
    "closed": gettext_lazy("closed"),
}


@dataclass(frozen=True)
class TopicLine:
    """A topic as the page lists it: who judges it now, what serves it, who is to judge it."""

    topic: TopicRow
    judging: list[str]
    method: str
    assigned: list[str]
    closed: bool

    def is_in(self, state: str, minimum: int) -> bool:
        match state:
            case "left":
                return not self.closed and self.topic.judged < minimum
            case "enough":
                return self.topic.judged >= minimum
            case "untouched":
                return not self.topic.judged
            case "now":
                return bool(self.judging)
            case "unassigned":
                return not self.closed and not self.assigned
            case "closed":
                return self.closed
        return True


@dataclass(frozen=True)
class TopicFilter:
    words: str
    state: str

    @classmethod
    def asked(cls, query: QueryDict) -> TopicFilter:
        state = query.get("state", "")
        return cls(query.get("words", "").strip()[:LONGEST], state if state in STATES else "")

    def __bool__(self) -> bool:
        return bool(self.words or self.state)

    def only(self, lines: Sequence[TopicLine], *, minimum: int) -> list[TopicLine]:
        """Topics whose number begins so, and those with all of the words in title, number or people's names;
        of these the ones in the state."""
        words = self.words.casefold().split()
        return [line for line in lines if line.is_in(self.state, minimum) and _has(line, words)]


def _has(line: TopicLine, words: Sequence[str]) -> bool:
    text = " ".join([line.topic.title, *line.assigned, *line.judging]).casefold()
    number = line.topic.number.casefold()
    return all(number.startswith(word) or _stands_in(word, text) for word in words)


def _stands_in(word: str, text: str) -> bool:
    """Anywhere; but 7 is no part of 107."""
    return any(one.startswith(word) for one in text.split()) if word.isdigit() else word in text
