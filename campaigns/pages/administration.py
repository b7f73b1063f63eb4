"""The administrators' pages: how the site is, and whose data are deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.errors import Refusal
from campaigns.models import Judgment
from campaigns.operations import overview
from campaigns.operations.person_deletion import delete_person, is_administrator, only_organiser_of
from campaigns.pages.access import PageView, signed_in_user

LONGEST_SEARCH = 150


def administrator_page(view: Callable[..., HttpResponse]) -> PageView:
    @login_required
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: object) -> HttpResponse:
        if not is_administrator(signed_in_user(request)):
            raise PermissionDenied
        return view(request, **kwargs)

    return guarded


@require_safe
@administrator_page
def administration(request: HttpRequest) -> HttpResponse:
    words = request.GET.get("words", "").strip()[:LONGEST_SEARCH]
    found, campaigns = overview.accounts(words), overview.campaigns()
    context = {
        "words": words,
        "accounts": found[: overview.MOST_ROWS],
        "account_count": found.count(),
        "campaigns": campaigns[: overview.MOST_ROWS],
        "campaign_count": campaigns.count(),
        "disk": overview.disk(),
        "background": overview.background(),
        "versions": overview.program_versions(),
    }
    return render(request, "administration/administration.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@administrator_page
def remove_person(request: HttpRequest, person: int) -> HttpResponse:
    found = get_object_or_404(User, id=person)
    name, refused = found.username, None
    if request.method == "POST":
        try:
            typed = request.POST.get("confirm", "").strip()
            pseudonym = delete_person(person=found, administrator=signed_in_user(request), confirmation=typed)
        except Refusal as error:
            refused = error
        else:
            said = gettext("%(name)s is deleted.") % {"name": name}
            if pseudonym:
                said += " " + gettext("What stays is named %(pseudonym)s.") % {"pseudonym": pseudonym}
            messages.success(request, said)
            return redirect("administration")
    context = {
        "person": found,
        "judgments": Judgment.objects.filter(assessor=found).count(),
        "only_organiser_of": only_organiser_of(found),
        "refused": refused,
    }
    status = refused.status if refused else 200
    return render(request, "administration/delete_person.html", context, status=status)
