"""The configuration: a draft's steps, one after the other, and later the same page to change them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext, gettext_noop, ngettext
from django.views.decorators.http import require_POST, require_safe

from campaigns.collection import runs as run_services
from campaigns.collection.documents import removal_obstacle, remove_documents
from campaigns.collection.topics import remove_topics, untouched_topics
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.duplicates.groups import DuplicateFigures, duplicate_figures
from campaigns.models import Campaign, Run, Topic
from campaigns.models.campaign import Status
from campaigns.pages.access import also_archived, organiser_page, signed_in_user
from campaigns.pages.acts import act_address, redirect_with
from campaigns.pages.people.people import PeoplePart, people_of
from campaigns.pages.setup import forms
from campaigns.pages.setup.addresses import setup_address
from campaigns.pages.setup.collection import LANGUAGE_NAMES, LoadingPart, loading_part
from campaigns.people.invitations import open_invitations
from campaigns.results.score_ranges import first_judgment
from campaigns.results.topic_rows import membership_counts, sizes_of
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive, unarchive
from campaigns.setup.steps import STEPS, Step, current_step, is_ready, next_step, remember, settle, steps_of
from campaigns.templatetags.contexts import CampaignContext, render_page

FIRST_SETUP_TOPICS, MOST_SETUP_TOPICS = 8, 100


class CollectionPart(CampaignContext, template="campaigns/setup/_collection.html"):
    documents: int
    shared_with: int
    removable_documents: bool
    duplicates: DuplicateFigures


class TopicsPart(CampaignContext, template="campaigns/setup/_topic_list.html"):
    first_topics: list[Topic]
    more_topics: list[Topic]
    more: int
    hidden: int
    topics: int
    removable: set[str]


class RunsPart(CampaignContext, template="campaigns/setup/_runs.html"):
    """`runs`: with the number of topics that each ranks, and the mean number of documents in them."""

    runs: list[tuple[Run, int, float]]
    taking_part: int
    withdrawn: int
    topic_count: int
    began: datetime | None


class OpenPart(CampaignContext, template="campaigns/setup/_open.html"):
    lacking: list[services.OpeningObstacle]
    assessors: int
    open_invitations: int


class StatesPart(CampaignContext, template="campaigns/setup/_states.html"):
    steps: list[Step]
    ready: bool


class StepForm(CampaignContext, template="campaigns/setup/_step_form.html"):
    choices: forms.ChoicesPart
    part: str
    form: Form


class SetupPage(CampaignContext, template="campaigns/setup/setup.html"):
    """`forms`: by the step that holds each."""

    states: StatesPart
    people: PeoplePart
    choices: forms.ChoicesPart
    loading: LoadingPart
    collection: CollectionPart
    topics: TopicsPart
    runs: RunsPart
    opening: OpenPart
    forms: dict[str, Form]
    at: str
    languages: Sequence[tuple[str, Any]] = tuple(LANGUAGE_NAMES.items())


@require_safe
@organiser_page
def setup(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    wish = request.GET.get("step", "")
    return setup_page(request, campaign, wish if wish in STEPS else "", forms.choices_part(campaign), {})


def setup_page(
    request: HttpRequest,
    campaign: Campaign,
    at: str,
    choices: forms.ChoicesPart,
    wrong: dict[str, Form],
    *,
    status: int = 200,
) -> HttpResponse:
    """`at`: the open step, empty for the current one; `wrong`: a form with what is wrong in it."""
    user, states = signed_in_user(request), _states(campaign)
    page = SetupPage(
        campaign,
        states,
        PeoplePart(campaign, people_of(campaign), user, in_step=True),
        choices,
        loading_part(campaign),
        _collection(campaign),
        _topics(campaign),
        _runs(campaign),
        _open(campaign),
        {part: forms.form_of(campaign, part) for part in forms.FORM_PARTS} | wrong,
        at or current_step(campaign=campaign, user=user, steps=states.steps),
    )
    return render_page(request, page, status=status)


@require_safe
@organiser_page
def part(request: HttpRequest, campaign: Campaign, part: str) -> HttpResponse:
    """Current state of one part, for the page to swap in after an upload."""
    if part not in _READERS:
        raise Http404
    return render_page(request, _READERS[part](campaign))


def _collection(campaign: Campaign) -> CollectionPart:
    rows = campaign.collection
    removable = rows.complete and not removal_obstacle(campaign=campaign)
    shared_with = rows.campaigns.exclude(id=campaign.id).count()
    duplicates = duplicate_figures(rows)
    return CollectionPart(campaign, rows.documents.count(), shared_with, removable, duplicates)


def _topics(campaign: Campaign) -> TopicsPart:
    topics = list(campaign.topics.only("campaign", "number", "title")[:MOST_SETUP_TOPICS])
    total = campaign.topics.count()
    first, later = topics[:FIRST_SETUP_TOPICS], topics[FIRST_SETUP_TOPICS:]
    more, hidden = total - min(total, FIRST_SETUP_TOPICS), total - len(topics)
    return TopicsPart(campaign, first, later, more, hidden, total, set(untouched_topics(campaign)))


def _runs(campaign: Campaign) -> RunsPart:
    runs, sizes = list(campaign.runs.order_by("id")), sizes_of(campaign=campaign)
    withdrawn = sum(run.withdrawn_at is not None for run in runs)
    rows = [(run, *_size(*sizes.get(run.id, (0, 0)))) for run in runs]
    topics, began = campaign.topics.count(), first_judgment(campaign=campaign)
    return RunsPart(campaign, rows, len(runs) - withdrawn, withdrawn, topics, began)


def _size(topics: int, documents: int) -> tuple[int, float]:
    """Number of topics that a run ranks, and the mean number of documents in each."""
    return topics, documents / (topics or 1)


def _open(campaign: Campaign) -> OpenPart:
    assessors = membership_counts(campaign=campaign).get("assessor", 0)
    open_count = open_invitations(campaign=campaign).count()
    return OpenPart(campaign, services.lacks_of(campaign), assessors, open_count)


def _states(campaign: Campaign) -> StatesPart:
    steps = steps_of(campaign=campaign)
    return StatesPart(campaign, steps, is_ready(steps))


_READERS: dict[str, Callable[[Campaign], CampaignContext]] = {
    "collection": _collection,
    "topics": _topics,
    "runs": _runs,
    "open": _open,
    "states": _states,
}

_MOVES: dict[str, tuple[Callable[..., None], str]] = {
    "open": (services.open_campaign, gettext_noop("The campaign is open: assessors can judge.")),
    "pause": (
        services.pause,
        gettext_noop("The campaign is paused: no one can judge until you open it again."),
    ),
    "close": (services.close, gettext_noop("The campaign is closed. The judgments can be exported.")),
    "archive": (archive, gettext_noop("The campaign is archived: read only, and off the list.")),
    "unarchive": (unarchive, gettext_noop("The campaign is restored from the archive.")),
}


def _said(step: str) -> Callable[..., str]:
    """Address of the messages of a step, whatever else an act gets."""

    def address(request: HttpRequest, campaign: Campaign, **_: object) -> str:
        return setup_address(campaign, step, f"{step}-said")

    return address


def _moved(request: HttpRequest, campaign: Campaign) -> str:
    place = "archive" if request.POST.get("to") in ("archive", "unarchive") else "open"
    return setup_address(campaign, "open", f"{place}-said")


@act_address(organiser_page, also_archived, back=_moved)
def move(request: HttpRequest, campaign: Campaign) -> str | HttpResponse:
    to = request.POST.get("to", "")
    if to not in _MOVES:
        detail = gettext("unknown action; choose open, pause, close, archive or unarchive")
        return HttpResponse(detail, status=400, content_type="text/plain")
    service, words = _MOVES[to]
    service(campaign=campaign)
    if to == "archive":
        return redirect_with(request, gettext(words), "campaigns:list")
    if to in ("open", "unarchive"):
        return redirect_with(request, gettext(words), "campaigns:dashboard", slug=campaign.slug)
    return gettext(words)


@act_address(organiser_page, back=_said("runs"))
def remove_run(request: HttpRequest, campaign: Campaign, run: int) -> str:
    found = get_object_or_404(campaign.runs, id=run)
    run_services.remove_run(run=found)
    words = gettext("The run %(tag)s is out of the campaign. Its judged documents stay judged.")
    return words % {"tag": found.tag}


@act_address(organiser_page, back=_said("collection"))
def drop_documents(request: HttpRequest, campaign: Campaign) -> str:
    count = remove_documents(campaign=campaign)
    words = ngettext("One document is taken out.", "All %(count)s documents are taken out.", count)
    return words % {"count": group_digits(count)}


@act_address(organiser_page, back=_said("topics"))
def drop_topics(request: HttpRequest, campaign: Campaign) -> str:
    """Take out the topic that was named, or all in which nothing has been done."""
    typed = filter(None, map(str.strip, request.POST.getlist("topic")))
    numbers = untouched_topics(campaign) if "all" in request.POST else list(typed)
    count = remove_topics(campaign=campaign, numbers=numbers)
    words = ngettext("One topic is taken out.", "%(count)s topics are taken out.", count)
    return words % {"count": count}


@require_POST
@organiser_page
def save_step(request: HttpRequest, campaign: Campaign, step: str) -> HttpResponse:
    """Store the step's settings, if it has any. In a draft it is then looked over, and the next one opens."""
    if step not in STEPS and step not in forms.FORM_PARTS:
        raise Http404
    if step in forms.FORM_PARTS:
        form = forms.form_of(campaign, step, request.POST)
        wrong = forms.save_form(campaign, form, request.POST, step)
        if wrong is not None:
            return _again(request, campaign, step, form, wrong)
    if campaign.status != Status.DRAFT or step not in STEPS:
        return _saved(request, campaign, step)
    settle(campaign=campaign, step=step)
    following = next_step(step)
    remember(campaign=campaign, user=signed_in_user(request), step=following)
    if not request.headers.get("HX-Request"):
        return redirect(setup_address(campaign, following, following))
    answer = _fragment(request, campaign, step) if step in forms.FORM_PARTS else HttpResponse(status=204)
    answer.headers["HX-Trigger"] = json.dumps({"changed-settings": "", "saved-step": {"next": following}})
    return answer


def _saved(request: HttpRequest, campaign: Campaign, step: str) -> HttpResponse:
    """Response to a saved step, which stays in sight."""
    place = f"{step}-said"
    messages.success(request, gettext("The settings are saved."), extra_tags=place)
    if request.headers.get("HX-Request") and step in STEPS and step in forms.FORM_PARTS:
        answer = _fragment(request, campaign, step)
        answer.headers["HX-Trigger"] = "changed-settings"
        return answer
    return redirect(setup_address(campaign, step, place))


@require_POST
@organiser_page
def remember_step(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Store this organiser's current step."""
    try:
        remember(campaign=campaign, user=signed_in_user(request), step=request.POST.get("step", ""))
    except Refusal as refused:
        return HttpResponse(refused.detail, status=400, content_type="text/plain")
    return HttpResponse(status=204)


def _again(request: HttpRequest, campaign: Campaign, step: str, form: Form, wrong: str) -> HttpResponse:
    # htmx shows a refusal only if it comes as a success.
    if request.headers.get("HX-Request"):
        return _fragment(request, campaign, step, form, wrong)
    choices = forms.choices_part(campaign, request.POST, wrong)
    return setup_page(request, campaign, step, choices, {step: form}, status=400)


def _fragment(
    request: HttpRequest,
    campaign: Campaign,
    step: str,
    form: Form | None = None,
    wrong: str = "",
) -> HttpResponse:
    """The step's form: as it is stored, or as it was filled in with what is wrong."""
    posted = request.POST if form is not None else None
    choices = forms.choices_part(campaign, posted, wrong)
    page = StepForm(campaign, choices, step, form or forms.form_of(campaign, step))
    return render_page(request, page)
