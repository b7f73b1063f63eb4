"""Somebody without a role in a campaign is told nothing, not even that it exists."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest

from campaigns.models import Campaign, Membership, Topic


def assessor_of(request: HttpRequest) -> User:
    """The signed-in person, behind `login_required`."""
    assert isinstance(request.user, User)
    return request.user


def campaign_for(user: User, slug: str) -> Campaign:
    campaign = Campaign.objects.visible_to(user).filter(slug=slug).first()
    if campaign is None:
        raise Http404
    return campaign


def paused_in(user: User) -> set[int]:
    """The campaigns, by their ids, in which an organiser has paused this person."""
    rows = Membership.objects.filter(user=user, paused_at__isnull=False)
    return set(rows.values_list("campaign", flat=True))


def topic_for(campaign: Campaign, number: str) -> Topic:
    topic = campaign.topics.filter(number=number).first()
    if topic is None:
        raise Http404
    topic.campaign = campaign
    return topic
