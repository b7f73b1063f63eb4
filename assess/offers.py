"""Which topics an assessor is offered: their own, ten drawn at random, the next in the organiser's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from assess.topics import Standing
from campaigns.models.campaign import TopicChoice

DRAWN = 10
WANTED = 3


@dataclass(frozen=True)
class Offers:
    assigned: list[Standing]
    in_progress: list[Standing]
    finished: list[Standing]
    drawn: list[Standing]
    next_in_order: Standing | None


def offers(
    topics: Sequence[Standing],
    *,
    seed: str,
    choice: str = TopicChoice.FREE,
    turns: Mapping[int, int] | None = None,
) -> Offers:
    """Assigned topics come first; where only they may be judged, there is nothing else to choose from.
    `turns`: judged documents by topic id, where the next topic is the one with the fewest of them, not
    the one with the heaviest document."""
    begun = [topic for topic in topics if topic.begun]
    only_assigned = choice == TopicChoice.ASSIGNED
    mine = [topic for topic in begun if topic.assigned or topic.finished or not only_assigned]
    waiting = [topic for topic in topics if not topic.begun and not topic.closed]
    waiting = [topic for topic in waiting if topic.remaining != 0 or topic.owed]
    # Second opinions are asked for even where the topic is somebody else's.
    free = [topic for topic in waiting if not topic.assigned and (topic.owed or not topic.assigned_to_others)]
    if only_assigned:
        free = []
    return Offers(
        assigned=[topic for topic in waiting if topic.assigned],
        in_progress=[topic for topic in mine if not topic.finished],
        finished=[topic for topic in mine if topic.finished],
        drawn=_draw(free, Random(f"{seed}:{len(begun)}")),  # noqa: S311 — a lottery, not a secret
        # Of equals, the first in the organiser's own order.
        next_in_order=min(
            free, key=lambda topic: -topic.weight if turns is None else turns[topic.topic_id], default=None
        ),
    )


def _draw(free: Sequence[Standing], rng: Random) -> list[Standing]:
    """A few of those where further opinions are wanted, then topics nobody has begun. The draw stays the
    same until one of them is begun, so that reloading the page is no way to pick and choose."""
    wanted = [topic for topic in free if topic.owed]
    untouched = [topic for topic in free if not topic.others and not topic.owed]
    drawn = rng.sample(wanted, min(WANTED, len(wanted)))
    drawn += rng.sample(untouched, min(DRAWN - len(drawn), len(untouched)))
    shared = [topic for topic in free if topic not in drawn and topic not in untouched]
    drawn += rng.sample(shared, min(DRAWN - len(drawn), len(shared)))
    place = {topic.topic_id: index for index, topic in enumerate(free)}
    return sorted(drawn, key=lambda topic: place[topic.topic_id])
