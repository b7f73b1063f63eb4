from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refused
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page, signed_in
from campaigns.pages.setup import configuring
from campaigns.pages.setup.forms import NewForm
from campaigns.setup import campaigns as services


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """A draft by its name; all else comes step by step."""
    user = signed_in(request)
    form = NewForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            campaign = services.create(organiser=user, **form.cleaned_data)
        except Refused as refused:
            form.add_error(refused.field if refused.field in form.fields else None, refused.detail)
        else:
            return redirect("campaigns:setup", slug=campaign.slug)
    status = 400 if form.is_bound and form.errors else 200
    return render(request, "campaigns/new.html", {"form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    form = configuring.form_of(campaign, posted)
    wrong: str | None = None
    if posted is not None:
        wrong = configuring.save(campaign, form, posted)
        if wrong is None:
            messages.success(request, gettext("The settings are saved."))
            return redirect("campaigns:settings", slug=campaign.slug)
    context = {"campaign": campaign, "form": form, **configuring.shown(campaign, posted, wrong or "")}
    return render(request, "campaigns/settings.html", context, status=400 if posted is not None else 200)
