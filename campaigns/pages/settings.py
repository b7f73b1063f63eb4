from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns.models import Campaign
from campaigns.models.campaign import three_grades
from campaigns.pages.access import organiser_page, signed_in
from campaigns.pages.forms import NewForm, SettingsForm
from campaigns.pages.grades import Grades, preset_of, read_grades
from campaigns.services import campaigns as services
from campaigns.services.errors import Refused

DEFAULTS = {"p": 0.8, "method": "C", "scope": "campaign", "batch": 1, "min_judgments": 40}
METHODS = [
    ("C", "Method C", "Documents that could still lift the runs most likely to be best. Recommended."),
    ("B", "Method B", "Documents that matter most to the runs whose scores are least certain."),
    ("A", "Method A", "Documents ranked high by many runs; judgments made so far change nothing."),
    ("pooling", "Pooling", "First every run's first document, then every run's second, and so on."),
]
SCOPES = [
    (
        "campaign",
        "whole campaign",
        "Topics compete: each judgment goes where it tells most about the runs' means.",
    ),
    ("topic", "each topic by itself", "Every topic is worked through as if it were the only one."),
]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = NewForm(user, request.POST or None, initial=DEFAULTS)
    if request.method == "POST" and form.is_valid():
        try:
            values = {**form.cleaned_data, "grades": read_grades(request.POST)}
            campaign = services.create(organiser=user, **values)
        except Refused as refused:
            _blame(form, refused)
        else:
            return redirect("campaigns:setup", slug=campaign.slug)
    return _form_page(request, form, three_grades(), {})


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    initial = {name: getattr(campaign, name) for name in SettingsForm.base_fields}
    form = SettingsForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            values = {**form.cleaned_data, "grades": read_grades(request.POST)}
            services.change_settings(campaign=campaign, **values)
        except Refused as refused:
            _blame(form, refused)
        else:
            messages.success(request, "The settings are saved.")
            return redirect("campaigns:settings", slug=campaign.slug)
    return _form_page(request, form, campaign.grades, {"campaign": campaign})


def _blame(form: Form, refused: Refused) -> None:
    form.add_error(refused.field if refused.field in form.fields else None, refused.detail)


def _form_page(request: HttpRequest, form: Form, grades: Grades, context: dict[str, Any]) -> HttpResponse:
    wrong = form.is_bound and bool(form.errors)
    context |= {
        "form": form,
        "scale": request.POST.get("scale") or preset_of(grades),
        "grades": _typed(request) or grades,
        "methods": METHODS,
        "scopes": SCOPES,
    }
    return render(request, "campaigns/settings.html", context, status=400 if wrong else 200)


def _typed(request: HttpRequest) -> Grades:
    """The rows as they were typed, right or wrong, so that nothing has to be typed twice."""
    names = ("grade", "label", "gain", "key")
    columns = (request.POST.getlist(name) for name in names)
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=False)]
