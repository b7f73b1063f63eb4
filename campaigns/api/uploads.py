"""Uploads: parse, call a service, report. With an error in the file, nothing of it is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import OrganiserView
from campaigns.api.reading import QrelsView
from campaigns.formats.collections import iter_documents
from campaigns.formats.limits import COLLECTION_BYTES, QRELS_BYTES, TOPICS_BYTES
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs import read_runs
from campaigns.formats.topics import read_topics
from campaigns.services.documents import store_documents
from campaigns.services.qrels import store_qrels
from campaigns.services.runs import Upload, store_runs
from campaigns.services.sources import check_url_template, set_url_template
from campaigns.services.topics import store_topics


@dataclass(frozen=True)
class Attachment:
    name: str
    content: UploadedFile[Any]


class UploadView(OrganiserView):
    parser_classes = (MultiPartParser,)
    fields: tuple[str, ...] = ()

    def file(self, request: Request) -> Attachment:
        unknown = sorted(set(request.data) - {"file", *self.fields})
        if unknown:
            raise ValidationError({name: ["there is no such field"] for name in unknown})
        given = request.FILES.getlist("file")
        upload = given[0] if len(given) == 1 else None
        if not isinstance(upload, UploadedFile):
            raise ValidationError({"file": ["attach one file in the field “file”"]})
        return Attachment(upload.name or "upload", upload)


def report(
    kind: str, name: str, taken: Mapping[str, int], noticed: Iterable[Mapping[str, Any]] = ()
) -> Response:
    return Response({"kind": kind, "name": name, "taken": dict(taken), "noticed": list(noticed)}, status=201)


def digest(upload: Attachment) -> str:
    sha256 = hashlib.sha256()
    for chunk in upload.content.chunks():
        sha256.update(chunk)
    upload.content.seek(0)
    return sha256.hexdigest()


def most(limit_of_kind: int) -> int:
    """Only collections are streamed; the others are in memory while they are read, so they end sooner."""
    return min(limit_of_kind, int(settings.MAX_UNPACKED_BYTES))


def printable(text: str, field: str) -> str:
    if not text.isprintable():
        raise ValidationError({field: ["it holds characters that cannot be shown"]})
    return text


def flag(request: Request, name: str, *, default: bool) -> bool:
    value = request.POST.get(name, str(default)).lower()
    if value not in ("true", "false"):
        raise ValidationError({name: [f"say true or false, not {value}"]})
    return value == "true"


class CollectionUploadView(UploadView):
    fields = ("url_template",)

    def post(self, request: Request, slug: str) -> Response:
        upload = self.file(request)
        collection = self.campaign.collection
        template = request.POST.get("url_template")
        check_url_template(template or "")
        records = iter_documents(upload.content, upload.name, max_bytes=most(COLLECTION_BYTES))
        with transaction.atomic():
            stored = store_documents(collection=collection, records=records, file=upload.name)
            if template is not None:
                set_url_template(collection=collection, template=template)
        return report("collection", upload.name, {"documents": stored})


class TopicsUploadView(UploadView):
    fields = ("reword",)

    def post(self, request: Request, slug: str) -> Response:
        upload = self.file(request)
        reword = flag(request, "reword", default=False)
        records = read_topics(upload.content, upload.name, max_bytes=most(TOPICS_BYTES))
        stored = store_topics(
            campaign=self.campaign, user=self.user, records=records, file=upload.name, reword=reword
        )
        taken = {"topics": stored.added, "revised": stored.revised, "unchanged": stored.unchanged}
        return report("topics", upload.name, taken)


class RunsUploadView(UploadView):
    fields = ("group", "contributes", "lenient")

    def post(self, request: Request, slug: str) -> Response:
        upload = self.file(request)
        source = Upload(
            user=self.user,
            file=upload.name,
            sha256=digest(upload),
            group=printable(request.POST.get("group", ""), "group")[:200],
            contributes=flag(request, "contributes", default=True),
        )
        lenient = flag(request, "lenient", default=False)
        parsed = read_runs(
            upload.content, upload.name, lenient=lenient, max_bytes=settings.MAX_UNPACKED_BYTES
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
    def post(self, request: Request, slug: str) -> Response:
        upload = self.file(request)
        parsed = read_qrels(upload.content, upload.name, max_bytes=most(QRELS_BYTES))
        stored = store_qrels(campaign=self.campaign, user=self.user, parsed=parsed, file=upload.name)
        taken = {"judgments": stored.added, "unchanged": stored.unchanged}
        return report("qrels", upload.name, taken, parsed.report.as_rows())


class QrelsReadOrLoadView(QrelsUploadView, QrelsView):
    """GET streams the qrels, POST loads some."""
