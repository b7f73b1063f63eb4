"""The judging side's pages: home, a campaign, its training, topic development and the judging screen."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from assess import screen
from assess.access import assessor_of, campaign_for, campaigns_for, judging_page, topic_page
from assess.finish import finish_card, may_close_for_all, topic_after_anchors
from assess.screen import grades, guidelines_of, screen_data
from assess.topics import FEW_OWN_TOPICS, TOPIC_SORTS, TopicStanding, offers, standings, turns
from campaigns.core.digits import digits_or_zero
from campaigns.due_dates.work_left import due_work
from campaigns.judging.questions import new_answers
from campaigns.judging.situation import untrained_campaigns
from campaigns.judging.topic_development import LONGEST_TOPIC_TEXT, OutdatedRevision, revise
from campaigns.models import Campaign, Topic
from campaigns.models.campaign import Status
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.pages.acts import Answer, page_with_acts


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    user = assessor_of(request)
    campaigns = list(campaigns_for(user).filter(archived_at=None))
    topics = defaultdict[int, list[TopicStanding]](list)
    for topic in standings(user=user.id, campaigns=campaigns):
        topics[topic.campaign_id].append(topic)
    to_train = untrained_campaigns(campaigns=campaigns, assessor=user.id)
    answers, now = new_answers(campaigns=campaigns, assessor=user.id), timezone.now()
    cards = []
    for campaign in campaigns:
        own = topics[campaign.id]
        offered = offers(own, seed="", choice=campaign.topic_choice)
        cards.append(
            {
                "campaign": campaign,
                "topics": len(own),
                "train": campaign.id in to_train,
                "assigned": offered.assigned,
                "in_progress": offered.in_progress,
                "finished": len(offered.finished),
                "answers": answers.get(campaign.id, 0),
                "due": due_work(campaign=campaign, left=offered.left, now=now),
                "judged": sum(topic.judged for topic in own),
            }
        )
    # What waits for them first; what is closed to judging now, last.
    cards.sort(key=_place)
    organises = Campaign.objects.organised_by(user).exists()
    return render(request, "assess/choose/home.html", {"cards": cards, "organises": organises})


def _place(card: dict[str, Any]) -> tuple[bool, bool]:
    open_here = card["campaign"].status == Status.OPEN and not card["campaign"].paused_here
    return not open_here, not (card["assigned"] or card["in_progress"])


@require_safe
@login_required
def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    topics = standings(user=user.id, campaigns=[campaign])
    seed = f"{campaign.seed}:{user.id}"
    offered_topics = offers(topics, seed=seed, choice=campaign.topic_choice, turns=turns(campaign))
    words, sort = request.GET.get("words", "").strip()[:200], request.GET.get("sort", "")
    live = campaign.status == Status.OPEN and not campaign.paused_here  # type: ignore[attr-defined]  # annotated
    context = {
        "campaign": campaign,
        "offers": offered_topics.narrowed(words=words, sort=sort),
        "filtering": offered_topics.own > FEW_OWN_TOPICS or bool(words),
        "words": words,
        "sort": sort,
        "sorts": [(name, label) for name, (label, _) in TOPIC_SORTS.items()],
        "asked": urlencode({name: typed for name, typed in (("words", words), ("sort", sort)) if typed}),
        "due": due_work(campaign=campaign, left=offered_topics.left, now=timezone.now()),
        "topics": len(topics),
        "train": bool(untrained_campaigns(campaigns=[campaign], assessor=user.id)),
        "can_train": campaign.training_items.count() >= LEAST_TRAINING,
        "live": live,
        "answers": new_answers(campaigns=[campaign], assessor=user.id).get(campaign.id, 0),
        "guidelines": guidelines_of(campaign),
    }
    offered = render_to_string("assess/choose/_offers.html", context)
    context |= {"offered": offered, "seen": hashlib.sha256(offered.encode()).hexdigest()[:16]}
    if request.headers.get("HX-Request"):
        return _offers_since(request, context)
    return render(request, "assess/choose/campaign.html", context)


@never_cache
def _offers_since(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """For a page that asks again every few seconds: nothing as long as it has `seen` what is offered."""
    if not context["live"]:
        # The rest of the page has changed, too.
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    return render(request, "assess/choose/_live_offers.html", context)


@require_safe
@never_cache
@ensure_csrf_cookie
@login_required
def training(request: HttpRequest, slug: str) -> HttpResponse:
    """The training's screen; its script asks for the items one by one."""
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    scale = grades(campaign)
    data = {
        "assessor": user.id,
        "api": reverse("api:campaign", args=[campaign.slug]),
        "grades": scale,
        "again": "again" in request.GET,
    }
    context = {"campaign": campaign, "grades": scale, "data": data}
    context |= {"items": campaign.training_items.count(), "guidelines": guidelines_of(campaign)}
    return render(request, "assess/training.html", context)


def _revise(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    revise(campaign=campaign, topic=topic, author=assessor_of(request), **_typed_words(request))
    return redirect("assess:topic", slug=campaign.slug, number=topic.number)


def _typed_words(request: HttpRequest) -> dict[str, Any]:
    words = {name: request.POST.get(name, "").replace("\0", "") for name in ("description", "narrative")}
    return {**words, "based_on": digits_or_zero(request.POST.get("based_on", ""))}


@page_with_acts(never_cache, partial(judging_page, developing=True), act=_revise)
def develop(request: HttpRequest, campaign: Campaign, topic: Topic, answer: Answer) -> HttpResponse:
    """The bare query, and room to write out what is wanted, before the first document."""
    stored = {
        "description": topic.description,
        "narrative": topic.narrative,
        "based_on": topic.revision,
    }
    context = {
        "campaign": campaign,
        "topic": topic,
        "longest": LONGEST_TOPIC_TEXT,
        "refused": answer.refused,
        **(_typed_words(request) if answer.refused else stored),
    }
    if isinstance(answer.refused, OutdatedRevision):
        # Saving once more, with the newer words in sight, is a decision.
        newer = answer.refused.current
        context |= {"newer": newer, "based_on": newer.revision}
    return render(request, "assess/search/develop.html", context)


@require_safe
@never_cache
@ensure_csrf_cookie
@judging_page
def topic(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    user = assessor_of(request)
    data = screen_data(campaign=campaign, topic=topic, assessor=user.id)
    data |= {"done": topic.done, "may_close": may_close_for_all(campaign)}  # type: ignore[attr-defined]  # annotated
    context = {"campaign": campaign, "topic": topic, "grades": grades(campaign), "data": data}
    context |= finish_card(campaign=campaign, topic=topic, user=user) if topic.done else {}  # type: ignore[attr-defined]
    context["guidelines"] = guidelines_of(campaign)
    response = render(request, "assess/judge/judge.html", context)
    screen.mark_page(response, user)
    return response


@require_safe
@never_cache
@topic_page
def finish(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    """The card that the judging screen shows once its assessor is done with the topic."""
    card = finish_card(campaign=campaign, topic=topic, user=assessor_of(request))
    return render(request, "assess/judge/_finish.html", card)


@require_safe
@never_cache
@topic_page
def onward(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    """The topic that is proposed after a judgment; an empty object if this one goes on."""
    following = topic_after_anchors(campaign=campaign, topic=topic, user=assessor_of(request))
    if following is None:
        return JsonResponse({})
    address = reverse("assess:topic", args=[campaign.slug, following.number])
    return JsonResponse({"topic": following.number, "title": following.title, "address": address})
