from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from assess.access import assessor_of, campaign_for
from assess.screen import grades


@require_safe
@never_cache
@ensure_csrf_cookie
@login_required
def training(request: HttpRequest, slug: str) -> HttpResponse:
    """The training's screen; its script asks for the items one by one."""
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    scale = grades(campaign)
    data = {
        "assessor": user.id,
        "api": reverse("api:campaign", args=[campaign.slug]),
        "grades": scale,
        "again": "again" in request.GET,
    }
    context = {"campaign": campaign, "grades": scale, "data": data}
    context["items"] = campaign.training_items.count()
    return render(request, "assess/training.html", context)
