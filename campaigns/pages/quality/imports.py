"""The page of imported judgments: which files, when, by whom; and the upload of one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext

from campaigns.configuration.scale import grade_labels
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.exchange.grade_maps import OtherGrades
from campaigns.exchange.uploads import UploadOptions, store_qrels_file
from campaigns.formats.errors import FormatError
from campaigns.models import Campaign, QrelsImport
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.templatetags.contexts import CampaignContext, render_page


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


class ImportsPage(CampaignContext, template="campaigns/quality/imports.html"):
    """`other`: the refusal of a file with other grades; `labels`: for it, the campaign's grades."""

    imports: list[QrelsImport]
    refused: Refusal | None
    wrong_file: FormatError | None
    other: OtherGrades | None
    labels: list[tuple[str, str]]


@page_with_acts(organiser_page, act=_import)
def imports(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    rows = campaign.imports.select_related("imported_by").order_by("-first")
    other, names = answer.refused, grade_labels(campaign.grades)
    other = other if isinstance(other, OtherGrades) else None
    labels = [(str(grade), names[grade]) for grade in other.scale] if other else []
    page = ImportsPage(campaign, list(rows), answer.refused, answer.wrong_file, other, labels)
    return render_page(request, page)
