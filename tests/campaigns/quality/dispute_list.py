"""Every document on which people differ or that was decided, with all that pages show of it."""

from campaigns.log.overlap import HAS_DECISION, HAS_DISAGREEMENT, places_where
from campaigns.models import Campaign
from campaigns.quality.disputes import Dispute, disputes_at


def disputes_of(campaign: Campaign, reader: int | None = None) -> list[Dispute]:
    places = places_where(campaign=campaign, mask=HAS_DISAGREEMENT | HAS_DECISION)
    return disputes_at(campaign=campaign, places=places, reader=reader)
