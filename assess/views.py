"""The judging side's pages: home, a campaign, its training, topic development and the judging screen."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from assess import screen
from assess.access import assessor_of, campaign_for, campaigns_for, judging_page, topic_page
from assess.finish import FinishCard, finish_card, may_close_for_all, topic_after_anchors
from assess.screen import grades, guidelines_of, screen_data
from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.due_dates.work_left import DueWork, due_work
from campaigns.judging.questions import new_answers
from campaigns.judging.situation import untrained_campaigns
from campaigns.judging.topic_development import LONGEST_TOPIC_TEXT, OutdatedRevision, revise
from campaigns.models import Campaign, Topic, TopicRevision
from campaigns.models.campaign import Status, TopicChoice
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.pages.acts import Answer, act_address, page_with_acts
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page
from campaigns.topic_offers.draws import draw_topic, offered_draw, take_topic
from campaigns.topic_offers.offers import (
    FEW_OWN_TOPICS,
    TOPIC_SORTS,
    Offers,
    TopicStanding,
    offers,
    standings,
    turns,
)


@dataclass(frozen=True)
class CampaignCard:
    campaign: Campaign
    topics: list[TopicStanding]
    offers: Offers
    train: bool
    answers: int
    due: DueWork | None

    @property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics)


class HomePage(PageContext, template="assess/choose/home.html"):
    cards: list[CampaignCard]


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
        due, train = due_work(campaign=campaign, left=offered.left, now=now), campaign.id in to_train
        cards.append(CampaignCard(campaign, own, offered, train, answers.get(campaign.id, 0), due))
    # What waits for them first; what is closed to judging now, last.
    cards.sort(key=_place)
    return render_page(request, HomePage(cards))


def _place(card: CampaignCard) -> tuple[bool, bool]:
    return not _is_open(card.campaign), not (card.offers.assigned or card.offers.in_progress)


def _is_open(campaign: Any) -> bool:
    """The campaign comes from `assess.access`."""
    return campaign.status == Status.OPEN and not campaign.paused_here


class CampaignPage(CampaignContext, template="assess/choose/campaign.html"):
    fragments = "assess/choose/_offers.html", "assess/choose/_live_offers.html"
    offers: Offers
    filtering: bool
    words: str
    sort: str
    due: DueWork | None
    topics: int
    train: bool
    can_train: bool
    answers: int
    guidelines: SafeString
    asked: str
    sorts: Sequence[tuple[str, Any]] = tuple((name, label) for name, (label, _) in TOPIC_SORTS.items())
    offered: str = ""
    seen: str = ""

    @property
    def live(self) -> bool:
        return _is_open(self.campaign)


@require_safe
@login_required
def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    topics = standings(user=user.id, campaigns=[campaign])
    offered_topics = offers(topics, seed="", choice=campaign.topic_choice, turns=turns(campaign))
    train = bool(untrained_campaigns(campaigns=[campaign], assessor=user.id))
    if _is_open(campaign) and not train and campaign.topic_choice == TopicChoice.FREE:
        drawn = offered_draw(campaign=campaign, assessor=user.id, free=offered_topics.free)
        offered_topics = replace(offered_topics, drawn=drawn)
    words, sort = request.GET.get("words", "").strip()[:200], request.GET.get("sort", "")
    page = CampaignPage(
        campaign,
        offered_topics.narrowed(words=words, sort=sort),
        offered_topics.own > FEW_OWN_TOPICS or bool(words),
        words,
        sort,
        due=due_work(campaign=campaign, left=offered_topics.left, now=timezone.now()),
        topics=len(topics),
        train=train,
        can_train=campaign.training_items.count() >= LEAST_TRAINING,
        answers=new_answers(campaigns=[campaign], assessor=user.id).get(campaign.id, 0),
        guidelines=guidelines_of(campaign),
        asked=urlencode({name: typed for name, typed in (("words", words), ("sort", sort)) if typed}),
    )
    offered = page.html(template="assess/choose/_offers.html")
    page = replace(page, offered=offered, seen=hashlib.sha256(offered.encode()).hexdigest()[:16])
    return _offers_since(request, page) if "HX-Request" in request.headers else render_page(request, page)


@never_cache
def _offers_since(request: HttpRequest, page: CampaignPage) -> HttpResponse:
    """For a page that asks again every few seconds: nothing as long as it has `seen` what is offered."""
    if not page.live:
        # The rest of the page has changed, too.
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.GET.get("seen") == page.seen:
        return HttpResponse(status=204)
    return render_page(request, page, template="assess/choose/_live_offers.html")


def _list_of_topics(_: HttpRequest, slug: str) -> str:
    return reverse("assess:campaign", args=[slug])


@act_address(login_required, back=_list_of_topics)
def draw(request: HttpRequest, slug: str) -> HttpResponse:
    """A random topic for an assessor who may not choose."""
    user = assessor_of(request)
    topic = draw_topic(campaign=campaign_for(user, slug), assessor=user)
    return redirect("assess:topic", slug=slug, number=topic.number)


class TrainingScreen(CampaignContext, template="assess/training.html"):
    grades: list[dict[str, Any]]
    data: dict[str, Any]
    items: int
    guidelines: SafeString


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
    items, guidelines = campaign.training_items.count(), guidelines_of(campaign)
    return render_page(request, TrainingScreen(campaign, scale, data, items, guidelines))


def _revise(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    revise(campaign=campaign, topic=topic, author=assessor_of(request), **_typed_words(request))
    return redirect("assess:topic", slug=campaign.slug, number=topic.number)


def _typed_words(request: HttpRequest) -> dict[str, Any]:
    words = {name: request.POST.get(name, "").replace("\0", "") for name in ("description", "narrative")}
    return {**words, "based_on": digits_or_zero(request.POST.get("based_on", ""))}


class DevelopPage(CampaignContext, template="assess/search/develop.html"):
    topic: Topic
    refused: Refusal | None
    description: str
    narrative: str
    based_on: int
    newer: TopicRevision | None = None
    longest: int = LONGEST_TOPIC_TEXT


@page_with_acts(never_cache, partial(judging_page, developing=True), act=_revise)
def develop(request: HttpRequest, campaign: Campaign, topic: Topic, answer: Answer) -> HttpResponse:
    """The bare query, and room to write out what is wanted, before the first document."""
    shown: dict[str, Any]
    shown = {"description": topic.description, "narrative": topic.narrative, "based_on": topic.revision}
    if answer.refused:
        shown = _typed_words(request)
    if isinstance(answer.refused, OutdatedRevision):
        # Saving once more, with the newer words in sight, is a decision.
        shown |= {"newer": answer.refused.current, "based_on": answer.refused.current.revision}
    return render_page(request, DevelopPage(campaign, topic, answer.refused, **shown))


class JudgingScreen(CampaignContext, template="assess/judge/judge.html"):
    card: FinishCard
    grades: list[dict[str, Any]]
    data: dict[str, Any]
    guidelines: SafeString


@require_safe
@never_cache
@ensure_csrf_cookie
@judging_page
def topic(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    user = assessor_of(request)
    if _is_open(campaign) and campaign.topic_choice == TopicChoice.FREE:
        recommended = "recommended" in request.GET
        take_topic(campaign=campaign, assessor=user.id, topic=topic.number, recommended=recommended)
    if "recommended" in request.GET:
        # The screen has one address, by which it also opens without a network.
        return redirect("assess:topic", campaign.slug, topic.number)
    data = screen_data(campaign=campaign, topic=topic, assessor=user.id)
    done: bool = topic.done  # type: ignore[attr-defined]  # annotated
    data |= {"done": done, "may_close": may_close_for_all(campaign)}
    card = finish_card(campaign=campaign, topic=topic, user=user) if done else FinishCard(campaign, topic)
    page = JudgingScreen(campaign, card, grades(campaign), data, guidelines_of(campaign))
    response = render_page(request, page)
    screen.mark_page(response, user)
    return response


@require_safe
@never_cache
@topic_page
def finish(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    """The card that the judging screen shows once its assessor is done with the topic."""
    card = finish_card(campaign=campaign, topic=topic, user=assessor_of(request))
    return render_page(request, card)


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
