"""What `next in the organiser's order` goes by."""

from __future__ import annotations

from campaigns.computing.topic_methods import chosen_for
from campaigns.models import Campaign
from campaigns.results.overview import topics_of
from selection.registry import registered


def weights_compare(campaign: Campaign) -> bool:
    """Whether one method, told the same everywhere, weighs the documents of all topics alike."""
    chosen = [chosen_for(campaign, topic) for topic in campaign.topics.only("campaign", "method", "options")]
    if not all(one == chosen[0] for one in chosen):
        return False
    return not chosen or campaign.scope not in registered(chosen[0].method).rounds


def turns(campaign: Campaign) -> dict[int, int] | None:
    """How many documents of each topic are judged, where topics take turns by that; None where they go by
    weight."""
    if weights_compare(campaign):
        return None
    return {row.id: row.judged for row in topics_of(campaign=campaign)}
