"""The collection: what there is of it, and documents for it, as a file or as a data set by its name."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.http import BoundedJSONParser
from campaigns.api.framework.words import FILES
from campaigns.api.shapes import datasets as shapes
from campaigns.api.shapes.collection import CollectionFile, Report
from campaigns.api.shapes.problems import Problem
from campaigns.api.uploads import UploadView, most, report
from campaigns.collection.access import check_url_template, set_url_template
from campaigns.collection.documents import store_documents
from campaigns.exchange import datasets
from campaigns.formats.documents import iter_documents
from campaigns.formats.errors import COLLECTION_BYTES
from campaigns.models import Loading


def loading_json(row: Loading) -> dict[str, Any]:
    fields = ("qrels", "state", "documents", "total", "taken", "problem")
    return {"ir_dataset": row.name, **{name: getattr(row, name) for name in fields}}


class CollectionView(UploadView):
    takes = {"POST": {"multipart/form-data": CollectionFile, "application/json": shapes.DatasetIn}}

    def get_parsers(self) -> list[BaseParser]:
        return [MultiPartParser(), BoundedJSONParser()]

    @extend_schema(
        operation_id="get_collection",
        summary="The collection",
        description="How many documents there are, and how far a data set is that is being loaded.",
        tags=[FILES],
        responses=shapes.Collection,
    )
    def get(self, request: Request, slug: str) -> Response:
        collection = self.campaign.collection
        row = Loading.objects.filter(campaign=self.campaign).first()
        return Response(
            {
                "name": collection.name,
                "documents": collection.documents.count(),
                "complete": collection.complete,
                "url_template": collection.url_template,
                "loading": loading_json(row) if row else None,
            }
        )

    @extend_schema(
        operation_id="upload_collection",
        summary="Documents",
        description=(
            "TREC, JSON lines, TSV, plain text, HTML, images, PDF, or an archive of them. Or, as JSON, the "
            "name of a data set in ir_datasets, topics included: 202, and the worker loads it; ask for the "
            "collection to see how far it is."
        ),
        tags=[FILES],
        responses={
            201: Report,
            202: shapes.Loading,
            409: Problem,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        if request.content_type.startswith("multipart/"):
            return self._upload(self.body(request, CollectionFile))
        wish = self.body(request, shapes.DatasetIn)
        row = datasets.ask(
            campaign=self.campaign, user=self.user, name=wish["ir_dataset"], qrels=wish["qrels"]
        )
        return Response(loading_json(row), status=202)

    def _upload(self, wish: dict[str, Any]) -> Response:
        upload, template = wish["file"], wish.get("url_template")
        collection = self.campaign.collection
        check_url_template(template or "")
        records = iter_documents(upload, upload.name, max_bytes=most(COLLECTION_BYTES))
        with transaction.atomic():
            stored = store_documents(collection=collection, records=records, file=upload.name)
            if template is not None:
                set_url_template(collection=collection, template=template)
        return report("collection", upload.name, {"documents": stored})
