"""Planner: the benefit of judging, before it begins and later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.decimals import as_typed
from campaigns.core.errors import Refusal
from campaigns.measurement.measured_scores import measured_of
from campaigns.models import Campaign
from campaigns.models.campaign import Method
from campaigns.pages.access import organiser_page
from campaigns.stopping.advice_computation import JudgmentTimes, judgment_times
from campaigns.stopping.advice_content import counted_seconds
from campaigns.stopping.outlook import PlannerLine, PlannerOutlook, PlannerTargets, outlook_of
from campaigns.stopping.planner import request_plan as request_outlook
from campaigns.stopping.planner import usual_budget
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page
from selection.registry import DEFAULT_PLAN_METHODS, PLANNABLE_METHODS

PERSISTENCE_HELP = gettext_lazy("Up to three numbers between 0 and 1, such as 0.5 0.8")
# Of a curve, in the units of its picture.
CURVE_WIDTH, CURVE_HEIGHT = 400, 200


class PlannerForm(forms.Form):
    methods = forms.MultipleChoiceField(
        choices=[(name, Method(name).label) for name in PLANNABLE_METHODS],
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Methods"),
    )
    p = forms.CharField(max_length=40, label=gettext_lazy("Persistence p"), help_text=PERSISTENCE_HELP)
    budget = forms.IntegerField(
        min_value=1,
        label=gettext_lazy("Maximum judgments"),
        help_text=gettext_lazy("Judgments already made included"),
    )

    def clean_p(self) -> list[float]:
        words = self.cleaned_data["p"].replace(",", " ").split()
        try:
            values = [float(word) for word in words]
        except ValueError:
            raise forms.ValidationError(PERSISTENCE_HELP) from None
        if not 1 <= len(values) <= 3 or not all(0 < value < 1 for value in values):
            raise forms.ValidationError(PERSISTENCE_HELP)
        return values


class TargetForm(forms.Form):
    residual = forms.FloatField(min_value=0.0001, max_value=1, label=gettext_lazy("Target mean residual"))
    tau = forms.FloatField(min_value=-1, max_value=1, label=gettext_lazy("Target τ"))
    topic_minutes = forms.FloatField(
        min_value=0, max_value=10_000, label=gettext_lazy("Minutes to develop a topic")
    )
    minutes = forms.FloatField(min_value=0, max_value=1_000, label=gettext_lazy("Minutes a judgment"))


class PlannerPart(CampaignContext, template="campaigns/planner/_planner.html"):
    """Shown value of an outlook, from 0 to 1 upwards; τ below 0 is drawn at 0."""

    query: str
    targets: PlannerTargets
    found: PlannerOutlook | None
    residual_curves: list[PlannerCurve]
    tau_curves: list[PlannerCurve]


@dataclass(frozen=True)
class PlannedWidths:
    """Half widths of a difference's interval by `measure`, a row of (on these topics, on topics like these)
    for each number of topics; `judgments`: of the columns, in each topic."""

    measure: str
    judgments: list[int]
    rows: list[tuple[int, list[tuple[float, float]]]]


class PlannerPage(PageContext, template="campaigns/planner/planner.html"):
    shown: PlannerPart
    widths: PlannedWidths | None
    ask: PlannerForm
    target: TargetForm
    times: JudgmentTimes
    counted: float | None
    runs: int
    topics: int


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def planner(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    ask = PlannerForm(request.POST if request.method == "POST" else None, initial=_asked(campaign))
    if request.method == "POST" and ask.is_valid():
        given = ask.cleaned_data
        try:
            request_outlook(
                campaign=campaign, methods=given["methods"], ps=given["p"], budget=given["budget"]
            )
        except Refusal as refused:
            ask.add_error(refused.field if refused.field in ask.fields else None, refused.detail)
        else:
            return redirect("campaigns:planner", slug=campaign.slug)
    times = judgment_times(campaign.id)
    target, counted = _target(request, times), counted_seconds(times.seconds)
    runs, topics = campaign.runs.taking_part().count(), campaign.topics.count()
    page = PlannerPage(
        _part(request, campaign, target), _planned_widths(campaign), ask, target, times, counted, runs, topics
    )
    return render_page(request, page, status=400 if ask.errors or target.errors else 200)


@require_safe
@organiser_page
def planner_progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Results so far, for a page that waits."""
    target = _target(request, judgment_times(campaign.id))
    return render_page(request, _part(request, campaign, target))


def _planned_widths(campaign: Campaign) -> PlannedWidths | None:
    """None where no random sample of the primary measure has intervals."""
    primary = measured_of(campaign=campaign, pairs=False).primary
    estimate = primary.estimate("sampled") if primary else None
    if primary is None or estimate is None or not estimate.planned:
        return None
    rows: dict[int, list[tuple[float, float]]] = {}
    for topics, _, *half_widths in sorted(estimate.planned):
        rows.setdefault(topics, []).append((half_widths[0], half_widths[1]))
    judgments = sorted({row[1] for row in estimate.planned})
    return PlannedWidths(primary.name, judgments, list(rows.items()))


def _target(request: HttpRequest, times: JudgmentTimes) -> TargetForm:
    minutes = round((counted_seconds(times.seconds) or 30) / 60, 2)
    usual = {"residual": 0.05, "tau": 0.9, "topic_minutes": 10, "minutes": minutes}
    return TargetForm(
        {name: request.GET.get(name, str(value)) for name, value in usual.items()}, initial=usual
    )


def _part(request: HttpRequest, campaign: Campaign, target: TargetForm) -> PlannerPart:
    targets = PlannerTargets(**(target.cleaned_data if target.is_valid() else target.initial))
    found = outlook_of(campaign=campaign, targets=targets)
    lines = list(enumerate(found.lines)) if found else []
    residuals = [_curve(found, n, line, line.residuals) for n, line in lines if found]
    taus = [_curve(found, n, line, line.taus) for n, line in lines if found]
    return PlannerPart(campaign, request.GET.urlencode(), targets, found, residuals, taus)


def _asked(campaign: Campaign) -> dict[str, Any]:
    methods = [*DEFAULT_PLAN_METHODS]
    if campaign.method in PLANNABLE_METHODS and campaign.method not in methods:
        methods.append(campaign.method)
    budget = usual_budget(campaign)
    return {"methods": methods, "p": f"{campaign.p:g}", "budget": budget}


@dataclass(frozen=True)
class PlannerCurve:
    """`number` chooses its colour and dashes."""

    number: int
    name: str
    points: str


def _curve(
    found: PlannerOutlook, number: int, line: PlannerLine, values: list[float] | list[float | None]
) -> PlannerCurve:
    start, across = found.budget - found.still, CURVE_WIDTH / found.still
    points = [
        f"{(judged - start) * across:.1f},{CURVE_HEIGHT - max(value, 0) * CURVE_HEIGHT:.1f}"
        for judged, value in zip(line.judged, values, strict=True)
        if value is not None
    ]
    return PlannerCurve(number, f"{line.label}, p = {as_typed(line.p)}", " ".join(points))
