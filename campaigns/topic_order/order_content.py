"""Stored content of an order of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from campaigns.models import TopicOrder

# How a topic came to its place.
BY_METHOD, DRAWN, BY_HAND, IN_FILE, UNANSWERED, RELEASED = (
    "method",
    "drawn",
    "hand",
    "file",
    "unanswered",
    "released",
)


@dataclass(frozen=True)
class OrderedTopic:
    """A topic at its place, by number. None where too few runs are there to compute it.

    correlation : of its expected scores with the sum of all others', in [-1, 1]
    uncertainty : the mean variance of the runs' scores in it
    expected : the correlation of the runs' means over the topics up to here with those over all
    adds : how much of that this topic adds
    votes : of how many groups of runs it was the choice
    """

    topic: str
    how: str
    correlation: float | None = None
    uncertainty: float | None = None
    gamma: float | None = None
    expected: float | None = None
    adds: float | None = None
    votes: int | None = None

    @property
    def reason(self) -> dict[str, Any]:
        """Reason for the topic's place, for history and webhooks."""
        return {name: value for name, value in asdict(self).items() if name != "topic" and value is not None}


@dataclass(frozen=True)
class PredictedAgreement:
    """Between means over the first `topics` finished topics and over all: mean, low and high of a 95%
    interval."""

    topics: int
    pearson: tuple[float, float, float]
    tau: tuple[float, float, float]


@dataclass(frozen=True)
class Note:
    """Limitation of the order: a code, and the names for its sentence."""

    code: str
    names: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True)
class OrderContent:
    """`topics`: first those released so far, then those that follow; `held`: topics that are held back."""

    topics: tuple[OrderedTopic, ...] = ()
    held: tuple[OrderedTopic, ...] = ()
    agreement: tuple[PredictedAgreement, ...] = ()
    notes: tuple[Note, ...] = ()
    runs: int = 0
    depth: int = 0
    measures: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def following(self) -> list[OrderedTopic]:
        return [one for one in self.topics if one.how != RELEASED]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> OrderContent:
        content = cls(**{name: value for name, value in stored.items() if name in cls.__dataclass_fields__})
        return replace(
            content,
            topics=tuple(OrderedTopic(**row) for row in content.topics),  # type: ignore[arg-type]
            held=tuple(OrderedTopic(**row) for row in content.held),  # type: ignore[arg-type]
            agreement=tuple(_agreement(row) for row in content.agreement),  # type: ignore[arg-type]
            notes=tuple(_note(row) for row in content.notes),  # type: ignore[arg-type]
            measures=tuple(content.measures),
        )


def _agreement(row: Mapping[str, Any]) -> PredictedAgreement:
    return PredictedAgreement(row["topics"], tuple(row["pearson"]), tuple(row["tau"]))


def _note(row: Mapping[str, Any]) -> Note:
    return Note(row["code"], tuple(row["names"]), row["count"])


@dataclass(frozen=True)
class StoredOrder:
    """The latest order; `done` of `total` topics have their place."""

    content: OrderContent = field(default_factory=OrderContent)
    as_of: int = 0
    done: int = 0
    total: int = 0

    @property
    def running(self) -> bool:
        return self.done < self.total

    @property
    def numbers(self) -> Sequence[str]:
        return [one.topic for one in self.content.following]


def stored_order(campaign: int) -> StoredOrder | None:
    row = TopicOrder.objects.filter(campaign_id=campaign).first()
    if row is None:
        return None
    return StoredOrder(OrderContent.from_json(row.content), row.as_of, row.done, row.total)
