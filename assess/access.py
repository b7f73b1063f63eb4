"""Access to campaigns and topics on the judging side, and the steps before a topic's judging screen.

For a person without a role in a campaign, it does not exist.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from campaigns.judging.situation import Admission, admission_of
from campaigns.models import Campaign, GuidelineExample, Topic, TopicCompletion
from campaigns.models.campaign import Status
from campaigns.pages.access import PageView
from campaigns.templatetags.contexts import CampaignContext, render_page


def assessor_of(request: HttpRequest) -> User:
    """The signed-in person, behind `login_required`."""
    assert isinstance(request.user, User)
    return request.user


def campaigns_for(user: User) -> QuerySet[Campaign]:
    """Campaigns in which the user has a role, as `role_here`; `paused_here` is the time when an organiser
    paused them there, None if none did."""
    here = {"paused_here": F("memberships__paused_at"), "role_here": F("memberships__role")}
    return Campaign.objects.visible_to(user).select_related("collection").annotate(**here)


def campaign_for(user: User, slug: str) -> Campaign:
    """`has_examples`: whether its guidelines have examples."""
    examples = Exists(GuidelineExample.objects.filter(campaign=OuterRef("pk")))
    campaign = campaigns_for(user).annotate(has_examples=examples).filter(slug=slug).first()
    if campaign is None:
        raise Http404
    return campaign


def topic_for(campaign: Campaign, number: str, user: User) -> Topic:
    """`done`: whether the person is done with the topic."""
    done = Exists(TopicCompletion.objects.filter(topic=OuterRef("pk"), assessor=user))
    topic = campaign.topics.annotate(done=done).filter(number=number).first()
    if topic is None:
        raise Http404
    topic.campaign = campaign
    return topic


def topic_page(view: Callable[..., HttpResponse]) -> PageView:
    """The view gets the campaign and the topic instead of the slug and the number."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, number: str) -> HttpResponse:
        user = assessor_of(request)
        campaign = campaign_for(user, slug)
        return view(request, campaign, topic_for(campaign, number, user))

    return guarded


class RefusedTopic(CampaignContext, template="assess/refused.html"):
    topic: Topic
    found: Admission


def judging_page(
    view: Callable[..., HttpResponse], *, developing: bool = False, searching: bool = False
) -> PageView:
    """A topic's page that is shown once judging, or topic development, can begin."""

    @topic_page
    @wraps(view)
    def guarded(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
        if searching and not campaign.search_judging:
            raise Http404
        instead = _before_judging(request, campaign, topic, developing=developing)
        return instead or view(request, campaign, topic)

    return guarded


def _before_judging(
    request: HttpRequest, campaign: Campaign, topic: Topic, *, developing: bool
) -> HttpResponse | None:
    """Page that must come first: the training, the topic's wording, or the reason for a refusal. None if
    judging can begin."""
    found = admission_of(topic=topic.id, assessor=assessor_of(request).id)
    if found.closed or found.paused or not (found.assigned and found.released):
        return render_page(request, RefusedTopic(campaign, topic, found), status=409)
    if campaign.status != Status.OPEN:
        return None
    if not found.trained:
        return redirect("assess:training", slug=campaign.slug)
    if not found.developed and not developing:
        return redirect("assess:develop", slug=campaign.slug, number=topic.number)
    return None
