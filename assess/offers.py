"""Which topics an assessor is offered: their own, ten drawn at random, the next in the organiser's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from assess.standing import Standing

DRAWN = 10


@dataclass(frozen=True)
class Offers:
    in_progress: list[Standing]
    finished: list[Standing]
    drawn: list[Standing]
    next_in_order: Standing | None


def offers(topics: Sequence[Standing], *, seed: str) -> Offers:
    mine = [topic for topic in topics if topic.begun]
    free = [topic for topic in topics if not topic.begun and topic.remaining != 0]
    return Offers(
        in_progress=[topic for topic in mine if not topic.finished],
        finished=[topic for topic in mine if topic.finished],
        drawn=_draw(free, Random(f"{seed}:{len(mine)}")),  # noqa: S311 — a lottery, not a secret
        # Python's sort is stable: equal weights keep the organiser's own order.
        next_in_order=next(iter(sorted(free, key=lambda topic: -topic.weight)), None),
    )


def _draw(free: Sequence[Standing], rng: Random) -> list[Standing]:
    """Topics nobody has begun come first. The draw stays the same until one of them is begun, so that
    reloading the page is no way to pick and choose."""
    untouched = [topic for topic in free if not topic.others]
    shared = [topic for topic in free if topic.others]
    drawn = rng.sample(untouched, min(DRAWN, len(untouched)))
    drawn += rng.sample(shared, min(DRAWN - len(drawn), len(shared)))
    place = {topic.topic_id: index for index, topic in enumerate(free)}
    return sorted(drawn, key=lambda topic: place[topic.topic_id])
