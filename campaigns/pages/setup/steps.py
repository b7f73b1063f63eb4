"""The set-up as a walk: each step's form is saved by itself, and where one is is kept."""

from __future__ import annotations

import json
from typing import Any

from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from campaigns.core.errors import Refused
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page, signed_in
from campaigns.pages.setup import configuring
from campaigns.pages.setup.setup import setup_page
from campaigns.setup import steps


@require_POST
@organiser_page
def save(request: HttpRequest, campaign: Campaign, step: str) -> HttpResponse:
    """Store the step's settings, if it has any, note that it was looked over, and go on to the next."""
    if step not in steps.STEPS:
        raise Http404
    if step in configuring.PARTS:
        form = configuring.form_of(campaign, request.POST, step)
        wrong = configuring.save(campaign, form, request.POST, step)
        if wrong is not None:
            return _again(request, campaign, step, form, wrong)
    steps.settle(campaign=campaign, step=step)
    following = steps.after(step)
    steps.remember(campaign=campaign, user=signed_in(request), step=following)
    if not request.headers.get("HX-Request"):
        return redirect(f"{reverse('campaigns:setup', args=[campaign.slug])}?step={following}")
    answer = _fragment(request, campaign, step) if step in configuring.PARTS else HttpResponse(status=204)
    answer.headers["HX-Trigger"] = json.dumps({"changed-settings": "", "saved-step": {"next": following}})
    return answer


@require_POST
@organiser_page
def at(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Where this organiser is now."""
    try:
        steps.remember(campaign=campaign, user=signed_in(request), step=request.POST.get("step", ""))
    except Refused as refused:
        return HttpResponse(refused.detail, status=400, content_type="text/plain")
    return HttpResponse(status=204)


def _again(request: HttpRequest, campaign: Campaign, step: str, form: Form, wrong: str) -> HttpResponse:
    # htmx shows a refusal only if it comes as a success.
    if request.headers.get("HX-Request"):
        return _fragment(request, campaign, step, form, wrong)
    more = {"at": step, f"{step}_form": form, **configuring.shown(campaign, request.POST, wrong)}
    return setup_page(request, campaign, more, status=400)


def _fragment(
    request: HttpRequest, campaign: Campaign, step: str, form: Form | None = None, wrong: str = ""
) -> HttpResponse:
    """The step's form: as it is stored, or as it was filled in with what is wrong."""
    posted = request.POST if form is not None else None
    context: dict[str, Any] = {
        "campaign": campaign,
        "part": step,
        "form": form or configuring.form_of(campaign, part=step),
        **configuring.shown(campaign, posted, wrong),
    }
    return render(request, "campaigns/_step_form.html", context)
