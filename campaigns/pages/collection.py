from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.services.errors import Refused
from campaigns.services.sources import set_url_template


@require_POST
@organiser_page
def source(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Where the collection's documents can be seen at their source."""
    typed = request.POST.get("url_template", "").strip()
    context: dict[str, Any] = {"campaign": campaign, "typed": typed}
    by_htmx = bool(request.headers.get("HX-Request"))
    try:
        set_url_template(collection=campaign.collection, template=typed)
        context["said"] = gettext("Saved.") if typed else gettext("Removed: documents have no address now.")
    except Refused as refused:
        context["refused"] = refused
        if not by_htmx:
            messages.error(request, refused.detail)
    if by_htmx:
        return render(request, "campaigns/_source.html", context)
    return redirect("campaigns:setup", slug=campaign.slug)
