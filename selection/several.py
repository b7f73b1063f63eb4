"""Topics of one campaign under different methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from selection.acts import Act
from selection.framework.drawn import Drawn
from selection.framework.interface import Choice, Draws, Explanation, Method, Queue, Setting
from selection.registry import make_method


@dataclass(frozen=True)
class Chosen:
    """A method by name, and what it is told."""

    method: str
    options: Mapping[str, object] = field(default_factory=dict)


class Several:
    """Each topic's acts and questions go to the method that serves it.

    Weights of different methods do not compare, so `best` asks the methods in turn: the one whose topics
    have the fewest judgments each, in the order of their first topics where these are equal.
    """

    def __init__(self, setting: Setting, chosen: Sequence[Chosen]) -> None:
        """`chosen`: one for each topic of `setting.pools`."""
        groups: dict[str, tuple[Chosen, list[int]]] = {}
        for topic in setting.topics:
            groups.setdefault(repr(chosen[topic]), (chosen[topic], []))[1].append(topic)
        self._judgments = setting.judgments
        self._methods: list[tuple[Method, list[int]]] = []
        self._of: dict[int, Method] = {}
        for one, topics in groups.values():
            method = make_method(one.method, replace(setting, topics=tuple(topics)), one.options)
            self._methods.append((method, topics))
            self._of |= dict.fromkeys(topics, method)

    def judged(self, act: Act) -> None:
        self._of[act.topic].judged(act)

    def best(self) -> Choice | None:
        for method, _ in sorted(self._methods, key=self._share):
            choice = method.best()
            if choice is not None:
                return choice
        return None

    def queue(self, topic: int, limit: int, after: Act | None) -> Queue:
        return self._of[topic].queue(topic, limit, after)

    def remaining(self, topic: int) -> int:
        return self._of[topic].remaining(topic)

    def explain(self, topic: int, document: int) -> Explanation:
        return self._of[topic].explain(topic, document)

    def drawn(self, topic: int) -> Drawn | None:
        method = self._of[topic]
        return method.drawn(topic) if isinstance(method, Draws) else None

    def _share(self, group: tuple[Method, list[int]]) -> float:
        topics = group[1]
        return sum(len(self._judgments.judged_in(topic)) for topic in topics) / len(topics)
