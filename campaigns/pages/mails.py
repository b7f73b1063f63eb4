from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refused
from campaigns.models import Campaign, Membership
from campaigns.notifications.mails import choose
from campaigns.pages.access import organiser_page, signed_in


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def mails(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What the organiser who looks at it is told by mail."""
    membership = Membership.objects.select_related("user").get(campaign=campaign, user=signed_in(request))
    membership.campaign = campaign
    wish: dict[str, Any] = {
        "address": membership.user.email,
        "progress": membership.progress_mail,
        "trouble": membership.trouble_mail,
    }
    context: dict[str, Any] = {"campaign": campaign, "only_logged": "console" in settings.EMAIL_BACKEND}
    status = 200
    if request.method == "POST":
        posted = request.POST
        wish = {"address": posted.get("address", ""), **{n: n in posted for n in ("progress", "trouble")}}
        try:
            choose(membership=membership, **wish)
        except Refused as refused:
            context["refused"], status = refused, refused.status
        else:
            messages.success(request, _("Saved."))
            return redirect("campaigns:mails", slug=campaign.slug)
    return render(request, "campaigns/mails.html", {**context, **wish}, status=status)
