"""Somebody without a role in a campaign is told nothing, not even that it exists."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import F, QuerySet
from django.http import Http404, HttpRequest

from campaigns.models import Campaign, Topic


def assessor_of(request: HttpRequest) -> User:
    """The signed-in person, behind `login_required`."""
    assert isinstance(request.user, User)
    return request.user


def campaigns_for(user: User) -> QuerySet[Campaign]:
    """Those they have a role in; `paused_here` is when an organiser paused them there, None if none did."""
    return Campaign.objects.visible_to(user).annotate(paused_here=F("memberships__paused_at"))


def campaign_for(user: User, slug: str) -> Campaign:
    campaign = campaigns_for(user).filter(slug=slug).first()
    if campaign is None:
        raise Http404
    return campaign


def topic_for(campaign: Campaign, number: str) -> Topic:
    topic = campaign.topics.filter(number=number).first()
    if topic is None:
        raise Http404
    topic.campaign = campaign
    return topic
