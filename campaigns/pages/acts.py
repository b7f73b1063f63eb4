"""Acts of pages: find the function for what a form asks, then show its result or its refusal.

A message is marked with the part of the page to which its act leads, the address's fragment: a page can
show it there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.utils.encoding import escape_uri_path
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.core.errors import Refusal, unknown_act
from campaigns.core.phrases import as_sentence
from campaigns.formats.errors import FormatError
from campaigns.pages.access import PageView
from campaigns.templatetags.contexts import PageContext

# An act gets the page's arguments. It returns the message of its success, or results by name for the page to
# show, or a response of its own; or it raises a Refusal or a FormatError.
Act = Callable[..., str | dict[str, Any] | HttpResponseBase]
Back = Callable[..., str]
Result = TypeVar("Result")
FEW_ERRORS = 3


class Answer(PageContext):
    """Result of the act that a form asked of a page, a part of the page; empty where no act was asked.

    `typed`: the form as sent, after a refusal. `shown`: what the act returned by name.
    """

    refused: Refusal | None = None
    wrong_file: FormatError | None = None
    typed: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> int:
        return self.refused.status if self.refused else 400 if self.wrong_file else 200


def page_with_acts(
    *guards: Callable[[PageView], PageView],
    act: Act | None = None,
    acts: Mapping[str, Act] | None = None,
    back: Back | None = None,
    in_messages: bool = False,
) -> Callable[[Callable[..., HttpResponse]], PageView]:
    """Make a view a page that takes forms, too: by the name in the form's field `act`, or its only act.

    `guards` are the decorators of access, the outermost first. A message leads `back`, by default to the
    page's address; with `in_messages` a refusal does so, too. Otherwise the view shows it: it gets an
    `Answer` after its positional arguments. htmx shows a refusal only if it comes as a success.
    """

    def decorate(view: Callable[..., HttpResponse]) -> PageView:
        @wraps(view)
        def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            answer = Answer()
            if request.method == "POST":
                outcome = _outcome(request, act or _chosen(acts or {}), back, in_messages, args, kwargs)
                if isinstance(outcome, HttpResponseBase):
                    return outcome
                answer = outcome
            response = view(request, *args, answer, **kwargs)
            if answer.status != 200:
                response.status_code = 200 if request.headers.get("HX-Request") else answer.status
            return response

        return require_http_methods(["GET", "HEAD", "POST"])(_guarded(page, guards))

    return decorate


def act_address(*guards: Callable[[PageView], PageView], back: Back) -> Callable[[Act], PageView]:
    """Make an act an address that takes only forms. Its message, or its refusal as one, leads `back`."""

    def decorate(act: Act) -> PageView:
        @wraps(act)
        def address(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            outcome = _outcome(request, act, back, True, args, kwargs)
            assert isinstance(outcome, HttpResponseBase)
            return outcome

        return require_POST(_guarded(address, guards))

    return decorate


def redirect_with(request: HttpRequest, message: str, to: str, **kwargs: Any) -> HttpResponse:
    """Lead to another page, which shows the message."""
    messages.success(request, message)
    return HttpResponseRedirect(resolve_url(to, **kwargs))


def submit(form: Form, act: Callable[..., Result]) -> Result | None:
    """Call the act with a valid form's values. After a refusal the form has the error and is not valid."""
    if form.is_valid():
        try:
            return act(**form.cleaned_data)
        except Refusal as refused:
            form.add_error(refused.field if refused.field in form.fields else None, refused.detail)
    return None


def _chosen(acts: Mapping[str, Act]) -> Act:
    def act(request: HttpRequest, *args: Any, **kwargs: Any) -> str | dict[str, Any] | HttpResponseBase:
        chosen = acts.get(name := request.POST.get("act", ""))
        if chosen is None:
            raise unknown_act(name)
        return chosen(request, *args, **kwargs)

    return act


def _outcome(
    request: HttpRequest,
    act: Act,
    back: Back | None,
    in_messages: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> HttpResponseBase | Answer:
    """Response that follows on the act, or its result for the view to show."""
    message: str | dict[str, Any] | HttpResponseBase = ""
    wrong = ""
    try:
        message = act(request, *args, **kwargs)
    except Refusal as refused:
        if not in_messages:
            return Answer(refused=refused, typed=request.POST)
        wrong = as_sentence(refused.detail)
    except FormatError as error:
        if not in_messages:
            return Answer(wrong_file=error, typed=request.POST)
        # Messages travel in a cookie, which has room for few lines.
        wrong = str(FormatError(error.file, error.errors[:FEW_ERRORS], error.total))
    if isinstance(message, HttpResponseBase):
        return message
    if isinstance(message, dict):
        return Answer(shown=message)
    # Numbers of topics may hold `?`, `#` and `%`, which the request has decoded.
    address = back(request, *args, **kwargs) if back else escape_uri_path(request.path)
    if wrong or message:
        show = messages.error if wrong else messages.success
        show(request, wrong or message, extra_tags=urlsplit(address).fragment)
    return redirect(address)


def _guarded(view: PageView, guards: tuple[Callable[[PageView], PageView], ...]) -> PageView:
    for guard in reversed(guards):
        view = guard(view)
    return view
