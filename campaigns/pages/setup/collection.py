"""The collection's step of the set-up: a dataset by its name, and where documents can be seen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.collection.access import set_language, set_url_template
from campaigns.core.errors import Refusal
from campaigns.core.phrases import as_sentence
from campaigns.exchange import datasets
from campaigns.models import Campaign, Loading
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.setup.addresses import setup_address
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page

# Those of `LANGUAGES`, by their names.
LANGUAGE_NAMES = {
    "danish": gettext_lazy("Danish"),
    "dutch": gettext_lazy("Dutch"),
    "english": gettext_lazy("English"),
    "finnish": gettext_lazy("Finnish"),
    "french": gettext_lazy("French"),
    "german": gettext_lazy("German"),
    "hungarian": gettext_lazy("Hungarian"),
    "italian": gettext_lazy("Italian"),
    "norwegian": gettext_lazy("Norwegian"),
    "portuguese": gettext_lazy("Portuguese"),
    "romanian": gettext_lazy("Romanian"),
    "russian": gettext_lazy("Russian"),
    "spanish": gettext_lazy("Spanish"),
    "swedish": gettext_lazy("Swedish"),
    "turkish": gettext_lazy("Turkish"),
}


class SourcePart(CampaignContext, template="campaigns/setup/_source.html"):
    typed: str
    refused: Refusal | None = None
    languages: Sequence[tuple[str, Any]] = tuple(LANGUAGE_NAMES.items())


@require_POST
@organiser_page
def source(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Save the address of the collection's documents at their source."""
    typed = request.POST.get("url_template", "").strip()
    by_htmx = bool(request.headers.get("HX-Request"))
    try:
        with transaction.atomic():
            set_url_template(collection=campaign.collection, template=typed)
            if "language" in request.POST:
                set_language(collection=campaign.collection, language=request.POST["language"])
        part = SourcePart(campaign, typed)
        messages.success(request, gettext("Saved."), extra_tags="source-said")
    except Refusal as refused:
        part = SourcePart(campaign, typed, refused)
        if not by_htmx:
            messages.error(request, as_sentence(refused.detail), extra_tags="source-said")
    if by_htmx:
        return render_page(request, part, status=200)
    return redirect(setup_address(campaign, "collection", "source-said"))


class LoadingPart(PageContext):
    loading: Loading | None
    by_name: bool
    downloads: bool


class DatasetPart(CampaignContext, template="campaigns/setup/_dataset.html"):
    part: LoadingPart
    refused: Refusal | None = None
    typed: str = ""
    chosen: Mapping[str, bool] = field(default_factory=dict)


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def dataset(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask for a data set by its name; and how far it is, for a page that waits."""
    refusal: dict[str, Any] = {}
    if request.method == "POST":
        name = request.POST.get("ir_dataset", "")
        choices = {choice: choice in request.POST for choice in ("qrels", "replace")}
        try:
            datasets.request_dataset(campaign=campaign, user=signed_in_user(request), name=name, **choices)
        except Refusal as refused:
            refusal = {"refused": refused, "typed": name, "chosen": choices}
            if not request.headers.get("HX-Request"):
                messages.error(request, as_sentence(refused.detail), extra_tags="dataset-said")
    if not request.headers.get("HX-Request"):
        return redirect(setup_address(campaign, "collection", "dataset-said"))
    part = DatasetPart(campaign, loading_part(campaign), **refusal)
    response = render_page(request, part, status=200)
    if request.method != "POST" and not _unfinished(campaign):
        # It was under way when the page last asked.
        changes = ("changed-collection", "changed-topics", "changed-runs")
        response.headers["HX-Trigger"] = json.dumps(dict.fromkeys(changes, ""))
    return response


def loading_part(campaign: Campaign) -> LoadingPart:
    found = Loading.objects.filter(campaign=campaign).first()
    return LoadingPart(found, datasets.is_installed(), settings.IR_DATASETS_DOWNLOAD)


def _unfinished(campaign: Campaign) -> bool:
    return Loading.objects.filter(campaign=campaign, state__in=datasets.UNFINISHED_STATES).exists()
