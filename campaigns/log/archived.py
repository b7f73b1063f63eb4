"""An archived campaign is read only: what may still be noted of it, and the refusal of everything else."""

from __future__ import annotations

from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import Campaign

# Entries in the history that change nothing of the campaign, or that must stay possible.
STILL_NOTED = frozenset(
    {
        "archived",
        "unarchived",
        "exported",
        "token revoked",
        "webhook gone",
        "webhook unreachable",
    }
)


def archived_refusal(campaign: Campaign) -> Refusal:
    detail = gettext("“%(name)s” is archived and read only; an organiser can restore it")
    return Refusal("archived", detail % {"name": campaign.name}, status=409)


def check_not_archived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise archived_refusal(campaign)


def check_may_note(campaign: Campaign, kind: str) -> None:
    """Every change of a campaign is noted in the transaction of the change, so a refusal here undoes it."""
    if kind not in STILL_NOTED:
        check_not_archived(campaign)
