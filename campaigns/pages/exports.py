from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from campaigns.core.errors import Refused
from campaigns.exchange.bundles.signing import signs
from campaigns.exchange.downloads import bundle_download, download
from campaigns.exchange.exports import EXPORTS, sizes
from campaigns.exchange.prels import random_topics, sampling_of
from campaigns.log.judgments import length_of
from campaigns.log.timeline import last_fetched
from campaigns.models import Campaign, Deed
from campaigns.models.campaign import Policy
from campaigns.pages.access import organiser_page
from campaigns.pages.setup.policies import POLICIES
from campaigns.results.figures import MOST_ROWS
from campaigns.results.overview import topics_of

# As figures are offered: name, what it shows, and how many of the best runs go into one column.
FIGURES = (
    ("intervals", _("Intervals"), _("Every run from base to top, with its projection."), 40),
    ("curves", _("Convergence"), _("Base and top of the best runs while judgments came."), 5),
    ("residuals", _("Topics"), _("The runs’ residuals in every topic, the most open first."), 40),
)


@require_safe
@organiser_page
def exports(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    policy = request.GET.get("policy", campaign.policy)
    if policy not in Policy.values:
        raise Http404
    topics = topics_of(campaign=campaign)
    runs = campaign.runs.count()
    log = length_of(campaign=campaign)
    judged = sum(topic.judged for topic in topics)
    score_lines = runs * (len(topics) + 1)
    context = {
        "campaign": campaign,
        "policy": policy,
        "policies": POLICIES,
        "judged": judged,
        "relevant": sum(topic.relevant for topic in topics),
        "topics": sum(topic.judged > 0 for topic in topics),
        "all_topics": len(topics),
        "runs": runs,
        "log": log,
        "sizes": sizes(campaign=campaign, judged=judged, log=log, score_lines=score_lines),
        "score_lines": score_lines,
        "documents": campaign.collection.documents.count(),
        "sampling": sampling_of(campaign=campaign),
        "random": bool(random_topics(campaign=campaign)),
        "figures": FIGURES,
        "most_rows": MOST_ROWS,
        "kinds": ("svg", "pdf", "png", "json"),
        "signs": signs(),
        "fetched": _fetched(campaign, policy),
    }
    return render(request, "campaigns/exports.html", context)


def _fetched(campaign: Campaign, policy: str) -> dict[str, Deed | None]:
    """When each file of the page was last fetched, and by whom. A bundle is one, whatever was left out."""
    last = last_fetched(campaign=campaign)
    found = {
        what.replace("-", "_"): last.get(one.file_name(campaign, policy)) for what, one in EXPORTS.items()
    }
    bundles = [deed for name, deed in last.items() if name.endswith(".bundle.zip")]
    return {**found, "bundle": max(bundles, key=lambda deed: deed.created, default=None)}


@require_safe
@organiser_page
def export(request: HttpRequest, campaign: Campaign, what: str) -> HttpResponseBase:
    if what not in EXPORTS:
        raise Http404
    try:
        return download(request, campaign, EXPORTS[what], policy=request.GET.get("policy", ""))
    except Refused as refused:
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
    except Refused as refused:
        messages.error(request, refused.detail)
        return redirect("campaigns:exports", slug=campaign.slug)
