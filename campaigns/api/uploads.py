"""Uploads: parse, call a service, report. With an error in the file, nothing of it is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.views import CampaignView, OrganiserView
from campaigns.api.framework.words import FILES_TAG
from campaigns.api.results import QrelsView
from campaigns.api.runs import RunsView
from campaigns.api.shapes.base import Problem
from campaigns.api.shapes.collection import FileIn, Report, RunsFile, TopicsFile
from campaigns.api.topics import TopicsView
from campaigns.collection.runs import RunSource, store_runs
from campaigns.collection.topics import store_topics
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.errors import QRELS_BYTES, RUN_BYTES, TOPICS_BYTES
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics


class UploadView(OrganiserView):
    parser_classes = (MultiPartParser,)


def report(
    kind: str, name: str, taken: Mapping[str, int], noticed: Iterable[Mapping[str, Any]] = ()
) -> Response:
    return Response({"kind": kind, "name": name, "taken": dict(taken), "noticed": list(noticed)}, status=201)


def digest(upload: UploadedFile[Any]) -> str:
    sha256 = hashlib.sha256()
    for chunk in upload.chunks():
        sha256.update(chunk)
    return sha256.hexdigest()


def upload_size_limit(limit_of_kind: int) -> int:
    """What an upload of a kind may hold, in bytes; the site's own limit may be lower."""
    return min(limit_of_kind, int(settings.MAX_UNPACKED_BYTES))


class TopicsUploadView(UploadView):
    takes = {"POST": TopicsFile}

    @extend_schema(
        operation_id="upload_topics",
        summary="Upload topics",
        description="A file in TREC, XML, JSON lines, TSV or SMART format.",
        tags=[FILES_TAG],
        responses={201: Report, 409: Problem},
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, TopicsFile)
        upload, reword = wish["file"], wish["reword"]
        records = read_topics(upload, upload.name, max_bytes=upload_size_limit(TOPICS_BYTES))
        stored = store_topics(
            campaign=self.campaign, user=self.user, records=records, file=upload.name, reword=reword
        )
        taken = {"topics": stored.added, "revised": stored.revised, "unchanged": stored.unchanged}
        return report("topics", upload.name, taken)


class RunsUploadView(UploadView):
    takes = {"POST": RunsFile}

    @extend_schema(
        operation_id="upload_runs",
        summary="Upload runs",
        description="A TREC run file: lines of topic Q0 docno rank score tag. Runs can be uploaded at any "
        "time.",
        tags=[FILES_TAG],
        responses={201: Report, 409: Problem},
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, RunsFile)
        upload = wish["file"]
        parsed = read_runs(
            upload,
            upload.name,
            lenient=wish["lenient"],
            max_bytes=upload_size_limit(RUN_BYTES),
            in_memory=False,
            folder=settings.FILE_UPLOAD_TEMP_DIR,
        )
        source = RunSource(
            user=self.user,
            file=upload.name,
            sha256=digest(upload),
            group=wish["group"],
            contributes=wish["contributes"],
        )
        runs = store_runs(campaign=self.campaign, parsed=parsed, upload=source)
        taken = {
            "runs": len(runs),
            "topics": max(len(run.rankings) for run in parsed),
            "lines": sum(run.report.lines for run in parsed),
        }
        noticed = [{"run": run.tag, **row} for run in runs for row in run.noticed]
        return report("runs", upload.name, taken, noticed)


class QrelsUploadView(UploadView):
    takes = {"POST": FileIn}

    @extend_schema(
        operation_id="upload_qrels",
        summary="Upload qrels",
        description="Existing judgments in TREC format: lines of topic 0 docno grade. They are appended to "
        "the log.",
        tags=[FILES_TAG],
        responses={201: Report, 409: Problem},
    )
    def post(self, request: Request, slug: str) -> Response:
        upload = self.body(request, FileIn)["file"]
        parsed = read_qrels(upload, upload.name, max_bytes=upload_size_limit(QRELS_BYTES))
        stored = store_qrels(campaign=self.campaign, user=self.user, parsed=parsed, file=upload.name)
        taken = {"judgments": stored.added, "unchanged": stored.unchanged}
        return report("qrels", upload.name, taken, parsed.report.as_rows())


class RunsListOrLoadView(RunsUploadView, RunsView):
    """GET lists the runs, POST loads some."""


class TopicsListOrLoadView(TopicsUploadView, TopicsView):
    """GET lists the topics, for assessors, too; POST loads some."""

    def admit(self, request: Request, **kwargs: object) -> None:
        if request.method == "POST":
            super().admit(request, **kwargs)
        else:
            CampaignView.admit(self, request, **kwargs)


class QrelsReadOrLoadView(QrelsUploadView, QrelsView):
    """GET streams the qrels, POST loads some."""
