"""The base classes of all views: they check who sends a request, its parameters and its body.

Parameters and fields that no shape knows are refused, so that a misspelt name does not pass in silence. For a
user without a role in it, a campaign does not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from django.contrib.auth.models import User
from django.http import Http404, QueryDict
from django.utils.translation import gettext
from rest_framework import serializers
from rest_framework.exceptions import MethodNotAllowed, NotAuthenticated, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from campaigns.api.framework.http import LengthRequired
from campaigns.api.framework.scopes import ORGANISES, RequiredScopes, campaign_of
from campaigns.api.shapes.base import Query, RequestShape
from campaigns.log.archived import check_not_archived
from campaigns.models import Campaign, Membership, Topic
from campaigns.people.members import role_of

WITH_BODIES = ("POST", "PUT", "PATCH", "DELETE")


class ApiView(APIView):
    """`queries`: by method, the parameters that an address may have. `takes`: by method, the body, or a body
    for each media type; where nothing is named, none may be sent. Both are in the description, too."""

    queries: Mapping[str, type[Query]] = {}
    takes: Mapping[str, Any] = {}
    # The parameters of the address, checked.
    asked: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.admit(request, **kwargs)
        method = "GET" if request.method == "HEAD" else str(request.method)
        if not hasattr(self, method.lower()):
            raise MethodNotAllowed(method)
        self.check_writable(request)
        if method == "OPTIONS":
            return
        if method in WITH_BODIES and "Transfer-Encoding" in request.headers:
            # Django would take it for an empty body, and a change for one of nothing.
            raise LengthRequired
        self.asked = _from_words(self.queries.get(method, Query), request.query_params)
        if method in WITH_BODIES and method not in self.takes:
            self.body(request, RequestShape)

    def check_permissions(self, request: Request) -> None:
        # A refused request counts, too.
        super().check_throttles(request)
        super().check_permissions(request)

    def check_throttles(self, request: Request) -> None:
        """Done before the permissions."""

    def admit(self, request: Request, **kwargs: Any) -> None:
        """Refuse callers who may not come in at all; they do not learn of other faults of the request."""

    def check_writable(self, request: Request) -> None:
        """Refuse what would change something that is read only."""

    def body(self, request: Request, shape: type[RequestShape], *, partial: bool = False) -> dict[str, Any]:
        """The body, checked; `partial`: whatever is left out stays as it is."""
        if isinstance(request.data, QueryDict):
            return _from_words(shape, request.data)
        if not partial:
            with suppress(ValidationError):
                return dict(_form(shape).run_validation(request.data))
        # A form of its own words what is wrong.
        return _checked(shape(data=request.data, partial=partial))


def _from_words(shape: type[RequestShape], given: QueryDict) -> dict[str, Any]:
    """An address and a form hold words, of which a name may have several."""
    if shape is Query and not given:
        return {}
    lists = [name for name, field in shape().fields.items() if isinstance(field, serializers.ListField)]
    twice = [name for name in given if name not in lists and len(given.getlist(name)) > 1]
    if twice:
        raise ValidationError({name: [gettext("This parameter may be given only once.")] for name in twice})
    data = {name: given.getlist(name) if name in lists else given[name] for name in given}
    return _checked(shape(data=data, context={"in_words": True}))


class _ShapesByThread(threading.local):
    """One of each shape for each thread: to make its fields costs more than to check a body with them."""

    def __init__(self) -> None:
        self.by_shape: dict[type[RequestShape], RequestShape] = {}


_forms = _ShapesByThread()


def _form(shape: type[RequestShape]) -> RequestShape:
    if shape not in _forms.by_shape:
        _forms.by_shape[shape] = shape()
    return _forms.by_shape[shape]


def _checked(wish: RequestShape) -> dict[str, Any]:
    wish.is_valid(raise_exception=True)
    return dict(wish.validated_data)


class CampaignView(ApiView):
    """A view below campaigns/{slug}/, for its members. `needs`: what a token needs for it. `also_archived`:
    the methods that may change an archived campaign."""

    needs: RequiredScopes
    also_archived: Collection[str] = ()
    campaign: Campaign
    membership: Membership

    def admit(self, request: Request, **kwargs: object) -> None:
        # A page names its user. Its acts must not count as those of another person who has signed in since in
        # the same browser.
        if request.headers.get("X-Assessor", str(self.user.id)) != str(self.user.id):
            raise NotAuthenticated("another person has signed in in this browser")
        membership = role_of(user=self.user, slug=str(kwargs["slug"]))
        if membership is None or campaign_of(request) not in (None, membership.campaign_id):
            raise Http404
        self.membership = membership
        self.campaign = membership.campaign

    def check_writable(self, request: Request) -> None:
        if request.method in WITH_BODIES and request.method not in self.also_archived:
            check_not_archived(self.campaign)

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
