from __future__ import annotations

from django.db.models import F

from campaigns.models import Campaign
from campaigns.tasks.recomputing import request_recompute


def reconfigure(campaign: Campaign) -> None:
    """Mark everything computed from an older configuration as stale, and have it computed again."""
    Campaign.objects.filter(id=campaign.id).update(configuration=F("configuration") + 1)
    campaign.refresh_from_db(fields=["configuration"])
    request_recompute(campaign.id, configuration=campaign.configuration)
