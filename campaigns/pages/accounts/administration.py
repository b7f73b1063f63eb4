"""The administrators' pages: how the site is, and whose data are deleted."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.errors import Refusal
from campaigns.models import Judgment
from campaigns.operations import site_figures
from campaigns.operations.person_deletion import delete_person, only_organiser_of
from campaigns.pages.access import administrator_page, signed_in_user


@require_safe
@administrator_page
def administration(request: HttpRequest) -> HttpResponse:
    campaigns = site_figures.campaigns()
    context = {
        "accounts": site_figures.account_counts(),
        "campaigns": campaigns[: site_figures.MOST_ROWS],
        "campaign_count": campaigns.count(),
        "disk": site_figures.disk(),
        "background": site_figures.background(),
        "versions": site_figures.program_versions(),
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
                said += " " + gettext("The remaining data are named %(pseudonym)s.") % {
                    "pseudonym": pseudonym
                }
            messages.success(request, said)
            return redirect("accounts")
    context = {
        "person": found,
        "log_entries": Judgment.objects.filter(assessor=found).count(),
        "only_organiser_of": only_organiser_of(found),
        "refused": refused,
    }
    status = refused.status if refused else 200
    return render(request, "administration/delete_person.html", context, status=status)
