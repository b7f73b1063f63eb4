"""The order of topics as page and API show it: where each topic stands, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext, ngettext

from campaigns.models import Campaign
from campaigns.models.topics import Release
from campaigns.topic_order import order_content as how
from campaigns.topic_order.method_input import options_of
from campaigns.topic_order.order_content import (
    Note,
    OrderedTopic,
    PredictedAgreement,
    StoredOrder,
    stored_order,
)
from campaigns.topic_order.releases import TopicState, assessors, topic_states, waiting_order

STANDINGS = FINISHED, OPEN, WAITING, HELD = "finished", "open", "waiting", "held"


@dataclass(frozen=True)
class TopicPlace:
    """A topic, its state and its figures; `place`: from 1, among those that wait."""

    state: TopicState
    stands: str
    figures: OrderedTopic
    place: int | None = None
    # What was said when it was released: by which method and figures, or that it was by hand.
    released: dict[str, Any] | None = None

    @property
    def by_hand(self) -> bool:
        return bool(self.released) and self.released.get("how") == how.BY_HAND  # type: ignore[union-attr]


@dataclass(frozen=True)
class TopicOrderView:
    method: str
    options: dict[str, Any]
    ahead: int
    first: list[str]
    # How many topics should be open: one for each assessor, and those ahead.
    wanted: int
    stored: StoredOrder | None
    topics: list[TopicPlace]
    notes: list[str]

    @property
    def agreement(self) -> tuple[PredictedAgreement, ...]:
        return self.stored.content.agreement if self.stored else ()

    def standing(self, stands: str) -> list[TopicPlace]:
        return self._by_standing.get(stands, [])

    @cached_property
    def _by_standing(self) -> Mapping[str, list[TopicPlace]]:
        places = defaultdict[str, list[TopicPlace]](list)
        for topic in self.topics:
            places[topic.stands].append(topic)
        return places


def topic_order_view(campaign: Campaign) -> TopicOrderView:
    stored = stored_order(campaign.id) if campaign.topic_method else None
    figures = {one.topic: one for one in (*stored.content.topics, *stored.content.held)} if stored else {}
    states = {state.number: state for state in topic_states(campaign)}
    reasons = dict(campaign.topics.values_list("number", "release_reason"))
    waiting = waiting_order(campaign) if campaign.topic_method else []
    places = {number: place for place, number in enumerate(waiting, 1)}
    order = [*(number for number in states if number not in places), *waiting]
    topics = [
        TopicPlace(
            states[number],
            _stands(states[number]),
            figures.get(number, OrderedTopic(number, how.IN_FILE)),
            places.get(number),
            reasons[number] if states[number].release == Release.RELEASED else None,
        )
        for number in order
        if number in states
    ]
    return TopicOrderView(
        campaign.topic_method,
        options_of(campaign),
        campaign.topics_ahead,
        campaign.topics_first,
        max(assessors(campaign), 1) + campaign.topics_ahead,
        stored,
        topics,
        [words_of(note) for note in stored.content.notes] if stored else [],
    )


def _stands(state: TopicState) -> str:
    if state.release == Release.RELEASED:
        return FINISHED if state.finished else OPEN
    return HELD if state.release == Release.HELD else WAITING


def words_of(note: Note) -> str:
    """A sentence."""
    match note.code:
        case "few_runs":
            return _few_runs(note)
        case "nothing_judged":
            return gettext("Nothing is judged yet: the topics are drawn at random.")
        case "no_relevant":
            return _no_relevant(note)
        case "all_relevant":
            return _all_relevant(note)
        case "equal_scores":
            return _equal_scores(note)
        case "unanswered":
            return _unanswered(note)
        case "other_measure":
            words = gettext("Topics are ordered by %(used)s: no variance of %(primary)s is known.")
            return words % dict(zip(("used", "primary"), note.names, strict=True))
    return gettext("Their agreement with all topics is shown from the second finished topic on.")


def _few_runs(note: Note) -> str:
    words = ngettext(
        "One run takes part: topics are chosen with three or more. Until then they come in the file’s order.",
        "%(count)s runs take part: topics are chosen with three or more. Until then they come in the file’s "
        "order.",
        note.count,
    )
    return words % {"count": note.count}


def _no_relevant(note: Note) -> str:
    words = ngettext(
        "No relevant document so far, in one judgment: the order means little until there is one.",
        "No relevant document so far, in %(count)s judgments: the order means little until there is one.",
        note.count,
    )
    return words % {"count": note.count}


def _all_relevant(note: Note) -> str:
    words = ngettext(
        "The one judged document is relevant: the order means little until one is not.",
        "All %(count)s judged documents are relevant: the order means little until one is not.",
        note.count,
    )
    return words % {"count": note.count}


def _equal_scores(note: Note) -> str:
    words = ngettext(
        "Run %(names)s gives every document the same score, or none: the order learns nothing from its "
        "scores.",
        "Runs %(names)s give every document the same score, or none: the order learns nothing from their "
        "scores.",
        note.count,
    )
    return words % {"names": _names(note)}


def _unanswered(note: Note) -> str:
    words = ngettext(
        "No run answers topic %(names)s: it comes last.",
        "No run answers topics %(names)s: they come last.",
        note.count,
    )
    return words % {"names": _names(note)}


def _names(note: Note) -> str:
    return ", ".join(note.names) + (" …" if note.count > len(note.names) else "")


def reason_of(place: TopicPlace) -> str:
    """Reason for the topic's place, in a few words."""
    if place.stands == HELD:
        return gettext("held back by hand")
    if place.released is not None:
        given = place.released.get("how")
        if place.by_hand and "method" not in place.released:
            return gettext("released by hand")
        return _how(given) if given else gettext("begun before there was an order")
    return _how(place.figures.how)


def _how(how_it_came: str) -> str:
    match how_it_came:
        case how.BY_HAND:
            return gettext("placed by hand")
        case how.DRAWN:
            return gettext("drawn at random")
        case how.IN_FILE:
            return gettext("in the file’s order")
        case how.UNANSWERED:
            return gettext("answered by no run")
        case how.BY_METHOD:
            return gettext("adds most to the agreement")
    return ""
