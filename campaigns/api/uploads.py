"""Uploads: parse, call a service, report. With an error in the file, nothing of it is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.views import CampaignView, OrganiserView
from campaigns.api.framework.words import FILES_TAG
from campaigns.api.results import QrelsView
from campaigns.api.runs import RunsView
from campaigns.api.shapes.base import Problem
from campaigns.api.shapes.collection import (
    ArchiveFile,
    HeadFile,
    QrelsFile,
    RecognisedFile,
    Report,
    RunsFile,
    TopicsFile,
)
from campaigns.api.topics import TopicsView
from campaigns.exchange.column_choices import choice_of, kind_by_columns
from campaigns.exchange.grade_maps import preview_of
from campaigns.exchange.notice_words import translated_notice
from campaigns.exchange.uploads import (
    UploadOptions,
    UploadResult,
    store_archive,
    store_qrels_file,
    store_runs_file,
    store_topics_file,
)
from campaigns.formats.conversion.looking import PIECES_BYTES, TableLook, look_at_table
from campaigns.formats.recognition.content import Kind, Recognition
from campaigns.formats.recognition.heads import HEAD_BYTES, recognise_file
from campaigns.formats.recognition.previews import head_grades, preview_file, topic_count
from campaigns.formats.recognition.roles import ROLES, ColumnChoice

operation = Operations(FILES_TAG)


class UploadView(OrganiserView):
    parser_classes = (MultiPartParser,)

    def stored(self, kind: str, store: Callable[..., UploadResult], wish: dict[str, Any]) -> Response:
        upload = wish.pop("file")
        stored = store(
            campaign=self.campaign,
            user=self.user,
            # Archives are gone through several times, from their beginning.
            file=upload.file,
            name=upload.name,
            options=UploadOptions(**wish),
        )
        return report(kind, upload.name, stored.taken, stored.noticed)


def report(
    kind: str, name: str, taken: Mapping[str, int], noticed: Iterable[Mapping[str, Any]] = ()
) -> Response:
    return Response(
        {"kind": kind, "name": name, "taken": dict(taken), "noticed": [*map(translated_notice, noticed)]},
        status=201,
    )


class TopicsUploadView(UploadView):
    takes = {"POST": TopicsFile}

    @operation(
        "upload_topics",
        "Upload topics",
        {201: Report, 409: Problem},
        "A file in TREC, XML, JSON lines, TSV or SMART format.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.stored("topics", store_topics_file, self.body(request, TopicsFile))


class RunsUploadView(UploadView):
    takes = {"POST": RunsFile}

    @operation(
        "upload_runs",
        "Upload runs",
        {201: Report, 409: Problem},
        "A TREC run file: lines of topic Q0 docno rank score tag. Runs can be uploaded at any time.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.stored("runs", store_runs_file, self.body(request, RunsFile))


class QrelsUploadView(UploadView):
    takes = {"POST": QrelsFile}

    @operation(
        "upload_qrels",
        "Upload qrels",
        {201: Report, 409: Problem},
        "Existing judgments in TREC format: lines of topic 0 docno grade. They are appended to "
        "the log. A file with other grades than the campaign’s is refused as `other_grades` until they are "
        "mapped or made the campaign’s scale.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.stored("qrels", store_qrels_file, self.body(request, QrelsFile))


class ArchiveUploadView(UploadView):
    takes = {"POST": ArchiveFile}

    @operation(
        "upload_archive",
        "Upload an archive",
        {201: Report, 409: Problem},
        "A zip or tar file (plain or compressed) of documents, topics, runs and qrels, in any mix. They are "
        "recognised by their content and stored in this order, all or none. Other files are left out and "
        "reported. Of pages and images, each is one document if the archive holds only documents.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.stored("archive", store_archive, self.body(request, ArchiveFile))


class RecognitionView(UploadView):
    takes = {"POST": HeadFile}

    @operation(
        "recognise_file",
        "Recognise a file",
        RecognisedFile,
        "Recognise a file by its first bytes: its kind, and its first record. Nothing is stored.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, HeadFile)
        upload, size = wish["file"], wish["size"]
        content = upload.read(PIECES_BYTES)
        head = content[:HEAD_BYTES]
        found = recognise_file(head, name=upload.name)
        if kind := wish.get("kind"):
            found = replace(found, kind=Kind(kind))
        look, choice = self._look(found, content, wish)
        found = look.found if look else found
        preview = preview_file(found, head, choice.path, look.lines if look else None)
        is_counted = found.kind is Kind.TOPICS and size == len(head)
        return Response(
            {
                "kind": found.kind.value,
                "words": found.words,
                "certain": found.certain,
                "topics": topic_count(head) if is_counted else None,
                "first": [{"name": name, "value": value} for name, value in preview.first],
                "noticed": [*map(translated_notice, preview.noticed)],
                "text_field": preview.text_field,
                "text_fields": [{"path": path, "value": value} for path, value in preview.text_fields],
                "table": table_json(look) if look and look.names else None,
                "pieces": look.pieces if look else [],
                "other_grades": (
                    preview_of(self.campaign, head_grades(look.lines if look and look.lines else head))
                    if found.kind is Kind.QRELS
                    else None
                ),
            }
        )

    def _look(
        self, found: Recognition, content: bytes, wish: dict[str, Any]
    ) -> tuple[TableLook | None, ColumnChoice]:
        """The columns of a table. One that was read before is of the same kind again."""
        collection, chosen = self.campaign.collection, wish.get("columns")
        choice = choice_of(
            collection=collection, kind=found.kind.value, chosen=chosen, text_field=wish.get("text_field")
        )
        look = look_at_table(found, content, max(wish["size"], len(content)), wish.get("pieces", ()), choice)
        if look is None or found.kind is not Kind.UNKNOWN:
            return look, choice
        kind = kind_by_columns(collection=collection, found=look.found, names=look.names, chosen=chosen)
        if kind is Kind.UNKNOWN:
            return look, choice
        return self._look(replace(found, kind=kind), content, wish)


def table_json(look: TableLook) -> dict[str, Any]:
    """The columns of a table, and the roles of its kind in their order."""
    roles = ROLES.get(look.found.kind.value, {})
    return {
        "names": look.names,
        "rows": look.rows,
        "roles": [{"role": role, "column": look.roles.get(role, "")} for role in roles],
        "missing": look.missing,
        "refusal": look.refusal,
    }


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
