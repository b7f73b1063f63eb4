"""Effects of changed settings on a campaign that has been open, and of each aggregation policy."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, ngettext

from campaigns.log.judgments import length_of
from campaigns.models import Campaign
from campaigns.models.campaign import Status
from campaigns.setup.settings import SETTINGS


def effects_of(campaign: Campaign | None) -> dict[str, Any]:
    """For the form; nothing in a draft, in which nothing has been judged by its settings yet."""
    if campaign is None or campaign.status == Status.DRAFT:
        return {"effects": []}
    count = length_of(campaign=campaign)
    words = ngettext(
        "The {count} log entry made so far stays.", "All {count} log entries made so far stay.", count
    )
    stay = words.format(count=f"{count:,}") if count else gettext("Nothing has been judged so far.")
    effects = [(one.effect_of or one.name, one.effect) for one in SETTINGS if one.effect]
    return {"effects": effects, "stay": stay}
