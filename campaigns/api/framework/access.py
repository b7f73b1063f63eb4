"""Who may reach which campaign. Somebody without a role is told nothing, not even that it exists."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import Http404
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request

from campaigns.api.framework.scopes import ORGANISES, Needs, campaign_of
from campaigns.api.framework.views import ApiView
from campaigns.models import Campaign, Membership, Topic
from campaigns.people.members import role_of


class CampaignView(ApiView):
    """A view below campaigns/{slug}/, for its members. `needs`: what a token needs for it."""

    needs: Needs
    campaign: Campaign
    membership: Membership

    def admit(self, request: Request, **kwargs: object) -> None:
        # A page says for whom it was made: what was done on it must not count as somebody else's who has
        # signed in since in the same browser.
        if request.headers.get("X-Assessor", str(self.user.id)) != str(self.user.id):
            raise NotAuthenticated("somebody else has signed in in this browser")
        membership = role_of(user=self.user, slug=str(kwargs["slug"]))
        if membership is None or campaign_of(request) not in (None, membership.campaign_id):
            raise Http404
        self.membership = membership
        self.campaign = membership.campaign

    @property
    def user(self) -> User:
        assert isinstance(self.request.user, User)
        return self.request.user

    def topic(self, number: str) -> Topic:
        topic = self.campaign.topics.filter(number=number).first()
        if topic is None:
            raise Http404
        topic.campaign = self.campaign
        return topic


class OrganiserView(CampaignView):
    needs = ORGANISES

    def admit(self, request: Request, **kwargs: object) -> None:
        super().admit(request, **kwargs)
        if not self.membership.is_organiser:
            raise PermissionDenied("only the campaign's organisers may do this", code="organisers_only")
