"""The collection: its state, its loading from a file or a dataset, and its documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import quote

from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.http import BoundedJSONParser
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import ASSESSES, ORGANISES
from campaigns.api.framework.views import CampaignView, OrganiserView
from campaigns.api.framework.words import FILES_TAG, RESULTS_TAG
from campaigns.api.shapes import collection as shapes
from campaigns.api.shapes.base import PageQuery, Problem, file, list_shape
from campaigns.api.shapes.collection import CollectionFile, Report
from campaigns.api.uploads import UploadView, report
from campaigns.collection.access import check_url_template, document_for, set_url_template, source_url
from campaigns.collection.document_revisions import as_it_was, earlier_text, replaced_texts
from campaigns.collection.documents import store_documents
from campaigns.collection.metadata import all_field_rows, field_rows
from campaigns.collection.search import SearchPage, search_documents
from campaigns.collection.shown_text import shown_html
from campaigns.duplicates.groups import duplicate_figures, duplicates_in
from campaigns.exchange import datasets
from campaigns.exchange.column_choices import choice_of, remember_choice
from campaigns.exchange.uploads import size_limit
from campaigns.formats.content_types import BINARY, Kind, kind_of, media_type
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.documents.single import DOCNO_BY_PATH, type_by_name, unpacked_bytes
from campaigns.formats.errors import (
    COLLECTION_BYTES,
    FormatError,
    LineError,
    Notices,
    what_is_wrong_with_name,
)
from campaigns.models import Document, Loading, TextSignature

operation = Operations(RESULTS_TAG)
files_operation = Operations(FILES_TAG)


def loading_json(row: Loading) -> dict[str, Any]:
    return shapes.Loading.of(row, ir_dataset=row.name)


class CollectionView(UploadView):
    takes = {"POST": {"multipart/form-data": CollectionFile, "application/json": shapes.DatasetIn}}

    def get_parsers(self) -> list[BaseParser]:
        return [MultiPartParser(), BoundedJSONParser()]

    @files_operation(
        "get_collection",
        "Show the collection",
        shapes.Collection,
        "Number of documents, and progress of loading a dataset.",
    )
    def get(self, request: Request, slug: str) -> Response:
        collection = self.campaign.collection
        row = Loading.objects.filter(campaign=self.campaign).first()
        loading = loading_json(row) if row else None
        documents = collection.documents.count()
        found = duplicate_figures(collection)
        answer = shapes.Collection.of(
            collection,
            documents=documents,
            loading=loading,
            duplicates=found.documents,
            duplicate_groups=found.groups,
            compared=found.compared,
        )
        return Response(answer)

    @files_operation(
        "upload_collection",
        "Upload documents",
        {
            201: Report,
            202: shapes.Loading,
            409: Problem,
        },
        "A file of documents (TREC, SMART, JSON, CSV, TSV, Parquet, Arrow or WARC), or one document (HTML, "
        "Markdown, PDF or an image), plain or compressed as .gz, .bz2, .xz, .zst or .lz4. Or, as JSON, "
        "the name of a dataset in ir_datasets: the worker loads it with its topics (202), and GET shows its "
        "progress.",
    )
    def post(self, request: Request, slug: str) -> Response:
        if request.content_type.startswith("multipart/"):
            return self._upload(self.body(request, CollectionFile))
        wish = self.body(request, shapes.DatasetIn)
        row = datasets.request_dataset(
            campaign=self.campaign,
            user=self.user,
            name=wish["ir_dataset"],
            qrels=wish["qrels"],
            replace=wish["replace"],
        )
        return Response(loading_json(row), status=202)

    def _upload(self, wish: dict[str, Any]) -> Response:
        upload, template = wish["file"], wish.get("url_template")
        collection = self.campaign.collection
        check_url_template(template or "")
        notices = Notices()
        limit = size_limit(COLLECTION_BYTES)
        columns = choice_of(
            collection=collection,
            kind="documents",
            chosen=wish.get("columns"),
            text_field=wish.get("text_field"),
        )
        records = iter_documents(
            upload,
            upload.name,
            max_bytes=limit,
            notices=notices,
            text_field=columns.path,
            columns=columns,
            folder=settings.FILE_UPLOAD_TEMP_DIR,
        )
        if docno := wish.get("docno"):
            _check_docno(docno, upload.name)
            if "/" in docno:
                notices.add(*DOCNO_BY_PATH, name=docno)
            records = (replace(record, docno=docno) for record in records)
        with transaction.atomic():
            stored = store_documents(
                collection=collection, records=records, file=upload.name, replace=wish["replace"]
            )
            remember_choice(collection=collection, kind="documents", choice=columns)
            if template is not None:
                set_url_template(collection=collection, template=template)
        return report("collection", upload.name, stored.taken, notices.rows())


def _check_docno(docno: str, name: str) -> None:
    if not type_by_name(name):
        reason = gettext("only a file that is one document can get a docno")
    else:
        reason = what_is_wrong_with_name("docno", docno)
    if reason:
        raise FormatError(name, [LineError(None, reason, "docno")])


# Whatever an uploaded file holds, opened by itself it is no page of this site.
_NOTHING = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
_SANDBOX = f"{_NOTHING}; sandbox"


def _disposition(docno: str) -> str:
    """A docno may hold anything, line ends and paths included; a file's name may not."""
    name = "".join("_" if one in '/\\"' or not one.isprintable() else one for one in docno)
    return content_disposition_header(as_attachment=False, filename=name) or "inline"


class DocumentText(Protocol):
    @property
    def document_id(self) -> int: ...
    @property
    def docno(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def content_type(self) -> str: ...
    @property
    def url_template(self) -> str: ...
    @property
    def html(self) -> str | None: ...
    @property
    def document_revision(self) -> int: ...
    @property
    def metadata(self) -> dict[str, str]: ...


def document_json(document: DocumentText, shown: Sequence[str]) -> dict[str, Any]:
    """All that a browser needs to show it: how, its text or its safe HTML or where its bytes are, where it
    can be seen at its source, and its fields of the `shown` names. Where its bytes are is said relative to
    the campaign's address."""
    kind = kind_of(document.content_type)
    held = bool(document.body)
    bytes_at = ""
    if held and kind in BINARY:
        bytes_at = (
            f"documents/{quote(document.docno, safe='')}/content/?revision={document.document_revision}"
        )
    return {
        "docno": document.docno,
        "title": document.title,
        "body": "" if kind in BINARY else document.body,
        "content_type": document.content_type,
        "kind": str(kind),
        "rendered": shown_html(
            document.document_id, document.body, document.content_type, stored=document.html
        ),
        "content": bytes_at,
        "url": source_url(document.url_template, document.docno),
        "document_revision": document.document_revision,
        **({"metadata": field_rows(document.metadata, shown)} if shown else {}),
    }


def shown_document_json(document: Document, shown: Sequence[str], revision: int) -> dict[str, Any]:
    """A document, with its collection, as a judging screen shows it: the text of a revision."""
    return document_json(as_it_was(document, revision), shown)


class DocumentsView(OrganiserView):
    """Documents by docno, or by words of title and text, the best match first."""

    queries = {"GET": shapes.SearchQuery}

    @operation(
        "search_documents",
        "Search documents",
        {200: shapes.SearchResult, 409: Problem},
        "Search by docno, by its beginning, or by words of title and text, stemmed as in English. "
        "`search_timeout` (409): too many documents contain the words.",
    )
    def get(self, request: Request, slug: str) -> Response:
        limit = min(self.asked["limit"], shapes.MOST_FOUND)
        found = search_documents(
            collection=self.campaign.collection,
            query=self.asked["search"],
            page=self.asked["page"],
            limit=limit,
        )
        return Response(found_json(found))


DUPLICATES_LISTING = Listing[TextSignature]("duplicates", lambda row: row.document_id)


class DuplicatesView(OrganiserView):
    """Documents that duplicate another."""

    queries = {"GET": PageQuery}

    @operation(
        "list_duplicates",
        "List duplicates",
        list_shape(shapes.Duplicate),
        "Documents with the same text as an earlier one, or nearly so, each with the first document of its "
        "group. The worker finds them after an upload.",
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = duplicates_in(self.campaign.collection).select_related("document", "representative")
        page = DUPLICATES_LISTING.of_query(request, self.asked, rows.defer("bands"), "document_id")
        return Response(page.as_json(_duplicate_json))


def _duplicate_json(row: TextSignature) -> dict[str, Any]:
    representative = row.representative.docno if row.representative else ""
    return shapes.Duplicate.of(row, docno=row.document.docno, representative=representative)


def found_json(found: SearchPage) -> dict[str, Any]:
    results = [shapes.FoundDocument.of(row, snippet=row.excerpt) for row in found.rows]
    return shapes.SearchResult.of(found, results=results, last=found.is_last)


class DocumentView(OrganiserView):
    """A document as the collection holds it; bytes as base64."""

    @operation("get_document", "Show a document", shapes.DocumentWithEarlier)
    def get(self, request: Request, slug: str, docno: str) -> Response:
        document = document_for(membership=self.membership, docno=docno)
        if document is None:
            raise Http404
        earlier = replaced_texts(document).defer("body", "html")
        answer = shapes.DocumentWithEarlier.of(
            document,
            kind=str(kind_of(document.content_type)),
            url=source_url(document.collection.url_template, document.docno),
            document_revision=document.revision,
            metadata=all_field_rows(document),
            earlier=[shapes.Replaced.of(row) for row in earlier],
        )
        return Response(answer)


class EarlierTextView(CampaignView):
    """A text that a document had when it was judged, annotated, an example or in the training."""

    needs = ASSESSES
    queries = {"GET": shapes.RevisionQuery}

    @operation(
        "get_earlier_text",
        "Show an earlier text of a document",
        shapes.EarlierText,
        "A text that an upload replaced. Only texts that were judged, annotated, examples or in the training "
        "are kept. Assessors get those of documents that they have seen.",
    )
    def get(self, request: Request, slug: str, docno: str) -> Response:
        document = document_for(membership=self.membership, docno=docno)
        if document is None:
            raise Http404
        earlier = earlier_text(document, self.asked["revision"])
        if earlier is None:
            raise Http404
        shown = shown_document_json(document, self.campaign.shown_fields, earlier.revision)
        return Response({**shown, "replaced": earlier.replaced, "sha256": earlier.sha256})


class ContentView(CampaignView):
    """A document's own bytes, as what they are, where nothing of them can run."""

    needs = ORGANISES
    queries = {"GET": shapes.ContentQuery}

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        # A client that asks for an image says so, and no renderer offers one.
        return super().perform_content_negotiation(request, force=True)

    @operation(
        "get_document_content",
        "Download a document's bytes",
        {(200, "*/*"): file(OpenApiTypes.BINARY, "(the document's bytes)", "Of its own type")},
    )
    def get(self, request: Request, slug: str, docno: str) -> HttpResponse:
        document = document_for(membership=self.membership, docno=docno)
        if document is not None and "revision" in self.asked:
            document = as_it_was(document, self.asked["revision"])
        if document is None or not document.body:
            raise Http404
        kind, content_type = kind_of(document.content_type), media_type(document.content_type)
        content_type = content_type or "text/plain"
        if kind in BINARY:
            response = HttpResponse(unpacked_bytes(document.body), content_type=content_type)
        else:
            response = HttpResponse(document.body, content_type=f"{content_type}; charset=utf-8")
        response["Content-Disposition"] = _disposition(document.docno)
        # Browsers show PDF by a page of their own, which a sandbox keeps from starting.
        response["Content-Security-Policy"] = _NOTHING if kind is Kind.PDF else _SANDBOX
        response["X-Content-Type-Options"] = "nosniff"
        response["X-Frame-Options"] = "SAMEORIGIN"
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        # Fetched ahead of need, it is there when the network is not.
        response["Cache-Control"] = "private, max-age=3600"
        return response
