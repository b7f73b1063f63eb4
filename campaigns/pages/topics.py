"""The topics page, a topic's page, and what organisers do there: assign, close, choose a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.collection import assignments
from campaigns.collection.assignments import assignees_by_topic
from campaigns.collection.topics import set_method
from campaigns.core.errors import Refusal
from campaigns.core.phrases import as_sentence
from campaigns.judging import topic_closure
from campaigns.judging.topic_development import revisions_of
from campaigns.models import Campaign, Sample, Topic
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.setup.methods import (
    field_name,
    fields_of,
    label_of,
    offered_methods,
    read_options,
    run_tags,
)
from campaigns.results.documents import judged_documents
from campaigns.results.overview import TopicRow, judging_now, people_of, topics_of
from campaigns.results.queues import queue_view
from campaigns.results.score_ranges import score_ranges_of

LONGEST_SEARCH = 200

STATES: dict[str, str | Promise] = {
    "": gettext_lazy("any"),
    "left": gettext_lazy("open, minimum not reached"),
    "enough": gettext_lazy("minimum reached"),
    "untouched": gettext_lazy("nothing judged yet"),
    "now": gettext_lazy("being judged now"),
    "unassigned": gettext_lazy("open, assigned to nobody"),
    "closed": gettext_lazy("closed"),
}

QUEUE_ROWS = 20
FIRST_TOPIC_RUNS = 15
# So few are found without a filter.
FEW_TOPICS = 10
OF_MINIMUM = ("left", "enough")


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def topics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    answer: dict[str, Any] = {}
    if request.method == "POST":
        numbers = request.POST.getlist("topic")
        chosen = list(campaign.topics.filter(number__in=numbers))
        answer = _choose(request, campaign, chosen)
        if not answer:
            return redirect("campaigns:topics", slug=campaign.slug)
        answer["chosen"] = numbers
    now = judging_now(campaign=campaign)
    marks = {row[0]: row[1:] for row in campaign.topics.values_list("id", "method", "closed_at")}
    given = assignees_by_topic(campaign=campaign)
    rows = [
        TopicLine(
            topic,
            now.get(topic.id, []),
            label_of(method) if method else "",
            given.get(topic.id, []),
            closed_at is not None,
        )
        for topic in topics_of(campaign=campaign)
        for method, closed_at in [marks[topic.id]]
    ]
    asked = TopicFilter.asked(request.GET)
    context = {
        "campaign": campaign,
        "rows": rows,
        "shown": asked.only(rows, minimum=campaign.min_judgments),
        "asked": asked,
        "people": people_of(campaign=campaign),
    }
    # The live part alone, for the page that asks again every few seconds, and as somebody types.
    if request.headers.get("HX-Request"):
        return _never_as_a_page(render(request, "campaigns/topics/_topics.html", context))
    states = (
        STATES if campaign.min_judgments else {key: STATES[key] for key in STATES if key not in OF_MINIMUM}
    )
    context |= {"states": states, "filtering": bool(asked) or len(rows) > FEW_TOPICS}
    context |= {**_method_form(request, campaign, "", {}), **answer}
    return render(request, "campaigns/topics/topics.html", context, status=_status(answer))


def _never_as_a_page(part: HttpResponse) -> HttpResponse:
    """Its address is the page's, too: a browser that goes back must not show the part alone."""
    patch_cache_control(part, no_store=True)
    return part


@dataclass(frozen=True)
class TopicLine:
    """A topic as the page lists it: who judges it now, what serves it, who is to judge it."""

    topic: TopicRow
    judging: list[str]
    method: str
    assigned: list[str]
    closed: bool

    def is_in(self, state: str, minimum: int) -> bool:
        match state:
            case "left":
                return not self.closed and self.topic.judged < minimum
            case "enough":
                return self.topic.judged >= minimum
            case "untouched":
                return not self.topic.judged
            case "now":
                return bool(self.judging)
            case "unassigned":
                return not self.closed and not self.assigned
            case "closed":
                return self.closed
        return True


@dataclass(frozen=True)
class TopicFilter:
    words: str
    state: str

    @classmethod
    def asked(cls, query: QueryDict) -> TopicFilter:
        state = query.get("state", "")
        return cls(query.get("words", "").strip()[:LONGEST_SEARCH], state if state in STATES else "")

    def __bool__(self) -> bool:
        return bool(self.words or self.state)

    def only(self, lines: Sequence[TopicLine], *, minimum: int) -> list[TopicLine]:
        """Topics whose number begins so, and those with all of the words in title, number or people's names;
        of these the ones in the state."""
        words = self.words.casefold().split()
        return [line for line in lines if line.is_in(self.state, minimum) and _has(line, words)]


def _has(line: TopicLine, words: Sequence[str]) -> bool:
    text = " ".join([line.topic.title, *line.assigned, *line.judging]).casefold()
    number = line.topic.number.casefold()
    return all(number.startswith(word) or _stands_in(word, text) for word in words)


def _stands_in(word: str, text: str) -> bool:
    """Anywhere; but 7 is no part of 107."""
    return any(one.startswith(word) for one in text.split()) if word.isdigit() else word in text


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def topic(request: HttpRequest, campaign: Campaign, number: str) -> HttpResponse:
    found = get_object_or_404(campaign.topics, number=number)
    found.campaign = campaign
    answer: dict[str, Any] = {}
    if request.method == "POST":
        answer = _choose(request, campaign, [found])
        if not answer:
            return redirect("campaigns:topic", slug=campaign.slug, number=number)
    context = {"campaign": campaign, "topic": found, **_queue(campaign, found), **_standing(campaign, found)}
    # What judging moves alone, for the page that asks again every few seconds.
    if request.headers.get("HX-Request"):
        return render(request, "campaigns/topics/_again.html", context | {"again": True})
    context |= {
        "wordings": revisions_of(topic=found),
        **_method_form(request, campaign, found.method, found.options),
        **answer,
    }
    return render(request, "campaigns/topics/topic.html", context, status=_status(answer))


def _queue(campaign: Campaign, topic: Topic) -> dict[str, Any]:
    queue = queue_view(campaign=campaign, topic=topic, limit=QUEUE_ROWS)
    return {
        "queue": queue,
        "rows": [(row, label_of(row.method)) for row in queue.rows],
        "opened": any(row.open_to for row in queue.rows),
        "sampled": any(row.inclusion is not None for row in queue.rows),
        "mixed": any(row.method != queue.method for row in queue.rows),
    }


def _standing(campaign: Campaign, topic: Topic) -> dict[str, Any]:
    """How the topic stands: its counts, the runs' intervals on it, and the latest judged documents."""
    runs = sorted(
        score_ranges_of(campaign=campaign, topic=topic), key=lambda run: (-run.base, -run.top, run.id)
    )
    judged = judged_documents(campaign=campaign, topic=topic)
    return {
        "runs": runs[:FIRST_TOPIC_RUNS],
        "more_runs": runs[FIRST_TOPIC_RUNS:],
        "judged": judged.rows,
        "judged_total": judged.total,
        "row": topics_of(campaign=campaign, only=[topic.id])[0],
        "served_by": label_of(topic.method or campaign.method),
        "sample": _sample(topic),
        "assigned": assignees_by_topic(campaign=campaign).get(topic.id, []),
    }


def _sample(topic: Topic) -> Sample | None:
    return Sample.objects.filter(topic=topic).only("size", "created").first()


def _choose(request: HttpRequest, campaign: Campaign, chosen: list[Topic]) -> dict[str, Any]:
    """Have the topics served as the form says; what the page must say if that is refused."""
    method = request.POST.get("method", "")
    try:
        if not chosen:
            raise Refusal("no_topic", gettext("choose at least one topic"), field="topic")
        set_method(
            campaign=campaign, topics=chosen, method=method, options=read_options(request.POST, method)
        )
    except Refusal as refused:
        return {"refused": refused, "wrong_option": field_name(method, refused)}
    messages.success(request, _served(chosen, method))
    return {}


def _served(chosen: list[Topic], method: str) -> str:
    served = gettext("by %(method)s") % {"method": label_of(method)} if method else gettext("as the campaign")
    said = ngettext(
        "Topic %(number)s is served %(served)s. All judgments stay; the queue is made anew.",
        "%(count)s topics are served %(served)s. All judgments stay; the queue is made anew.",
        len(chosen),
    )
    return said % {"number": chosen[0].number, "count": len(chosen), "served": served}


def _method_form(
    request: HttpRequest, campaign: Campaign, method: str, stored: dict[str, Any]
) -> dict[str, Any]:
    typed = request.POST if request.method == "POST" else None
    runs = run_tags(campaign)
    groups = offered_methods()
    kept = {campaign.method: campaign.options, method: stored}
    options = [
        (one, fields_of(one.name, kept.get(one.name, {}), typed, runs)) for _, of in groups for one in of
    ]
    return {
        "groups": groups,
        "method": method if typed is None else typed.get("method", ""),
        "options": [(one, fields) for one, fields in options if fields],
        "campaign_method": label_of(campaign.method),
    }


def _status(answer: dict[str, Any]) -> int:
    return answer["refused"].status if "refused" in answer else 200


@require_POST
@organiser_page
def change_assignments(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    try:
        messages.success(request, _act(request, campaign))
    except Refusal as refused:
        messages.error(request, as_sentence(refused.detail))
    number = request.POST.get("back", "")
    if number and "\0" not in number and campaign.topics.filter(number=number).exists():
        return redirect("campaigns:topic", slug=campaign.slug, number=number)
    return redirect("campaigns:topics", slug=campaign.slug)


def _act(request: HttpRequest, campaign: Campaign) -> str:
    posted = request.POST
    if "take_back" in posted:
        # "number name": neither has a blank in it.
        number, _, username = posted["take_back"].partition(" ")
        topics = _topics(campaign, [number])
        assignments.unassign(campaign=campaign, topics=topics, username=username)
        said = gettext("Topic %(number)s is taken back from %(username)s. What they judged stays.")
        return said % {"number": number, "username": username}
    if "close" in posted:
        for topic in _topics(campaign, [posted["close"]]):
            topic_closure.close_for_all(campaign=campaign, topic=topic, organiser=signed_in_user(request))
        said = gettext("Topic %(number)s is closed: nothing of it is served. What was judged stays.")
        return said % {"number": posted["close"]}
    if "reopen" in posted:
        for topic in _topics(campaign, [posted["reopen"]]):
            topic_closure.reopen_topic(campaign=campaign, topic=topic)
        return gettext("Topic %(number)s is open again.") % {"number": posted["reopen"]}
    if "deal" in posted:
        dealt = assignments.assign_evenly(campaign=campaign, organiser=signed_in_user(request))
        return ngettext(
            "One topic is dealt to the assessors in turn.",
            "%(count)s topics are dealt to the assessors in turn.",
            dealt,
        ) % {"count": dealt}
    if "assign" in posted:
        username = posted.get("username", "")
        topics = _topics(campaign, posted.getlist("topic"))
        given = assignments.assign(
            campaign=campaign, topics=topics, username=username, organiser=signed_in_user(request)
        )
        return ngettext(
            "One topic is newly assigned to %(username)s.",
            "%(count)s topics are newly assigned to %(username)s.",
            given,
        ) % {"count": given, "username": username}
    raise Refusal("unknown_act", gettext("say what to do: assign, deal, take back, close or reopen"))


def _topics(campaign: Campaign, numbers: list[str]) -> list[Topic]:
    # Postgres refuses to be asked for a text with a NUL in it.
    found = list(campaign.topics.filter(number__in=[number for number in numbers if "\0" not in number]))
    if not found:
        raise Refusal("no_topic", gettext("choose at least one topic"), field="topic", status=404)
    return found
