"""The exports page and its files: lines and the bundle; and a campaign made from a bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.errors import Refusal
from campaigns.duplicates.judgment_copies import copy_count
from campaigns.exchange.archives.folders import ARCHIVES
from campaigns.exchange.bundles.importer import dropped_options, import_bundle
from campaigns.exchange.bundles.reader import open_bundle
from campaigns.exchange.bundles.signatures import own_key_or_empty
from campaigns.exchange.downloads import archive_download, bundle_download, download
from campaigns.exchange.exports import EXPORTS, Export
from campaigns.exchange.random_pools import random_topics
from campaigns.formats.errors import FormatError, Notices
from campaigns.formats.tables import FileFormat
from campaigns.log.timeline import last_changed_by, last_fetched
from campaigns.measurement.prels import SamplingProgress, sampling_of
from campaigns.measurement.sampled_strata import strata_topics
from campaigns.models import Campaign, Deed
from campaigns.models.campaign import JudgmentCopies
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.results.figures import EXPORT_FIGURES, FigurePreview, preview_of
from campaigns.results.topic_rows import JudgingProgress, judging_progress, topics_of, with_counts
from campaigns.results.topic_scope import SCOPES, check_scope
from campaigns.setup.settings import POLICIES
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page


class ExportsPage(CampaignContext, template="campaigns/exports/exports.html"):
    """`policy`: which grade counts; `copies`: judgments copied to duplicates; `figures`: title, content and
    preview of each; `fetched`: the last download of each file."""

    policy: str | Promise
    scope: str
    done: JudgingProgress
    topics: int
    counted: Campaign
    score_lines: int
    documents: int
    sampling: SamplingProgress
    random: bool
    strata: bool
    searched: bool
    copies: int
    figures: list[tuple[str | Promise, str | Promise, FigurePreview]]
    signs: str
    fetched: dict[str, Deed | None]
    forms: Sequence[tuple[str, str | Promise]] = (
        (FileFormat.TREC, "TREC"),
        (FileFormat.CSV, "CSV"),
        (FileFormat.JSON_LINES, "JSON lines"),
        (FileFormat.PARQUET, "Parquet"),
    )


@require_safe
@organiser_page
def exports(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    scope = request.GET.get("topics", "all")
    if scope not in SCOPES:
        raise Http404
    topics = topics_of(campaign=campaign)
    counted: Any = with_counts(Campaign.objects.filter(id=campaign.id)).get()
    done = judging_progress(campaign=campaign, topics=topics)
    changed = last_changed_by(campaign=campaign, setting="search_judging")
    page = ExportsPage(
        campaign=campaign,
        policy=next(about for name, _label, about in POLICIES if name == campaign.policy),
        scope=scope,
        done=done,
        topics=sum(topic.judged > 0 for topic in topics),
        counted=counted,
        score_lines=(counted.run_count + counted.withdrawn_count) * (len(topics) + 1),
        documents=campaign.collection.documents.count(),
        sampling=sampling_of(campaign=campaign),
        random=bool(random_topics(campaign=campaign)),
        strata=bool(strata_topics(campaign=campaign)),
        searched=campaign.search_judging or bool(changed),
        copies=copy_count(campaign) if campaign.judgment_copies != JudgmentCopies.OFF else 0,
        figures=[(label, about, preview_of(campaign, name, scope)) for name, label, about in EXPORT_FIGURES],
        signs=own_key_or_empty(),
        fetched=_fetched(campaign),
    )
    return render_page(request, page)


def _fetched(campaign: Campaign) -> dict[str, Deed | None]:
    """Last download of each file of the page, in any format, with its time and person. All archives of a
    kind count as one, whatever was left out."""
    last = last_fetched(campaign=campaign)

    def latest(names: Iterable[str]) -> Deed | None:
        found = [last[name] for name in names if name in last]
        return max(found, key=lambda deed: deed.created, default=None)

    def in_all_forms(export: Export) -> Iterator[str]:
        stem = export.file_name(campaign).removesuffix(export.form.ending)
        return (f"{stem}{form.ending}" for form in export.formats)

    tables = {what: latest(in_all_forms(one)) for what, one in EXPORTS.items()}
    kinds = {what: f".{one.ending}." for what, one in ARCHIVES.items()} | {"bundle": ".bundle."}
    archives = {what: latest(name for name in last if kind in name) for what, kind in kinds.items()}
    return {what.replace("-", "_"): deed for what, deed in (tables | archives).items()}


@require_safe
@organiser_page
def export(request: HttpRequest, campaign: Campaign, what: str) -> HttpResponseBase:
    if what not in EXPORTS and what not in ARCHIVES:
        raise Http404
    try:
        topics = check_scope(request.GET.get("topics", "all"))
    except Refusal as refused:
        return HttpResponse(refused.detail, status=refused.status, content_type="text/plain; charset=utf-8")
    asked = {"policy": request.GET.get("policy", ""), "form": request.GET.get("format", "")}
    try:
        if what in ARCHIVES:
            texts = "without_texts" not in request.GET
            return archive_download(request, campaign, ARCHIVES[what], texts=texts, **asked)
        return download(request, campaign, EXPORTS[what], topics=topics, **asked)
    except Refusal as refused:
        raise Http404 from refused


@require_safe
@organiser_page
def bundle(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    try:
        return bundle_download(
            request,
            campaign,
            texts="without_texts" not in request.GET,
            pseudonyms="pseudonyms" in request.GET,
        )
    except Refusal as refused:
        messages.error(request, refused.detail)
        return redirect("campaigns:exports", slug=campaign.slug)


class BundlePage(PageContext, template="campaigns/bundle.html"):
    wrong: str
    slug: str


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def upload(request: HttpRequest) -> HttpResponse:
    """A campaign out of a bundle, organised by the person who sends it."""
    user, wrong = signed_in_user(request), ""
    file, slug = request.FILES.get("file"), request.POST.get("slug", "").strip()
    if request.method == "POST" and file is None:
        wrong = gettext("Choose the bundle: a file whose name ends in .bundle.zip.")
    elif file is not None:
        name = file.name or "bundle"
        notices = Notices()
        try:
            bundle = open_bundle(file.file, name, max_bytes=settings.MAX_UNPACKED_BYTES)  # type: ignore[arg-type]
            campaign = import_bundle(bundle=bundle, slug=slug, organiser=user, notices=notices)
        except FormatError as error:
            wrong = str(error)
        except Refusal as refused:
            wrong = refused.detail
        else:
            messages.success(request, gettext("Campaign created from the bundle."))
            for row in notices.rows():
                messages.warning(request, f"{row['what']}: {row['count']:,}. {row['detail']}")
            if dropped := dropped_options(campaign):
                words = gettext("Left out, as methods no longer have it: the option %(names)s.")
                messages.warning(request, words % {"names": ", ".join(dropped)})
            return redirect("campaigns:dashboard", slug=campaign.slug)
    return render_page(request, BundlePage(wrong, slug), status=400 if wrong else 200)
