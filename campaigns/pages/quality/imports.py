"""The page of imported judgments: which files, when, by whom; and the upload of one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, ngettext

from campaigns.configuration.scale import grade_labels
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.exchange.grade_maps import OtherGrades
from campaigns.exchange.uploads import UploadOptions, store_qrels_file
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts


def _import(request: HttpRequest, campaign: Campaign) -> str:
    upload = request.FILES.get("file")
    if upload is None:
        raise Refusal("no_file", gettext("choose a qrels file"), field="file")
    name = upload.name or "upload"
    pairs = (f"{key.removeprefix('map')}={own}" for key, own in request.POST.items() if key.startswith("map"))
    adopt = "use_grades" in request.POST
    options = UploadOptions(map="" if adopt else ",".join(pairs), use_grades=adopt)
    stored = store_qrels_file(
        campaign=campaign, user=signed_in_user(request), file=upload, name=name, options=options
    ).taken
    said = ngettext(
        "%(file)s: one judgment imported, %(unchanged)s unchanged.",
        "%(file)s: %(count)s judgments imported, %(unchanged)s unchanged.",
        stored["judgments"],
    )
    counts = {"count": group_digits(stored["judgments"]), "unchanged": group_digits(stored["unchanged"])}
    return said % {"file": name, **counts}


@page_with_acts(organiser_page, act=_import)
def imports(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    rows = campaign.imports.select_related("imported_by").order_by("-first")
    context = {"campaign": campaign, "imports": list(rows), **answer.context}
    if isinstance(other := answer.refused, OtherGrades):
        labels = grade_labels(campaign.grades)
        context |= {"other": other, "labels": [(str(g), labels[g]) for g in other.scale]}
    return render(request, "campaigns/quality/imports.html", context)
