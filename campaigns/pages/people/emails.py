"""The emails about a campaign that an organiser chooses to get."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Membership
from campaigns.notifications.emails import choose
from campaigns.pages.access import organiser_page, signed_in_user


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def emails(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The choices of the organiser who looks at the page."""
    membership = Membership.objects.select_related("user").get(
        campaign=campaign, user=signed_in_user(request)
    )
    membership.campaign = campaign
    kinds = ("progress", "trouble", "quality")
    wish = {kind: getattr(membership, f"{kind}_mail") for kind in kinds}
    context: dict[str, Any] = {
        "campaign": campaign,
        "address": membership.user.email,
        "only_logged": "console" in settings.EMAIL_BACKEND,
    }
    status = 200
    if request.method == "POST":
        wish = {kind: kind in request.POST for kind in kinds}
        try:
            choose(membership=membership, **wish)
        except Refusal as refused:
            context["refused"], status = refused, refused.status
        else:
            messages.success(request, gettext("Saved."))
            return redirect("campaigns:mails", slug=campaign.slug)
    return render(request, "campaigns/mails.html", {**context, **wish}, status=status)
