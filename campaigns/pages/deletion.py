"""Deleting a campaign for good, by its organiser, who types its address."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.operations.campaign_deletion import delete_campaign, figures_of
from campaigns.pages.access import also_archived, organiser_page


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
@also_archived
def delete(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    refused = None
    if request.method == "POST":
        try:
            delete_campaign(campaign=campaign, confirmation=request.POST.get("confirm", "").strip())
        except Refusal as error:
            refused = error
        else:
            said = gettext("The campaign “%(name)s” is deleted for good.") % {"name": campaign.name}
            messages.success(request, said)
            return redirect("campaigns:list")
    context = {"campaign": campaign, "figures": figures_of(campaign), "refused": refused}
    status = refused.status if refused else 200
    return render(request, "campaigns/delete.html", context, status=status)
