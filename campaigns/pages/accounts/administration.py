"""The administrators' pages: how the site is, and whose data are deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Judgment
from campaigns.operations import site_figures
from campaigns.operations.person_deletion import delete_person, only_organiser_of
from campaigns.pages.access import administrator_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts, redirect_with
from campaigns.templatetags.contexts import PageContext, render_page


class AdministrationPage(PageContext, template="administration/administration.html"):
    campaigns: QuerySet[Campaign]
    campaign_count: int
    accounts: Mapping[str, int] = field(default_factory=site_figures.account_counts)
    disk: site_figures.Disk = field(default_factory=site_figures.disk)
    background: site_figures.Background | None = field(default_factory=site_figures.background)
    versions: Mapping[str, str] = field(default_factory=site_figures.program_versions)


@require_safe
@administrator_page
def administration(request: HttpRequest) -> HttpResponse:
    campaigns = site_figures.campaigns()
    return render_page(request, AdministrationPage(campaigns[: site_figures.MOST_ROWS], campaigns.count()))


def _remove_person(request: HttpRequest, person: int) -> HttpResponse:
    account = get_object_or_404(User, id=person)
    name, typed = account.username, request.POST.get("confirm", "").strip()
    pseudonym = delete_person(person=account, administrator=signed_in_user(request), confirmation=typed)
    words = gettext("%(name)s is deleted.") % {"name": name}
    if pseudonym:
        words += " " + gettext("The remaining data are named %(pseudonym)s.") % {"pseudonym": pseudonym}
    return redirect_with(request, words, "accounts")


class PersonDeletionPage(PageContext, template="administration/delete_person.html"):
    person: User
    log_entries: int
    only_organiser_of: list[str]
    refused: Refusal | None


@page_with_acts(administrator_page, act=_remove_person)
def remove_person(request: HttpRequest, answer: Answer, person: int) -> HttpResponse:
    account = get_object_or_404(User, id=person)
    log_entries = Judgment.objects.filter(assessor=account).count()
    page = PersonDeletionPage(account, log_entries, only_organiser_of(account), answer.refused)
    return render_page(request, page)
