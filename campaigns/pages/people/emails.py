"""The emails about a campaign that an organiser chooses to get."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from campaigns.models import Campaign, Membership
from campaigns.notifications.emails import choose
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts

KINDS = ("progress", "trouble", "quality")


def _choose(request: HttpRequest, campaign: Campaign) -> str:
    choose(membership=_membership(request, campaign), **{kind: kind in request.POST for kind in KINDS})
    return gettext("Saved.")


@page_with_acts(organiser_page, act=_choose)
def emails(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    """The choices of the organiser who looks at the page."""
    membership = _membership(request, campaign)
    chosen = {kind: getattr(membership, f"{kind}_mail") for kind in KINDS}
    if answer.refused:
        chosen = {kind: kind in answer.typed for kind in KINDS}
    context = {
        "campaign": campaign,
        "address": membership.user.email,
        "only_logged": "console" in settings.EMAIL_BACKEND,
        "refused": answer.refused,
        **chosen,
    }
    return render(request, "campaigns/mails.html", context)


def _membership(request: HttpRequest, campaign: Campaign) -> Membership:
    user = signed_in_user(request)
    membership = Membership.objects.select_related("user").get(campaign=campaign, user=user)
    membership.campaign = campaign
    return membership
