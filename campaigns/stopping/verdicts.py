"""News about stopping, for webhooks: each finding is sent once, and again only after it was not so in
between."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from campaigns.models import Campaign
from campaigns.models.notifications import WebhookEvent
from campaigns.notifications import deliveries
from campaigns.stopping.advice import decided_pair
from campaigns.stopping.advice_content import AdviceContent, PairIds


@dataclass(frozen=True)
class News:
    """`announced`: the pairs that webhooks know as decided, these included."""

    decided: list[PairIds]
    may_stop: bool
    announced: frozenset[PairIds]


def news(before: AdviceContent, content: AdviceContent) -> News:
    """Findings in `content` that `before` lacks. Announced pairs that are not among the best any more stay
    announced, for they may come back."""
    if content.withheld == "unjudged_not_relevant":
        # What is decided then is only so by that setting.
        return News([], False, _announced(before))
    rows = {ids: bool(pair.by) for pair in content.pairs if (ids := content.ids(pair)) is not None}
    known = _announced(before)
    decided = [ids for ids, is_decided in rows.items() if is_decided and ids not in known]
    # Open again, or decided the other way round.
    void = {ids for ids, is_decided in rows.items() if not is_decided} | {ids[::-1] for ids in rows}
    announced = (known - void) | set(decided)
    return News(decided, _may_stop(content) and not _may_stop(before), announced)


_ANNOUNCED = ("run", "other", "decided", "by", "difference", "confidence")


def publish_news(*, campaign: Campaign, news: News, content: AdviceContent, as_of: int) -> None:
    """In the transaction that stores what was found."""
    for pair in content.pairs:
        if content.ids(pair) in news.decided:
            row = asdict(decided_pair(content, pair))
            row = {name: value for name, value in row.items() if name in _ANNOUNCED}
            data = {"versus": "base", "as_of": as_of, "pair": row}
            deliveries.create_deliveries(campaign=campaign, kind=WebhookEvent.PAIR_DECIDED, data=data)
    if news.may_stop:
        data = {"as_of": as_of, **_why(content)}
        deliveries.create_deliveries(campaign=campaign, kind=WebhookEvent.MAY_STOP, data=data)


def _why(content: AdviceContent) -> dict[str, Any]:
    counts = {"decided": sum(pair.by != "" for pair in content.pairs), "pairs": len(content.pairs)}
    return {"judged": content.judged, "best": content.best, "k": len(content.runs), **counts}


def _announced(before: AdviceContent) -> frozenset[PairIds]:
    if before.announced is not None:
        return before.announced
    decided = (before.ids(pair) for pair in before.pairs if pair.by)
    return frozenset(ids for ids in decided if ids is not None)


def _may_stop(content: AdviceContent) -> bool:
    """True if the best run stays the best, whatever is still unjudged."""
    return bool(content.pairs) and content.distinct
