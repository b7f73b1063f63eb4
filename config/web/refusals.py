"""Responses where no view answers: below /api/ in the API's one shape, elsewhere as a page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views import defaults

from campaigns.core.database import is_disk_full, is_unavailable
from campaigns.core.phrases import group_digits
from campaigns.core.problems import refusal
from campaigns.formats.reading.readers import ReaderUnavailable
from campaigns.templatetags.contexts import PageContext, render_page

API = "/api/"
# A database that crashed is mostly back by then.
RETRY_AFTER_SECONDS = 1
# Where the web server notes in a request's scope that it did not read the body, and why.
REFUSED_KEY = "assess.refused"


class Reason(Enum):
    NO_SENDER = auto()
    NOT_ADMITTED = auto()
    TOO_LARGE = auto()
    NO_ROOM = auto()


@dataclass(frozen=True)
class RefusedBody:
    """Reason why the web server stored no body. `max_bytes`: the limit of the address, if that is the
    reason."""

    reason: Reason
    max_bytes: int = 0


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_unavailable(exception):
        # Django takes a session that could not be stored for one that was deleted.
        return unavailable(request)
    if request.path_info.startswith(API):
        return refusal(400, "invalid", gettext("invalid request; see “errors”"))
    return defaults.bad_request(request, exception)


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path_info.startswith(API):
        return refusal(403, "not_allowed", gettext("you may not do this"))
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not request.path_info.startswith(API):
        return defaults.page_not_found(request, exception)
    if request.path_info.endswith("/"):
        return refusal(404, "not_found", gettext("not found, or you don't have access"))
    return refusal(404, "not_found", gettext("the API's addresses end with a slash"))


def server_error(request: HttpRequest) -> HttpResponse:
    """For whatever nothing else answers; the error itself is in the log by then."""
    if is_disk_full(sys.exception()):
        return _no_room(request)
    if is_unavailable(sys.exception()):
        return unavailable(request)
    if isinstance(sys.exception(), ReaderUnavailable):
        return _no_reader(request)
    if request.path_info.startswith(API):
        return refusal(500, "failed", gettext("the site made a mistake; its log shows which"))
    return defaults.server_error(request)


def _no_room(request: HttpRequest) -> HttpResponse:
    """Not a mistake, and no end of it by trying again. What has come so far goes away at once, for it may be
    what fills the disk."""
    for handler in request.upload_handlers:
        handler.upload_interrupted()
    if request.path_info.startswith(API):
        detail = gettext("the disk of this site is full; nothing that you sent is stored")
        return refusal(507, "no_room", detail)
    return HttpResponse(render_to_string("507.html"), status=507)


def unavailable(request: HttpRequest) -> HttpResponse:
    """The database is away: not a mistake, and over by itself."""
    if request.path_info.startswith(API):
        detail = gettext("the database of this site is temporarily unavailable; try again")
        response: HttpResponse = refusal(503, "unavailable", detail)
    else:
        response = HttpResponse(render_to_string("503.html"), status=503)
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _no_reader(request: HttpRequest) -> HttpResponse:
    """Nothing was stored; browsers send a note again, as they do while the database is away."""
    detail = gettext("This site cannot read documents at the moment. Nothing was stored. Try again later.")
    if request.path_info.startswith(API):
        answer: HttpResponse = refusal(503, "no_reader", detail)
    else:
        answer = HttpResponse(detail, status=503, content_type="text/plain; charset=utf-8")
    answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return answer


class TooLargePage(PageContext, template="413.html"):
    max_bytes: int


def too_large(request: HttpRequest, max_bytes: int) -> HttpResponse:
    if request.path_info.startswith(API):
        detail = gettext("at most %(most)s bytes are read at once, files not counted")
        if request.content_type == "multipart/form-data":
            detail = gettext("This address takes at most %(most)s bytes. Nothing was stored.")
        return refusal(413, "too_large", detail % {"most": group_digits(max_bytes)})
    return render_page(request, TooLargePage(max_bytes), status=413)


def slow_body(request: HttpRequest) -> HttpResponse:
    """For a client that sent too little for too long."""
    detail = gettext("The request came too slowly. Nothing was stored. Try again.")
    if request.path_info.startswith(API):
        return refusal(408, "too_slow", detail)
    return HttpResponse(detail, status=408, content_type="text/plain; charset=utf-8")


def unknown_sender(request: HttpRequest) -> HttpResponse:
    """The API's answer to a long body of a stranger."""
    if "HTTP_AUTHORIZATION" in request.META:
        answer = refusal(401, "bad_token", gettext("this token is not known, has expired, or was revoked"))
    else:
        detail = gettext("Only accounts may send so much. Send a token, or sign in. Nothing was stored.")
        answer = refusal(401, "not_authenticated", detail)
    answer.headers["WWW-Authenticate"] = "Token"
    return answer


class UnreadBodyMiddleware:
    """Answer requests whose bodies the web server did not read. Views answer the rest as empty ones: who may
    not send a file learns that from the view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        refused: RefusedBody | None = request.META.get("asgi.scope", {}).get(REFUSED_KEY)
        if refused is not None:
            if refused.reason is Reason.NO_ROOM:
                return _no_room(request)
            if refused.reason is Reason.TOO_LARGE:
                return too_large(request, refused.max_bytes)
            if refused.reason is Reason.NO_SENDER:
                return too_large(request, 0)
        return self.get_response(request)


class SlashMiddleware(CommonMiddleware):
    """Pages add a slash that was forgotten. To send what was sent to the API somewhere else would make a GET
    of it, and lose the body."""

    def should_redirect_with_slash(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(API) and request.method not in ("GET", "HEAD"):
            return False
        return super().should_redirect_with_slash(request)


class MethodNotAllowedMiddleware:
    """A page for addresses that only take what a form sends: who signs in again on the way gets there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed) or request.path_info.startswith(API):
            return response
        page = render(request, "405.html", status=response.status_code)
        page.headers["Allow"] = response.headers["Allow"]
        return page
