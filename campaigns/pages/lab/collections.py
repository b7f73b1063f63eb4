"""The Lab's first page, with uploads and copies; and the page of a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.lab.collections import (
    CollectionFiles,
    copy_campaign,
    delete_collection,
    gains_from,
    precision_from,
    store_files,
)
from campaigns.models import Campaign, LabCollection, LabJob
from campaigns.models.campaign import ScoreFloats
from campaigns.pages.access import signed_in_user
from campaigns.pages.acts import Answer, page_with_acts, redirect_with
from campaigns.templatetags.contexts import PageContext, render_page

# Of the jobs on the first page, the latest.
MOST_LISTED = 50


def _store(request: HttpRequest) -> HttpResponse:
    user, name = signed_in_user(request), request.POST.get("name", "").strip()
    if slug := request.POST.get("campaign", ""):
        campaign = Campaign.objects.organised_by(user).filter(slug=slug).first()
        if campaign is None:
            raise Http404
        copied = copy_campaign(owner=user, name=name or campaign.name[:200], campaign=campaign)
        return redirect("lab:collection", copied.id)
    runs, qrels = request.FILES.getlist("runs"), request.FILES.get("qrels")
    if not runs or qrels is None:
        raise Refusal("no_files", gettext("choose run files and a qrels file"), field="runs")
    precision = precision_from(request.POST.get("score_precision", ""))
    files = CollectionFiles(runs, qrels, gains_from(request.POST.get("gains", "")), precision)
    return redirect("lab:collection", store_files(owner=user, name=name, files=files).id)


class JobsPart(PageContext, template="campaigns/lab/_jobs.html"):
    jobs: QuerySet[LabJob]
    live: bool
    more: bool


class LabPage(PageContext, template="campaigns/lab/home.html"):
    part: JobsPart
    collections: QuerySet[LabCollection]
    campaigns: QuerySet[Campaign]
    wanted: str
    problems: list[str]
    typed: Mapping[str, Any]
    precisions: Sequence[tuple[Any, Any]] = tuple(ScoreFloats.choices)


@page_with_acts(login_required, act=_store)
def home(request: HttpRequest, answer: Answer) -> HttpResponse:
    """List collections and jobs; a form stores an upload or copies a campaign."""
    user = signed_in_user(request)
    wanted, collections = request.GET.get("campaign", ""), collections_of(user)
    campaigns = Campaign.objects.organised_by(user).order_by("name")
    problems = str(answer.refused or answer.wrong_file or "").splitlines()
    return render_page(
        request, LabPage(jobs_part(user), collections, campaigns, wanted, problems, answer.typed)
    )


def _delete(request: HttpRequest, collection: int) -> HttpResponse:
    row = own_collection(signed_in_user(request), collection)
    delete_collection(collection=row)
    words = gettext("The collection “%(name)s” is deleted.") % {"name": row.name}
    return redirect_with(request, words, "lab:home")


class CollectionPage(PageContext, template="campaigns/lab/collection.html"):
    row: LabCollection
    jobs: QuerySet[LabJob]
    unfinished: int


@page_with_acts(login_required, act=_delete)
def collection(request: HttpRequest, answer: Answer, collection: int) -> HttpResponse:
    user = signed_in_user(request)
    row = own_collection(user, collection)
    jobs = row.jobs.defer("result")
    unfinished = sum(job.unfinished for job in jobs)
    return render_page(request, CollectionPage(row, jobs, unfinished))


def jobs_part(user: User) -> JobsPart:
    rows = LabJob.objects.filter(owner=user).defer("result")
    live = rows.filter(state__in=(LabJob.State.WAITING, LabJob.State.RUNNING)).exists()
    return JobsPart(rows[:MOST_LISTED], live, rows.count() > MOST_LISTED)


def collections_of(user: User) -> QuerySet[LabCollection]:
    rows = LabCollection.objects.filter(owner=user).select_related("campaign")
    return rows.annotate(job_count=Count("jobs"))


def own_collection(user: User, id: int) -> LabCollection:
    row = LabCollection.objects.filter(owner=user, id=id).select_related("campaign").first()
    if row is None:
        raise Http404
    return row
