"""Exports as files: prels, every table and archive by its name, and the bundle."""

from __future__ import annotations

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import RESULTS_TAG
from campaigns.api.shapes.base import file
from campaigns.api.shapes.exports import BundleQuery, ExportQuery, PolicyQuery
from campaigns.core.errors import Refusal
from campaigns.exchange.archives.folders import ARCHIVES
from campaigns.exchange.downloads import archive_download, bundle_download, download
from campaigns.exchange.exports import EXPORTS
from campaigns.formats.tables import FileFormat

operation = Operations(RESULTS_TAG)


class PrelsView(OrganiserView):
    """The judgments with inclusion probabilities, streamed: topic docno rel method iprob."""

    queries = {"GET": PolicyQuery}

    @operation(
        "get_prels",
        "Download the prels",
        {
            (200, "text/plain"): file(OpenApiTypes.STR, "401 LA010189-0001 1 1 0.31\n", "Prels"),
            304: None,
        },
        "Current judgments with inclusion probabilities, one a line: topic docno rel method iprob.",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return download(request, self.campaign, EXPORTS["prels"], policy=self.asked["policy"])


class ExportView(OrganiserView):
    """Tables and archives, under the names that they have on the page of exports."""

    queries = {"GET": ExportQuery}

    @operation(
        "get_export",
        "Download an export",
        {
            (200, "text/plain"): file(OpenApiTypes.STR, "401 0 LA010189-0001 1\n", "Qrels or prels"),
            (200, "text/csv"): file(OpenApiTypes.STR, "run,group,topic,measure,base\r\n", "A table"),
            (200, "application/x-ndjson"): file(
                OpenApiTypes.STR, '{"sequence":1,"topic":"401"}\n', "An act a line"
            ),
            (200, FileFormat.PARQUET.content_type): file(
                OpenApiTypes.BINARY, "(the file's bytes)", "A table"
            ),
            (200, "application/zip"): file(OpenApiTypes.BINARY, "(the zip's bytes)", "An archive"),
            304: None,
        },
        "Tables in the format of `format`: `qrels`, `qrels-pooled`, `qrels-served`, `prels` and `strata` by "
        "an aggregation policy; the gain of each grade as `gains`, for `--gains` of the commands on files; "
        "the judgment log as `judgments`; the topics that assessors were offered and took as `topic-draws`; "
        "marked passages and notes as `passages`; the RBP score ranges of every run in every topic as "
        "`scores`; its mean scores by the campaign's measures as `measures`. `judgments-csv`, "
        "`judgments-jsonl` and `scores-csv` are these in one format. Zip files: a table of "
        "each run as `runs`; the whole campaign, with its documents, as a BEIR folder (`beir`), as a "
        "dataset of Hugging Face with its card (`huggingface`), and as a definition for `ir_datasets` "
        "(`ir-datasets`).",
    )
    def get(self, request: Request, slug: str, what: str) -> HttpResponseBase:
        if what not in EXPORTS and what not in ARCHIVES:
            raise Http404
        archive = ARCHIVES.get(what)
        if self.asked["policy"] and not (archive.whole if archive else EXPORTS[what].graded):
            detail = gettext("this file is the same by every policy")
            raise Refusal("no_policy", detail, field="policy")
        if self.asked["topics"] != "all" and (archive or not EXPORTS[what].scoped):
            detail = gettext("this file is the same for all and for judged topics")
            raise Refusal("no_scope", detail, field="topics")
        if not self.asked["texts"] and not (archive and archive.whole):
            raise Refusal("no_texts", gettext("this file has no texts of documents"), field="texts")
        asked = {"policy": self.asked["policy"], "form": self.asked["format"]}
        if archive:
            return archive_download(request, self.campaign, archive, texts=self.asked["texts"], **asked)
        return download(request, self.campaign, EXPORTS[what], topics=self.asked["topics"], **asked)


class BundleView(OrganiserView):
    queries = {"GET": BundleQuery}

    @operation(
        "get_bundle",
        "Download the campaign as a signed bundle",
        {
            (200, "application/zip"): file(OpenApiTypes.BINARY, "(the zip's bytes)", "The bundle"),
            304: None,
        },
        "The command `import_bundle` rebuilds the campaign from this zip file.",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return bundle_download(request, self.campaign, **self.asked)
