"""Actions of organisers on topics, one or all selected: assign, unassign, close, reopen; and undoing that."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from campaigns.collection import assignments
from campaigns.collection.topics import set_method
from campaigns.core.errors import Refusal
from campaigns.core.phrases import as_sentence
from campaigns.judging import topic_closure
from campaigns.models import Campaign, Topic
from campaigns.pages.access import organiser_page, signed_in_user

# An act and what it is done to: pairs of number and name, numbers, or a method, its options and numbers.
UndoStep = tuple[str, list[Any]]

_UNDO = "topics-undo"


@require_POST
@organiser_page
def change_topics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All or nothing of one act; the page it came from shows what was done, and offers to undo it."""
    steps: list[UndoStep] = []
    number = request.POST.get("back", "")
    shows_topic = bool(number) and "\0" not in number and campaign.topics.filter(number=number).exists()
    try:
        with transaction.atomic():
            said, steps = _act(request, campaign)
    except Refusal as refused:
        messages.error(request, as_sentence(refused.detail))
    else:
        if steps and not shows_topic:
            remember_undo(request, campaign, said, steps)
        else:
            messages.success(request, said)
    if shows_topic:
        return redirect("campaigns:topic", slug=campaign.slug, number=number)
    return redirect(_table_address(request, campaign))


def _table_address(request: HttpRequest, campaign: Campaign) -> str:
    """The table as it was sorted and filtered."""
    path = reverse("campaigns:topics", args=[campaign.slug])
    wish = request.POST.get("table", "")
    is_ours = wish.startswith(f"{path}?") and url_has_allowed_host_and_scheme(wish, allowed_hosts=None)
    return wish if is_ours else path


def remember_undo(request: HttpRequest, campaign: Campaign, said: str, steps: Sequence[UndoStep]) -> None:
    """Have the next topics page say what was done, and offer to undo it."""
    request.session[_UNDO] = {"campaign": campaign.id, "said": said, "steps": json.dumps(steps)}


def undo_to_offer(request: HttpRequest, campaign: Campaign) -> dict[str, str] | None:
    """Last action, and a sealed note of how to undo it."""
    left = request.session.pop(_UNDO, None)
    if left is None or left["campaign"] != campaign.id:
        return None
    return {"said": left["said"], "steps": signing.dumps([campaign.id, left["steps"]], salt=_UNDO)}


def undo_of_method(topics: Sequence[Topic]) -> list[UndoStep]:
    """Have each topic served as it is now."""
    by_method: defaultdict[str, list[str]] = defaultdict(list)
    for topic in topics:
        by_method[json.dumps([topic.method, topic.options])].append(topic.number)
    return [("method", [*json.loads(method), numbers]) for method, numbers in by_method.items()]


def _act(request: HttpRequest, campaign: Campaign) -> tuple[str, list[UndoStep]]:
    posted = request.POST
    if "take_back" in posted:
        # "number name": neither has a blank in it.
        number, _, username = posted["take_back"].partition(" ")
        assignments.unassign(campaign=campaign, topics=_topics(campaign, [number]), username=username)
        said = gettext("Topic %(number)s is no longer assigned to %(username)s. Their judgments stay.")
        return said % {"number": number, "username": username}, [("assign", [[number, username]])]
    if "deal" in posted:
        return _deal(request, campaign), []
    if "assign" in posted:
        return _assign(request, campaign, posted.getlist("topic"), posted.getlist("username"))
    if "unassign" in posted:
        return _unassign_all(campaign, posted.getlist("topic"))
    for name, act in (("close", _close), ("reopen", _reopen)):
        if name in posted:
            # The button of one topic names it; that of the selection does not.
            return act(request, campaign, [posted[name]] if posted[name] else posted.getlist("topic"))
    if "undo" in posted:
        return _undo(request, campaign), []
    raise Refusal("unknown_act", gettext("say what to do: assign, deal, unassign, close or reopen"))


def _deal(request: HttpRequest, campaign: Campaign) -> str:
    dealt = assignments.assign_evenly(campaign=campaign, organiser=signed_in_user(request))
    return ngettext(
        "One topic is assigned evenly.",
        "%(count)s topics are assigned evenly to the assessors.",
        dealt,
    ) % {"count": dealt}


def _assign(
    request: HttpRequest, campaign: Campaign, numbers: list[str], usernames: list[str]
) -> tuple[str, list[UndoStep]]:
    new = assignments.divide(
        campaign=campaign,
        topics=_topics(campaign, numbers),
        usernames=usernames,
        organiser=signed_in_user(request),
    )
    said = ngettext(
        "One topic is newly assigned to %(username)s.",
        "%(count)s topics are newly assigned to %(username)s.",
        len(new),
    ) % {"count": len(new), "username": ", ".join(dict.fromkeys(usernames))}
    return said, [("unassign", [list(pair) for pair in new])] if new else []


def _unassign_all(campaign: Campaign, numbers: list[str]) -> tuple[str, list[UndoStep]]:
    topics = _topics(campaign, numbers)
    given = assignments.assignees_by_topic(campaign=campaign)
    pairs = [[topic.number, name] for topic in topics for name in given.get(topic.id, [])]
    if not pairs:
        raise Refusal("not_given", gettext("none of these topics is assigned"), field="topic", status=404)
    _unassign(campaign, pairs)
    count = len({number for number, _ in pairs})
    said = ngettext(
        "One topic is unassigned. Its judgments stay.",
        "%(count)s topics are unassigned. Their judgments stay.",
        count,
    )
    return said % {"count": count}, [("assign", pairs)]


def _close(request: HttpRequest, campaign: Campaign, numbers: list[str]) -> tuple[str, list[UndoStep]]:
    topics = [topic for topic in _topics(campaign, numbers) if topic.closed_at is None]
    for topic in topics:
        topic_closure.close_for_all(campaign=campaign, topic=topic, organiser=signed_in_user(request))
    said = ngettext(
        "Topic %(number)s is closed: its documents are no longer served. Its judgments stay.",
        "%(count)s topics are closed: their documents are no longer served. Their judgments stay.",
        max(len(topics), len(numbers)),
    ) % {"number": numbers[0], "count": len(topics)}
    return said, [("reopen", [topic.number for topic in topics])] if topics else []


def _reopen(request: HttpRequest, campaign: Campaign, numbers: list[str]) -> tuple[str, list[UndoStep]]:
    topics = _topics(campaign, numbers)
    # One that is open is refused; among several it stays as it is.
    closed = topics if len(topics) == 1 else [topic for topic in topics if topic.closed_at is not None]
    if not closed:
        raise Refusal("not_closed", gettext("none of these topics is closed"), field="topic", status=409)
    for topic in closed:
        topic_closure.reopen_topic(campaign=campaign, topic=topic)
    said = ngettext("Topic %(number)s is open again.", "%(count)s topics are open again.", len(closed))
    numbers = [topic.number for topic in closed]
    return said % {"number": numbers[0], "count": len(numbers)}, [("close", numbers)]


def _undo(request: HttpRequest, campaign: Campaign) -> str:
    try:
        owner, steps = signing.loads(request.POST["undo"], salt=_UNDO)
    except signing.BadSignature:
        owner, steps = None, "[]"
    if owner != campaign.id:
        raise Refusal("bad_undo", gettext("there is nothing to undo"), field="undo")
    for name, given in json.loads(steps):
        match name:
            case "assign":
                _assign_pairs(request, campaign, given)
            case "unassign":
                _unassign(campaign, given)
            case "close":
                _close(request, campaign, given)
            case "reopen":
                _reopen(request, campaign, given)
            case "method":
                method, options, numbers = given
                topics = _topics(campaign, numbers)
                set_method(campaign=campaign, topics=topics, method=method, options=options)
    return gettext("It is undone.")


def _assign_pairs(request: HttpRequest, campaign: Campaign, pairs: list[list[str]]) -> None:
    for username, numbers in _by_name(pairs).items():
        assignments.assign(
            campaign=campaign,
            topics=_topics(campaign, numbers),
            username=username,
            organiser=signed_in_user(request),
        )


def _unassign(campaign: Campaign, pairs: list[list[str]]) -> None:
    for username, numbers in _by_name(pairs).items():
        assignments.unassign(campaign=campaign, topics=_topics(campaign, numbers), username=username)


def _by_name(pairs: list[list[str]]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for number, username in pairs:
        found[username].append(number)
    return found


def _topics(campaign: Campaign, numbers: list[str]) -> list[Topic]:
    # Postgres refuses to be asked for a text with a NUL in it.
    found = list(campaign.topics.filter(number__in=[number for number in numbers if "\0" not in number]))
    if not found:
        raise Refusal("no_topic", gettext("choose at least one topic"), field="topic", status=404)
    return found
