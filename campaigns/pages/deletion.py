"""Deleting a campaign for good, by its organiser, who types its address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from campaigns.models import Campaign
from campaigns.operations.campaign_deletion import delete_campaign, figures_of
from campaigns.pages.access import also_archived, organiser_page
from campaigns.pages.acts import Answer, page_with_acts, redirect_with


def _delete(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    delete_campaign(campaign=campaign, confirmation=request.POST.get("confirm", "").strip())
    words = gettext("The campaign “%(name)s” is deleted for good.") % {"name": campaign.name}
    return redirect_with(request, words, "campaigns:list")


@page_with_acts(organiser_page, also_archived, act=_delete)
def delete(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    context = {"campaign": campaign, "figures": figures_of(campaign), "refused": answer.refused}
    return render(request, "campaigns/delete.html", context)
