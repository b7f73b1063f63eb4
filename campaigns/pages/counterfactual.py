"""Counterfactual of a campaign: the judgments by another method, as a table and to watch."""

from __future__ import annotations

import json
from functools import partial

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.models import Campaign, Counterfactual
from campaigns.models.campaign import Method
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import submit
from campaigns.stopping.counterfactuals import UNFINISHED, State, counterfactual_of, method_label
from campaigns.stopping.counterfactuals import request as request_counterfactual
from campaigns.templatetags.contexts import CampaignContext, render_page
from selection.registry import PLANNABLE_METHODS

TRAJECTORIES = ("actual", "other")


class CounterfactualForm(forms.Form):
    method = forms.ChoiceField(
        choices=[(name, Method(name).label) for name in PLANNABLE_METHODS], label=gettext_lazy("Method")
    )


class CounterfactualPage(CampaignContext, template="campaigns/counterfactual/counterfactual.html"):
    """`urls`: of the two trajectories, once they can be watched."""

    ask: CounterfactualForm
    judged: bool
    found: Counterfactual | None
    running: bool
    label: str
    outdated: bool
    urls: list[str]


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def counterfactual(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    found = counterfactual_of(campaign=campaign)
    usual = found.method if found else "pooling" if campaign.method != "pooling" else "C"
    ask = CounterfactualForm(request.POST if request.method == "POST" else None, initial={"method": usual})
    submit(ask, partial(request_counterfactual, campaign=campaign))
    if ask.is_valid():
        return redirect("campaigns:counterfactual", slug=campaign.slug)
    page = CounterfactualPage(
        campaign,
        ask,
        judged=campaign.judgments.exists(),
        found=found,
        running=found is not None and found.state in UNFINISHED,
        label=method_label(found.method) if found else "",
        outdated=found is not None and found.configuration != campaign.configuration,
        urls=[reverse("campaigns:trajectory", args=[campaign.slug, which]) for which in TRAJECTORIES]
        if found and found.state == State.DONE
        else [],
    )
    return render_page(request, page, status=400 if ask.errors else 200)


@require_safe
@organiser_page
def progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """For a page that waits: it is loaded again once there is something to show."""
    response = HttpResponse()
    found = counterfactual_of(campaign=campaign)
    if found is None or found.state not in UNFINISHED:
        response.headers["HX-Refresh"] = "true"
    return response


@require_safe
@organiser_page
def trajectory(request: HttpRequest, campaign: Campaign, which: str) -> HttpResponse:
    row = Counterfactual.objects.filter(campaign=campaign, state=State.DONE).first()
    if row is None or which not in TRAJECTORIES:
        raise Http404
    label = method_label(row.method if which == "other" else "")
    # The rest is as it was stored: some hundred kilobytes that need not be read here.
    text = f'{{"label":{json.dumps(label)},{getattr(row, which)[1:]}'
    return HttpResponse(text, content_type="application/json")
