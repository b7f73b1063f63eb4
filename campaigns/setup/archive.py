"""Archiving a campaign: read only, off the list and out of the worker's hands, until it is restored."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import request_recompute
from campaigns.log import audit
from campaigns.models import Campaign
from campaigns.models.campaign import Status


def archive(*, campaign: Campaign) -> None:
    """Refuse an open campaign, so that no assessor loses the document on screen."""
    with transaction.atomic():
        campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))
        if campaign.archived_at is not None:
            return
        if campaign.status == Status.OPEN:
            detail = gettext("“%(name)s” is open: pause or close it before you archive it")
            raise Refusal("campaign_open", detail % {"name": campaign.name}, status=409)
        campaign.archived_at = timezone.now()
        campaign.save(update_fields=["archived_at"])
        audit.note(campaign=campaign, kind="archived")


def unarchive(*, campaign: Campaign) -> None:
    """The campaign is as it was; the worker computes what it left."""
    with transaction.atomic():
        campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))
        if campaign.archived_at is None:
            return
        campaign.archived_at = None
        campaign.save(update_fields=["archived_at"])
        audit.note(campaign=campaign, kind="unarchived")
        request_recompute(campaign.id)
