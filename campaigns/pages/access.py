"""The organiser's door, as the API has it: a stranger is told nothing, an assessor is told no."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from campaigns.models import Membership

PageView = Callable[..., HttpResponseBase]


def organiser_page(view: PageView) -> PageView:
    """The view gets the campaign instead of the slug."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, **kwargs: object) -> HttpResponseBase:
        membership = (
            Membership.objects.select_related("campaign__collection")
            .filter(user=signed_in_user(request), campaign__slug=slug)
            .first()
        )
        if membership is None:
            raise Http404
        if not membership.is_organiser:
            raise PermissionDenied
        return view(request, membership.campaign, **kwargs)

    return guarded


def signed_in_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
