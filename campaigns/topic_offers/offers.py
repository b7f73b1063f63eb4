"""Topics for an assessor: how far the assessor is in each, and which of them are offered.

However many topics there are, the same few queries read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from django.db import connection
from django.utils.translation import gettext_lazy

from campaigns.computing.topic_methods import method_spec_for
from campaigns.core.digits import natural_key
from campaigns.judging.claims import is_free
from campaigns.judging.overlap_and_repeats import waiting_for
from campaigns.log.current import excluded, is_by_assessor, standing_acts
from campaigns.models import Campaign
from campaigns.models.campaign import TopicChoice
from campaigns.models.judgment import ANCHOR
from campaigns.models.topics import Release
from campaigns.results.topic_rows import topics_of
from selection.registry import method_entry

DRAWN_TOPICS = 10
DRAWN_WANTING = 3

# A topic is another assessor's if that assessor's judgments of it count, or if they have one of its documents
# open.
_STANDING = f"""
WITH {standing_acts("assessor_id = %(user)s AND campaign_id = ANY(%(campaigns)s)")},
mine AS (SELECT topic_id, count(*) AS judged FROM standing GROUP BY topic_id)
SELECT t.id, t.campaign_id, t.number, t.title, t.description, coalesce(mine.judged, 0),
  EXISTS (SELECT FROM campaigns_claim k
          WHERE k.topic_id = t.id AND k.assessor_id = %(user)s AND k.expires_at > now()
          AND NOT k.reserved),
  (SELECT count(*) FROM campaigns_postponement s
   WHERE s.topic_id = t.id AND s.assessor_id = %(user)s),
  EXISTS (SELECT FROM campaigns_judgment j WHERE j.topic_id = t.id AND j.assessor_id <> %(user)s
          AND NOT {excluded("j")} AND {is_by_assessor("j")})
  OR EXISTS (SELECT FROM campaigns_claim k
             WHERE k.topic_id = t.id AND k.assessor_id <> %(user)s AND k.expires_at > now()
             AND NOT k.reserved),
  p.remaining, coalesce(p.best_weight, 0), least(c.min_judgments, p.pool_size), given.mine, given.theirs,
  t.closed_at IS NOT NULL,
  c.development_required AND t.developed_by_id IS NULL AND (t.description = '' OR t.narrative = ''),
  t.release = '{Release.RELEASED}', CASE WHEN c.topic_method <> '' THEN t.released_at END,
  EXISTS (SELECT FROM campaigns_topiccompletion e WHERE e.topic_id = t.id AND e.assessor_id = %(user)s),
  0, p.sources ->> 0 = '{ANCHOR}' AND EXISTS (
    SELECT FROM (SELECT a.document_id AS document, '' AS purpose
                 FROM campaigns_anchor a WHERE a.topic_id = t.id) AS candidate
    WHERE {is_free("t.id", "%(user)s")})
FROM campaigns_topic t
JOIN campaigns_campaign c ON c.id = t.campaign_id
LEFT JOIN mine ON mine.topic_id = t.id
LEFT JOIN campaigns_priority p ON p.topic_id = t.id
CROSS JOIN LATERAL (
  SELECT coalesce(bool_or(a.assessor_id = %(user)s), false) AS mine,
    coalesce(bool_or(a.assessor_id <> %(user)s), false) AS theirs
  FROM campaigns_topicassignment a WHERE a.topic_id = t.id) given
WHERE t.campaign_id = ANY(%(campaigns)s)
ORDER BY t.campaign_id, t.position
"""  # noqa: S608


@dataclass(frozen=True)
class TopicStanding:
    topic_id: int
    campaign_id: int
    number: str
    title: str
    description: str
    judged: int
    open: bool
    postponed: int
    others: bool
    # Unjudged documents of the pool; None until the worker has counted them.
    remaining: int | None
    # Orders topics for `next in the organiser's order`; never shown to an assessor.
    weight: float
    # The campaign's, or the pool where that is smaller.
    minimum: int
    # Given to this assessor, and to others, by an organiser.
    assigned: bool = False
    assigned_to_others: bool = False
    closed: bool = False
    # An assessor has to write out what it is about before it is judged.
    undeveloped: bool = False
    # By the campaign's order of topics; and since when, which is the order in which they are offered.
    released: bool = True
    released_at: datetime | None = None
    # This assessor is done with it.
    done: bool = False

    @property
    def words(self) -> str:
        return f"{self.number} {self.title} {self.description}".casefold()

    # Documents that others have judged and this assessor is to judge, too; never shown to them.
    owed: int = 0
    # An anchor waits here for this assessor; never shown to them. Null where the topic has no queue.
    anchored: bool | None = False

    @property
    def begun(self) -> bool:
        return self.open or self.judged > 0 or self.postponed > 0

    @property
    def exhausted(self) -> bool:
        return self.remaining == 0 and not self.owed and self.postponed == 0 and not self.open

    @property
    def finished(self) -> bool:
        return self.closed or self.done or self.judged >= self.minimum or self.exhausted


def standings(*, user: int, campaigns: Sequence[Campaign]) -> list[TopicStanding]:
    wanted = [campaign.id for campaign in campaigns]
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"user": user, "campaigns": wanted})
        rows = cursor.fetchall()
    waiting = waiting_for(campaigns=campaigns, assessor=user)
    # The last two columns are the documents owed and the anchor.
    return [TopicStanding(*(*row[:-2], waiting.get(row[0], 0), row[-1])) for row in rows]


@dataclass(frozen=True)
class Offers:
    assigned: list[TopicStanding]
    in_progress: list[TopicStanding]
    finished: list[TopicStanding]
    # Topics that the assessor may begin; some of them, in random order; and the first by the organiser's.
    free: list[TopicStanding]
    drawn: list[TopicStanding]
    next_in_order: TopicStanding | None

    @property
    def own(self) -> int:
        """Number of topics that the assessor has."""
        return len(self.assigned) + len(self.in_progress) + len(self.finished)

    def narrowed(self, *, words: str, sort: str) -> Offers:
        """The assessor's own topics whose number, title or description holds all words, sorted by a key of
        `TOPIC_SORTS`, the topic of just this number first; what else is offered stays."""
        wanted = words.casefold().split()

        def some(topics: list[TopicStanding]) -> list[TopicStanding]:
            chosen = [topic for topic in topics if all(word in topic.words for word in wanted)]
            chosen = sorted(chosen, key=TOPIC_SORTS[sort][1]) if sort in TOPIC_SORTS else chosen
            return sorted(chosen, key=lambda topic: [topic.number.casefold()] != wanted)

        return replace(
            self,
            assigned=some(self.assigned),
            in_progress=some(self.in_progress),
            finished=some(self.finished),
        )

    @property
    def left(self) -> int:
        """Judgments until all topics of the assessor have the minimum."""
        return sum(max(topic.minimum - topic.judged, 0) for topic in [*self.assigned, *self.in_progress])

    def after(self, number: str) -> TopicStanding | None:
        """Next topic after this one: first those with a waiting anchor; else topics in progress, then
        assigned ones, then the next in order."""
        ways = [*self.in_progress, *self.assigned, *([self.next_in_order] if self.next_in_order else [])]
        others = [topic for topic in ways if topic.number != number]
        return min(others, key=lambda topic: not topic.anchored, default=None)


# Of so many topics an assessor finds one without searching.
FEW_OWN_TOPICS = 15
TOPIC_SORTS: dict[str, tuple[Any, Callable[[TopicStanding], Any]]] = {
    "number": (gettext_lazy("number"), lambda topic: natural_key(topic.number)),
    "title": (gettext_lazy("title"), lambda topic: topic.title.casefold()),
    "left": (gettext_lazy("fewest judgments left"), lambda topic: max(topic.minimum - topic.judged, 0)),
}


def offers(
    topics: Sequence[TopicStanding],
    *,
    seed: str,
    choice: str = TopicChoice.FREE,
    turns: Mapping[int, int] | None = None,
) -> Offers:
    """Assigned topics come first; where only they may be judged, there is nothing else to choose from.
    `turns`: judged documents by topic id, where the next topic is the one with the fewest of them, not
    the one with the heaviest document."""
    begun = [topic for topic in topics if topic.begun]
    only_assigned = choice != TopicChoice.FREE
    mine = [topic for topic in begun if topic.assigned or topic.finished or not only_assigned]
    goes_on = {topic.topic_id for topic in mine if not topic.finished or _takes_anchor(topic, only_assigned)}
    waiting = [topic for topic in topics if not topic.begun and not topic.closed and topic.released]
    waiting = [topic for topic in waiting if not topic.done]
    waiting = [topic for topic in waiting if topic.remaining != 0 or topic.owed]
    # Second opinions are asked for even where the topic is another assessor's.
    free = [topic for topic in waiting if not topic.assigned and (topic.owed or not topic.assigned_to_others)]
    if choice == TopicChoice.ASSIGNED:
        free = []
    choosable = [] if only_assigned else free
    return Offers(
        assigned=_anchored_first([topic for topic in waiting if topic.assigned]),
        in_progress=_anchored_first([topic for topic in mine if topic.topic_id in goes_on]),
        finished=[topic for topic in mine if topic.topic_id not in goes_on],
        free=free,
        drawn=draw(choosable, seed),
        next_in_order=min(choosable, key=lambda topic: _place(topic, turns), default=None),
    )


def _takes_anchor(topic: TopicStanding, only_assigned: bool) -> bool:
    """True if an anchor waits in a topic that has its minimum."""
    theirs = topic.assigned or not only_assigned
    return bool(topic.anchored) and theirs and not (topic.closed or topic.done)


def _anchored_first(topics: Sequence[TopicStanding]) -> list[TopicStanding]:
    return sorted(topics, key=lambda topic: not topic.anchored)


def _place(topic: TopicStanding, turns: Mapping[int, int] | None) -> tuple[bool, bool, float, float]:
    """Smaller comes first; of equals, the first in the organiser's own order."""
    released = topic.released_at.timestamp() if topic.released_at else 0.0
    # Of topics that are released in turn, those that other assessors judge come last.
    taken = topic.released_at is not None and topic.others and not topic.owed
    return not topic.anchored, taken, released, -topic.weight if turns is None else turns[topic.topic_id]


def draw(free: Sequence[TopicStanding], seed: str, most: int = DRAWN_TOPICS) -> list[TopicStanding]:
    """Draw a few of those where further opinions are wanted, then where anchors wait, then topics not yet
    begun, in an order that tells none of this."""
    rng = Random(seed)  # noqa: S311 — a lottery, not a secret
    wanted = [topic for topic in free if topic.owed]
    anchored = [topic for topic in free if topic.anchored and not topic.owed]
    untouched = [topic for topic in free if not (topic.others or topic.owed or topic.anchored)]
    drawn = rng.sample(wanted, min(DRAWN_WANTING, most, len(wanted)))
    for some in (anchored, untouched):
        drawn += rng.sample(some, min(most - len(drawn), len(some)))
    apart = {topic.topic_id for topic in (*drawn, *anchored, *untouched)}
    shared = [topic for topic in free if topic.topic_id not in apart]
    drawn += rng.sample(shared, min(most - len(drawn), len(shared)))
    rng.shuffle(drawn)
    return drawn


def weights_compare(campaign: Campaign) -> bool:
    """True if one method, with the same options everywhere, weighs the documents of all topics alike."""
    own = campaign.topics.order_by("method", "options").distinct("method", "options")
    chosen = [method_spec_for(campaign, topic) for topic in own.only("campaign", "method", "options")]
    if not all(one == chosen[0] for one in chosen):
        return False
    return not chosen or campaign.scope not in method_entry(chosen[0].method).rounds


def turns(campaign: Campaign) -> dict[int, int] | None:
    """Numbers of judged documents by topic, where topics take turns by them; None where they go by weight."""
    if weights_compare(campaign):
        return None
    return {row.id: row.judged for row in topics_of(campaign=campaign)}
