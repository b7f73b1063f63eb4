"""Which findings about stopping are new, for webhooks: each is sent once, and again only after it was not so
in between."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from campaigns.models import Campaign
from campaigns.models.notifications import WebhookEvent
from campaigns.notifications import deliveries
from campaigns.stopping.advice import StoppingAdvice, stopping_advice_of
from campaigns.stopping.content import AdviceContent, PairIds


@dataclass(frozen=True)
class News:
    """`announced`: the pairs that webhooks know as decided, these included."""

    decided: list[PairIds]
    may_stop: bool
    announced: frozenset[PairIds]


def news(before: AdviceContent, content: AdviceContent) -> News:
    """What `content` says and `before` did not. Announced pairs that are not among the best any more stay
    announced, for they may come back."""
    rows = {ids: bool(pair.by) for pair in content.pairs if (ids := content.ids(pair)) is not None}
    known = _announced(before)
    decided = [ids for ids, is_decided in rows.items() if is_decided and ids not in known]
    # Open again, or decided the other way round.
    void = {ids for ids, is_decided in rows.items() if not is_decided} | {ids[::-1] for ids in rows}
    announced = (known - void) | set(decided)
    return News(decided, _may_stop(content) and not _may_stop(before), announced)


def publish_news(*, campaign: Campaign, news: News) -> None:
    """In the transaction that stores what was found."""
    if not news.decided and not news.may_stop:
        return
    found = stopping_advice_of(campaign=campaign)
    if found is None:
        return
    for pair in found.pairs:
        if pair.ids in news.decided:
            row = {name: value for name, value in asdict(pair).items() if name not in ("ids", "forecast")}
            data = {"versus": "base", "as_of": found.as_of, "pair": row}
            deliveries.create_deliveries(campaign=campaign, kind=WebhookEvent.PAIR_DECIDED, data=data)
    if news.may_stop:
        deliveries.create_deliveries(campaign=campaign, kind=WebhookEvent.MAY_STOP, data=_why(found))


def _why(found: StoppingAdvice) -> dict[str, Any]:
    counts = {"decided": found.decided, "pairs": len(found.pairs)}
    return {"as_of": found.as_of, "judged": found.judged, "best": found.best, "k": found.k, **counts}


def _announced(before: AdviceContent) -> frozenset[PairIds]:
    if before.announced is not None:
        return before.announced
    decided = (before.ids(pair) for pair in before.pairs if pair.by)
    return frozenset(ids for ids in decided if ids is not None)


def _may_stop(content: AdviceContent) -> bool:
    """Whether the best run stays the best, whatever is still unjudged."""
    return bool(content.pairs) and content.distinct
