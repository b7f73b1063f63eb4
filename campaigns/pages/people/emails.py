"""The emails about a campaign that an organiser chooses to get."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Membership
from campaigns.notifications.emails import choose
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.templatetags.contexts import CampaignContext, render_page

KINDS = ("progress", "trouble", "quality")


def _choose(request: HttpRequest, campaign: Campaign) -> str:
    choose(membership=_membership(request, campaign), **{kind: kind in request.POST for kind in KINDS})
    return gettext("Saved.")


class EmailsPage(CampaignContext, template="campaigns/mails.html"):
    """`progress`, `trouble`, `quality`: the kinds of emails that are wanted; `only_logged`: none are sent."""

    address: str
    only_logged: bool
    refused: Refusal | None
    progress: bool
    trouble: bool
    quality: bool


@page_with_acts(organiser_page, act=_choose)
def emails(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    """The choices of the organiser who looks at the page."""
    membership = _membership(request, campaign)
    chosen = {kind: getattr(membership, f"{kind}_mail") for kind in KINDS}
    if answer.refused:
        chosen = {kind: kind in answer.typed for kind in KINDS}
    only_logged = "console" in settings.EMAIL_BACKEND
    page = EmailsPage(campaign, membership.user.email, only_logged, answer.refused, **chosen)
    return render_page(request, page)


def _membership(request: HttpRequest, campaign: Campaign) -> Membership:
    user = signed_in_user(request)
    membership = Membership.objects.select_related("user").get(campaign=campaign, user=user)
    membership.campaign = campaign
    return membership
