"""Deleting a campaign for good, by its organiser, who types its address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.operations.campaign_deletion import delete_campaign, figures_of
from campaigns.pages.access import also_archived, organiser_page
from campaigns.pages.acts import Answer, page_with_acts, redirect_with
from campaigns.templatetags.contexts import CampaignContext, render_page


class DeletionPage(CampaignContext, template="campaigns/delete.html"):
    figures: dict[str, int]
    refused: Refusal | None


def _act(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    delete_campaign(campaign=campaign, confirmation=request.POST.get("confirm", "").strip())
    said = gettext("The campaign “%(name)s” is deleted for good.") % {"name": campaign.name}
    return redirect_with(request, said, "campaigns:list")


@page_with_acts(organiser_page, also_archived, act=_act)
def delete(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    return render_page(request, DeletionPage(campaign, figures_of(campaign), answer.refused))
