"""The order of topics, computed from a worker's copy of the campaign, and stored as it grows."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from campaigns.computing.live import LiveCampaign
from campaigns.core.background import run_at_low_priority
from campaigns.models import Campaign, TopicOrder
from campaigns.models.topics import Release
from campaigns.topic_order import order_content as how
from campaigns.topic_order.method_input import OrderSetting, measures_of, options_of, order_setting
from campaigns.topic_order.order_content import (
    Note,
    OrderContent,
    OrderedTopic,
    PredictedAgreement,
    stored_order,
)
from campaigns.topic_order.releases import HAND, TopicState, assessors, release_due, topic_states
from selection.topics.agreement import FEWEST_TOPICS, Estimate, predicted_agreement
from selection.topics.methods import (
    RandomTopics,
    TopicChoice,
    explain,
    make_topic_method,
)
from selection.topics.performance import estimate
from selection.topics.subset import FEWEST_RUNS, Covariances, PerformanceMatrix

# Seconds after which what is found is stored: so much is lost with a killed worker.
STORE_SECONDS = 1.0
# Points of the curve of agreement by topics judged.
MOST_POINTS = 25


def fingerprint(campaign: Campaign, states: Sequence[TopicState]) -> str:
    """Fingerprint of everything that the order and its releases depend on, but for the judgments."""
    inputs = [
        *(campaign.configuration, campaign.topic_method, campaign.topic_options, campaign.topics_first),
        *(campaign.topics_ahead, campaign.seed, campaign.min_judgments, campaign.status),
        *(measures_of(campaign), assessors(campaign)),
        # What is released at its turn leaves the order as it is.
        sorted(
            [s.number, Release.WAITING if s.at_its_turn else s.release, s.closed, s.finished] for s in states
        ),
    ]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def write_order(campaign: Campaign, live: LiveCampaign) -> None:
    """Order the waiting topics, store them as they are found, and release what is due. What a killed worker
    had found for the same inputs is continued."""
    began, states = time.monotonic(), topic_states(campaign)
    inputs = fingerprint(campaign, states)
    row = TopicOrder.objects.filter(campaign=campaign, inputs=inputs, as_of=live.applied).first()
    if row is not None and row.done >= row.total:
        return
    waiting = [state.number for state in states if state.release == Release.WAITING]
    following = OrderContent.from_json(row.content).following if row else []
    before = [one for one in following if one.topic in waiting]

    def store(content: OrderContent) -> None:
        content = replace(content, seconds=time.monotonic() - began)
        rows = {"content": content.to_json(), "inputs": inputs, "as_of": live.applied}
        rows |= {"done": len(content.following), "total": len(waiting)}
        TopicOrder.objects.update_or_create(campaign=campaign, defaults=rows)

    if len(live.arrays.taking_part) < FEWEST_RUNS:
        growing = iter([_without_runs(campaign, states, waiting, len(live.arrays.taking_part))])
    else:
        growing = _growing(Ordering(campaign, live, states), waiting, before, began)
    for content in growing:
        store(content)
        release_due(campaign=campaign, order=content.following)


def _without_runs(
    campaign: Campaign, states: Sequence[TopicState], waiting: Sequence[str], runs: int
) -> OrderContent:
    by_hand = [number for number in campaign.topics_first if number in waiting]
    rest = [number for number in waiting if number not in by_hand]
    return OrderContent(
        topics=(
            *(OrderedTopic(s.number, how.RELEASED) for s in states if s.release == Release.RELEASED),
            *(OrderedTopic(number, how.BY_HAND) for number in by_hand),
            *(OrderedTopic(number, how.IN_FILE) for number in rest),
        ),
        held=tuple(OrderedTopic(s.number, how.BY_HAND) for s in states if s.release == Release.HELD),
        notes=(Note("few_runs", count=runs),),
        runs=runs,
    )


def _growing(
    ordering: Ordering, waiting: Sequence[str], before: Sequence[OrderedTopic], began: float
) -> Iterator[OrderContent]:
    """Results so far, again and again, and the whole order in the end."""
    places = list(before)
    ahead, stored = ordering.places_after(waiting, before), began
    while (place := run_at_low_priority(next, ahead, None)) is not None:
        places.append(place)
        if time.monotonic() - stored > STORE_SECONDS and len(places) < len(waiting):
            yield ordering.content(places)
            stored = time.monotonic()
    yield ordering.content(places)


class Ordering:
    """One computation: the matrix of scores as the judgments let it expect, and places found from it."""

    def __init__(self, campaign: Campaign, live: LiveCampaign, states: Sequence[TopicState]) -> None:
        self._campaign = campaign
        self._inputs: OrderSetting = order_setting(campaign, live)
        self._at = {number: place for place, number in enumerate(self._inputs.setting.numbers)}
        # A topic that came after the copy was made waits for the next computation.
        self._states = [state for state in states if state.number in self._at]
        self._matrix: PerformanceMatrix = run_at_low_priority(
            estimate, self._inputs.setting, self._inputs.judged
        )[0]
        self._covariances = Covariances(self._matrix)
        self._released = [state for state in self._states if state.release == Release.RELEASED]
        self._agreement, self._notes = self._predicted()

    def places_after(self, waiting: Sequence[str], before: Sequence[OrderedTopic]) -> Iterator[OrderedTopic]:
        """The waiting topics behind those that have their places: those placed by hand, then the method's,
        then by lots what it leaves, and last what no run answers."""
        left = {self._at[number] for number in waiting} - {self._at[one.topic] for one in before}
        taken = [*(self._at[state.number] for state in self._released), *(self._at[o.topic] for o in before)]
        numbers = self._inputs.setting.numbers

        def take(choices: Iterator[TopicChoice], why: str) -> Iterator[OrderedTopic]:
            for choice in choices:
                if choice.topic in left:
                    left.discard(choice.topic)
                    taken.append(choice.topic)
                    drawn = why == how.BY_METHOD and choice.gamma is None
                    named = how.DRAWN if drawn else why
                    yield OrderedTopic(numbers[choice.topic], named, votes=choice.votes)

        first = (self._at[number] for number in self._campaign.topics_first if number in self._at)
        yield from take(map(TopicChoice, first), how.BY_HAND)
        unanswered = left & self._inputs.unanswered
        left -= unanswered
        if self._campaign.topic_method == HAND:
            in_file = (self._at[number] for number in waiting)
            yield from take(map(TopicChoice, in_file), how.IN_FILE)
        else:
            barred = set(self._at.values()) - left
            yield from take(self._following(taken, barred), how.BY_METHOD)
            yield from take(RandomTopics(self._inputs.setting).following([], {}), how.DRAWN)
        left |= unanswered
        yield from take(map(TopicChoice, sorted(unanswered)), how.UNANSWERED)

    def _following(self, taken: Sequence[int], barred: Collection[int]) -> Iterator[TopicChoice]:
        campaign, inputs = self._campaign, self._inputs
        method = make_topic_method(campaign.topic_method, inputs.setting, options_of(campaign))
        return method.following(list(taken), inputs.judged, barred)

    def content(self, places: Sequence[OrderedTopic]) -> OrderContent:
        """With each topic's figures at its place."""
        known = [OrderedTopic(state.number, how.RELEASED) for state in self._released]
        order = [*known, *places]
        choices = explain(self._matrix, [self._at[one.topic] for one in order])
        before = 0.0
        explained = []
        for one, choice in zip(order, choices, strict=True):
            expected = choice.expected or 0.0
            explained.append(
                OrderedTopic(
                    *(one.topic, one.how, choice.correlation, choice.uncertainty, choice.gamma),
                    *(expected, expected - before, one.votes),
                )
            )
            before = expected
        setting = self._inputs.setting
        return OrderContent(
            topics=tuple(explained),
            held=tuple(self._held(state) for state in self._states if state.release == Release.HELD),
            agreement=self._agreement,
            notes=(*self._inputs.notes, *self._notes),
            runs=setting.runs,
            depth=self._inputs.depth,
            measures=setting.measures,
        )

    def _held(self, state: TopicState) -> OrderedTopic:
        place = self._at[state.number]
        correlation = float(self._covariances.correlation_with_rest[place])
        uncertainty = float(self._covariances.uncertainty[place])
        return OrderedTopic(state.number, how.BY_HAND, correlation=correlation, uncertainty=uncertainty)

    def _predicted(self) -> tuple[tuple[PredictedAgreement, ...], list[Note]]:
        """Predicted agreement of the finished topics, by their number."""
        finished = [self._at[state.number] for state in self._states if state.finished]
        known = [place for place in finished if place in self._inputs.judged]
        if len(known) < FEWEST_TOPICS:
            return (), [Note("few_finished", count=len(known))]
        steps = np.linspace(FEWEST_TOPICS, len(known), min(MOST_POINTS, len(known) - FEWEST_TOPICS + 1))
        agreements = predicted_agreement(
            self._matrix.mean[:, known],
            len(self._at),
            np.unique(steps.round().astype(int)).tolist(),
            self._inputs.setting.seed,
        )
        rows = (PredictedAgreement(a.topics, _values(a.pearson), _values(a.tau)) for a in agreements)
        return tuple(rows), []


def _values(one: Estimate) -> tuple[float, float, float]:
    return one.mean, one.low, one.high


def is_due(campaign: Campaign, *, applied: int, rested: bool) -> bool:
    """True if the stored order is unfinished or of other inputs; where only judgments came, once it has
    `rested`."""
    row = TopicOrder.objects.filter(campaign=campaign).first()
    if row is None or row.done < row.total or row.inputs != fingerprint(campaign, topic_states(campaign)):
        return True
    return rested and row.as_of != applied


def last_seconds(campaign: Campaign) -> float:
    stored = stored_order(campaign.id)
    return stored.content.seconds if stored else 0.0
