"""The configuration: a draft's steps, one after the other, and later the same page to change them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, ngettext
from django.views.decorators.http import require_POST, require_safe

from campaigns.collection import runs as run_services
from campaigns.collection.documents import removal_obstacle, remove_documents
from campaigns.collection.topics import remove_topics, untouched_topics
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.models import Campaign
from campaigns.models.campaign import Status
from campaigns.pages.access import also_archived, organiser_page, signed_in_user
from campaigns.pages.acts import act_address, redirect_with
from campaigns.pages.people.people import PeoplePart, people_of
from campaigns.pages.setup import forms
from campaigns.pages.setup.collection import LANGUAGE_NAMES, dataset_part
from campaigns.people.invitations import open_invitations
from campaigns.results.score_ranges import first_judgment
from campaigns.results.topic_rows import membership_counts, sizes_of
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive, unarchive
from campaigns.setup.steps import STEPS, current_step, is_ready, next_step, remember, settle, steps_of

FIRST_SETUP_TOPICS, MOST_SETUP_TOPICS = 8, 100


@require_safe
@organiser_page
def setup(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    wish = request.GET.get("step", "")
    return setup_page(request, campaign, {"at": wish} if wish in STEPS else {})


def setup_page(
    request: HttpRequest, campaign: Campaign, more: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """`more` replaces what the page would show: which step is open, a form with what is wrong in it."""
    context: dict[str, Any] = {
        **PeoplePart(campaign, people_of(campaign), signed_in_user(request), in_step=True).names(),
        **forms.form_context(campaign),
        **dataset_part(campaign),
        "languages": LANGUAGE_NAMES.items(),
    }
    for part in forms.FORM_PARTS:
        context[f"{part}_form"] = forms.form_of(campaign, part)
    for read in _READERS.values():
        context |= read(campaign)
    context["at"] = current_step(campaign=campaign, user=signed_in_user(request), steps=context["steps"])
    return render(request, "campaigns/setup/setup.html", {**context, **more}, status=status)


@require_safe
@organiser_page
def part(request: HttpRequest, campaign: Campaign, part: str) -> HttpResponse:
    """Current state of one part, for the page to swap in after an upload."""
    if part not in _READERS:
        raise Http404
    context = {"campaign": campaign, **_READERS[part](campaign)}
    return render(request, _FRAGMENTS[part], context)


def _collection(campaign: Campaign) -> dict[str, Any]:
    return {
        "documents": campaign.collection.documents.count(),
        "shared_with": campaign.collection.campaigns.exclude(id=campaign.id).count(),
        "removable_documents": campaign.collection.complete and not removal_obstacle(campaign=campaign),
    }


def _topics(campaign: Campaign) -> dict[str, Any]:
    topics = list(campaign.topics.only("campaign", "number", "title")[:MOST_SETUP_TOPICS])
    total = campaign.topics.count()
    return {
        "first_topics": topics[:FIRST_SETUP_TOPICS],
        "more_topics": topics[FIRST_SETUP_TOPICS:],
        "more": total - min(total, FIRST_SETUP_TOPICS),
        "hidden": total - len(topics),
        "topics": total,
        "removable": set(untouched_topics(campaign)),
    }


def _runs(campaign: Campaign) -> dict[str, Any]:
    runs, sizes = list(campaign.runs.order_by("id")), sizes_of(campaign=campaign)
    withdrawn = sum(run.withdrawn_at is not None for run in runs)
    counts = {"taking_part": len(runs) - withdrawn, "withdrawn": withdrawn}
    return {
        "runs": [(run, *_size(*sizes.get(run.id, (0, 0)))) for run in runs],
        **counts,
        "topics": campaign.topics.count(),
        "began": first_judgment(campaign=campaign),
    }


def _size(topics: int, documents: int) -> tuple[int, float]:
    """Number of topics that a run ranks, and the mean number of documents in each."""
    return topics, documents / (topics or 1)


def _open(campaign: Campaign) -> dict[str, Any]:
    counts = membership_counts(campaign=campaign)
    return {
        "lacking": services.lacks_of(campaign),
        "assessors": counts.get("assessor", 0),
        "open_invitations": open_invitations(campaign=campaign).count(),
    }


def _states(campaign: Campaign) -> dict[str, Any]:
    steps = steps_of(campaign=campaign)
    return {"steps": steps, "ready": is_ready(steps)}


_READERS: dict[str, Callable[[Campaign], dict[str, Any]]] = {
    "collection": _collection,
    "topics": _topics,
    "runs": _runs,
    "open": _open,
    "states": _states,
}

_FRAGMENTS = {
    "collection": "campaigns/setup/_collection.html",
    "topics": "campaigns/setup/_topic_list.html",
    "runs": "campaigns/setup/_runs.html",
    "open": "campaigns/setup/_open.html",
    "states": "campaigns/setup/_states.html",
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


def _step(step: str) -> Callable[..., str]:
    """Address of the set-up at a step, whatever else an act gets."""

    def address(request: HttpRequest, campaign: Campaign, **_: object) -> str:
        return f"{reverse('campaigns:setup', args=[campaign.slug])}?step={step}"

    return address


@act_address(organiser_page, also_archived, back=_step("open"))
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


@act_address(organiser_page, back=_step("runs"))
def remove_run(request: HttpRequest, campaign: Campaign, run: int) -> str:
    found = get_object_or_404(campaign.runs, id=run)
    run_services.remove_run(run=found)
    words = gettext("The run %(tag)s is out of the campaign. Its judged documents stay judged.")
    return words % {"tag": found.tag}


@act_address(organiser_page, back=_step("collection"))
def drop_documents(request: HttpRequest, campaign: Campaign) -> str:
    count = remove_documents(campaign=campaign)
    words = ngettext("One document is taken out.", "All %(count)s documents are taken out.", count)
    return words % {"count": group_digits(count)}


@act_address(organiser_page, back=_step("topics"))
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
        return redirect(_step(following)(request, campaign))
    answer = _fragment(request, campaign, step) if step in forms.FORM_PARTS else HttpResponse(status=204)
    answer.headers["HX-Trigger"] = json.dumps({"changed-settings": "", "saved-step": {"next": following}})
    return answer


def _saved(request: HttpRequest, campaign: Campaign, step: str) -> HttpResponse:
    """Response to a saved step, which stays in sight."""
    if request.headers.get("HX-Request") and step in STEPS:
        answer = _fragment(request, campaign, step, saved=True)
        answer.headers["HX-Trigger"] = "changed-settings"
        return answer
    messages.success(request, gettext("The settings are saved."))
    return redirect(_step(step)(request, campaign))


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
    more = {"at": step, f"{step}_form": form, **forms.form_context(campaign, request.POST, wrong)}
    return setup_page(request, campaign, more, status=400)


def _fragment(
    request: HttpRequest,
    campaign: Campaign,
    step: str,
    form: Form | None = None,
    wrong: str = "",
    *,
    saved: bool = False,
) -> HttpResponse:
    """The step's form: as it is stored, or as it was filled in with what is wrong."""
    posted = request.POST if form is not None else None
    context: dict[str, Any] = {
        "campaign": campaign,
        "part": step,
        "form": form or forms.form_of(campaign, step),
        "saved": saved,
        **forms.form_context(campaign, posted, wrong),
    }
    return render(request, "campaigns/setup/_step_form.html", context)
