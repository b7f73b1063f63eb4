"""What the worker's look at stopping has newly found, told to webhooks: each finding once, and again only
after it had not been so."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from campaigns.models import Campaign
from campaigns.models.notifications import WebhookEvent
from campaigns.notifications import deliveries
from campaigns.stopping.advice import StoppingAdvice, stopping_advice_of

# The better run's id, the other's.
PairIds = tuple[int, int]


@dataclass(frozen=True)
class News:
    decided: list[PairIds]
    may_stop: bool


def news(before: dict[str, Any], content: dict[str, Any]) -> News:
    """What `content` says and `before` did not. Which pairs have been told of goes into `content`: those that
    are not among the best any more, too, for they may come back."""
    rows = {_ids(content["runs"], pair): bool(pair[2]) for pair in content["pairs"]}
    told = _told(before)
    decided = [ids for ids, is_decided in rows.items() if is_decided and ids not in told]
    # Open again, or decided the other way round.
    void = {ids for ids, is_decided in rows.items() if not is_decided} | {ids[::-1] for ids in rows}
    content["told"] = sorted((told - void) | set(decided))
    return News(decided, _may_stop(content) and not _may_stop(before))


def publish_news(*, campaign: Campaign, news: News) -> None:
    """In the transaction that puts down what was found."""
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


def _told(before: dict[str, Any]) -> set[PairIds]:
    if "told" in before:
        return {(upper, lower) for upper, lower in before["told"]}
    decided = [pair for pair in before.get("pairs", []) if pair[2]]
    return {_ids(before["runs"], pair) for pair in decided if "id" in before["runs"][pair[0]]}


def _may_stop(content: dict[str, Any]) -> bool:
    """Whether the best run stays the best, whatever is still unjudged."""
    return bool(content.get("pairs")) and bool(content["distinct"])


def _ids(runs: list[dict[str, Any]], pair: list[Any]) -> PairIds:
    return runs[pair[0]]["id"], runs[pair[1]]["id"]
