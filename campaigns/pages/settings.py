from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods

from campaigns.models import Campaign
from campaigns.models.campaign import Status, three_grades
from campaigns.pages.access import organiser_page, signed_in
from campaigns.pages.effects import effects_of
from campaigns.pages.forms import NewForm, SettingsForm
from campaigns.pages.grades import Grades, preset_of, read_grades
from campaigns.pages.methods import offered
from campaigns.pages.options import OptionField, field_name, fields_of, read_options, run_tags
from campaigns.pages.policies import POLICIES
from campaigns.services import campaigns as services
from campaigns.services.errors import Refused

DEFAULTS = {
    "p": 0.8,
    "method": "C",
    "scope": "campaign",
    "batch": 1,
    "min_judgments": 40,
    "topic_choice": "free",
    "overlap_share": 0,
    "overlap_assessors": 2,
    "repeat_share": 0,
    "policy": "adjudicated",
    "seed": 1,
}
# Left empty, these stay as they are.
KEPT_IF_EMPTY = ("seed", "topic_choice", "overlap_share", "overlap_assessors", "repeat_share", "policy")
SCOPES = [
    (
        "campaign",
        gettext_noop("whole campaign"),
        gettext_noop("Topics compete: each judgment goes where it tells most about the runs' means."),
    ),
    (
        "topic",
        gettext_noop("each topic by itself"),
        gettext_noop("Every topic is worked through as if it were the only one."),
    ),
]
CHOICES = [
    (
        "free",
        gettext_noop("as they like"),
        gettext_noop("Topics assigned to them, one of ten drawn at random, or the next in your order."),
    ),
    (
        "assigned",
        gettext_noop("only what you assign"),
        gettext_noop("Nobody judges a topic that was not given to them."),
    ),
]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = NewForm(user, request.POST or None, initial=DEFAULTS)
    wrong = ""
    if request.method == "POST" and form.is_valid():
        try:
            values = _values(request, form)
            campaign = services.create(organiser=user, **values)
        except Refused as refused:
            wrong = _blame(form, refused)
        else:
            return redirect("campaigns:setup", slug=campaign.slug)
    return _form_page(request, form, None, wrong)


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    initial = {name: getattr(campaign, name) for name in SettingsForm.base_fields}
    form = SettingsForm(request.POST or None, initial=initial)
    if campaign.status != Status.DRAFT:
        del form.fields["seed"]
    wrong = ""
    if request.method == "POST" and form.is_valid():
        try:
            values = _values(request, form)
            services.change_settings(campaign=campaign, **values)
        except Refused as refused:
            wrong = _blame(form, refused)
        else:
            messages.success(request, gettext("The settings are saved."))
            return redirect("campaigns:settings", slug=campaign.slug)
    return _form_page(request, form, campaign, wrong)


def _values(request: HttpRequest, form: Form) -> dict[str, Any]:
    """What was filled in, with the scale and the options, whose fields are not the form's own."""
    values = {**form.cleaned_data, "grades": read_grades(request.POST)}
    for name in KEPT_IF_EMPTY:
        if values.get(name, 0) in (None, ""):
            del values[name]
    return {**values, "options": read_options(request.POST, values["method"])}


def _blame(form: Form, refused: Refused) -> str:
    """Say what is wrong; the name of the option that is, if it is one."""
    form.add_error(refused.field if refused.field in form.fields else None, refused.detail)
    return field_name(form.cleaned_data["method"], refused)


def _form_page(request: HttpRequest, form: Form, campaign: Campaign | None, option: str) -> HttpResponse:
    wrong = form.is_bound and bool(form.errors)
    grades = campaign.grades if campaign else three_grades()
    context = {
        "campaign": campaign,
        "form": form,
        "scale": request.POST.get("scale") or preset_of(grades),
        "grades": _typed(request) or grades,
        "methods": _methods(request, campaign),
        "wrong_option": option,
        "scopes": _said(SCOPES),
        "choices": _said(CHOICES),
        "policies": POLICIES,
        **effects_of(campaign),
    }
    return render(request, "campaigns/settings.html", context, status=400 if wrong else 200)


def _said(offered: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [(value, gettext(label), gettext(words)) for value, label, words in offered]


def _methods(request: HttpRequest, campaign: Campaign | None) -> list[tuple[str, list[Any]]]:
    """Each group's methods, each with the fields of its options."""
    runs = run_tags(campaign) if campaign else []
    typed = request.POST if request.method == "POST" else None

    def fields(method: str) -> list[OptionField]:
        stored = campaign.options if campaign and method == campaign.method else {}
        return fields_of(method, stored, typed, runs)

    return [(title, [(one, fields(one.name)) for one in methods]) for title, methods in offered()]


def _typed(request: HttpRequest) -> Grades:
    """The rows as they were typed, right or wrong, so that nothing has to be typed twice."""
    names = ("grade", "label", "gain", "key")
    columns = (request.POST.getlist(name) for name in names)
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=False)]
