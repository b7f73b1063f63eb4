"""Campaigns of an organiser's home page: each with its verdict, progress and a week of judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from campaigns.log.activity import days_of_each
from campaigns.models import Campaign, Sample
from campaigns.predictions.standings import Verdict
from campaigns.predictions.verdicts_of_campaigns import verdicts_of
from campaigns.results.topic_rows import JudgingProgress, judging_progress, topics_of_each

WEEK = 7


@dataclass(frozen=True)
class CampaignCard:
    """`verdict`: by the RBP of score ranges, None where the overview has another. `week`: judgments by
    assessors on each of the last days, today last; `begun`: an assessor has judged."""

    campaign: Campaign
    done: JudgingProgress
    verdict: Verdict | None
    week: Sequence[int]
    begun: bool

    @property
    def judged_lately(self) -> bool:
        return any(self.week)

    @property
    def line(self) -> str:
        """Points of the week's line, 100 wide and 28 high."""
        most = max(*self.week, 1)
        step = 100 / (len(self.week) - 1)
        return " ".join(f"{step * at:.1f},{28 - 26 * n / most:.1f}" for at, n in enumerate(self.week))


def with_samples(campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Annotate campaigns with whether a sample was drawn, as `cards_of` needs."""
    return campaigns.annotate(sampled=Exists(Sample.objects.filter(topic__campaign=OuterRef("pk"))))


def cards_of(*, campaigns: Sequence[Campaign]) -> list[CampaignCard]:
    """Cards of campaigns of `with_samples`: the same few statements however many there are."""
    verdicts, topics = verdicts_of(campaigns=campaigns), topics_of_each(campaigns=campaigns)
    judged, today = days_of_each(campaigns=campaigns), datetime.now(UTC).date()
    week = [today - timedelta(days=ago) for ago in reversed(range(WEEK))]
    return [
        CampaignCard(
            one,
            judging_progress(campaign=one, topics=topics[one.id]),
            None if _has_other_verdict(one) else verdicts[one.id],
            [judged[one.id].get(day, 0) for day in week],
            bool(judged[one.id]),
        )
        for one in campaigns
    ]


def _has_other_verdict(campaign: Campaign) -> bool:
    return campaign.measure != campaign.rbp or bool(getattr(campaign, "sampled", False))
