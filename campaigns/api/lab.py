"""The Lab: judged collections, and jobs that run studies on them. Each account sees its own."""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.http import BoundedJSONParser
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import ORGANISES, campaign_of
from campaigns.api.framework.views import ApiView
from campaigns.api.framework.words import LAB_TAG
from campaigns.api.shapes import lab as shapes
from campaigns.api.shapes.base import PageQuery, Problem, file, list_shape
from campaigns.core.errors import Refusal
from campaigns.lab import collections, study_jobs
from campaigns.lab.collection_files import write_zip
from campaigns.lab.results import (
    FIGURE_TYPES,
    TABLE_TYPES,
    command_line,
    figure_file,
    file_name,
    ordered_settings,
    table_file,
)
from campaigns.models import Campaign, LabCollection, LabJob

operation = Operations(LAB_TAG)

COLLECTIONS_LISTING = Listing[LabCollection]("lab-collections", lambda row: row.id, descending=True)
JOBS_LISTING = Listing[LabJob]("lab-jobs", lambda row: row.id, descending=True)
OwnRow = TypeVar("OwnRow", LabCollection, LabJob)


def collection_json(row: LabCollection) -> dict[str, Any]:
    return shapes.LabCollectionOut.of(row, campaign=row.campaign.slug if row.campaign else None)


def job_json(row: LabJob) -> dict[str, Any]:
    return shapes.LabJobOut.of(
        row, collection=row.collection_id, settings=ordered_settings(row), command=command_line(row)
    )


class LabView(ApiView):
    needs = ORGANISES

    def admit(self, request: Request, **kwargs: object) -> None:
        if campaign_of(request) is not None:
            # A token of one campaign finds nothing beside it.
            raise Http404

    @property
    def user(self) -> User:
        assert isinstance(self.request.user, User)
        return self.request.user

    def collection(self, id: int) -> LabCollection:
        rows = LabCollection.objects.filter(owner=self.user, id=id).select_related("campaign")
        return _there(rows.first())

    def job(self, id: int) -> LabJob:
        rows = LabJob.objects.filter(owner=self.user, id=id).select_related("collection")
        return _there(rows.first())


def _there(row: OwnRow | None) -> OwnRow:
    if row is None:
        raise Http404
    return row


class LabCollectionsView(LabView):
    queries = {"GET": PageQuery}
    takes = {"POST": {"multipart/form-data": shapes.LabFilesIn, "application/json": shapes.LabCopyIn}}

    def get_parsers(self) -> list[BaseParser]:
        return [MultiPartParser(), BoundedJSONParser()]

    @operation(
        "list_lab_collections", "List your collections", list_shape(shapes.LabCollectionOut), "Newest first."
    )
    def get(self, request: Request) -> Response:
        rows = LabCollection.objects.filter(owner=self.user).select_related("campaign")
        return Response(
            COLLECTIONS_LISTING.of_query(request, self.asked, rows, "id").as_json(collection_json)
        )

    @operation(
        "create_lab_collection",
        "Upload runs and qrels, or copy a campaign",
        {201: shapes.LabCollectionOut, 404: Problem, 409: Problem},
        "Run files and qrels as a form, or, as JSON, a campaign that you organise: its runs and "
        "current grades are copied.",
    )
    def post(self, request: Request) -> Response:
        if request.content_type.startswith("multipart/"):
            wish = self.body(request, shapes.LabFilesIn)
            gains = collections.gains_from(wish["gains"])
            precision = collections.precision_from(wish["score_precision"])
            files = collections.CollectionFiles(wish["runs"], wish["qrels"], gains, precision)
            made = collections.store_files(owner=self.user, name=wish["name"], files=files)
        else:
            wish = self.body(request, shapes.LabCopyIn)
            campaign = Campaign.objects.organised_by(self.user).filter(slug=wish["campaign"]).first()
            if campaign is None:
                words = gettext("you organise no campaign “%(slug)s”") % {"slug": wish["campaign"]}
                raise Refusal("unknown_campaign", words, field="campaign", status=404)
            made = collections.copy_campaign(owner=self.user, name=wish["name"], campaign=campaign)
        return Response(collection_json(made), status=201)


class LabCollectionView(LabView):
    @operation("get_lab_collection", "Show a collection", shapes.LabCollectionOut)
    def get(self, request: Request, collection: int) -> Response:
        return Response(collection_json(self.collection(collection)))

    @operation(
        "delete_lab_collection",
        "Delete a collection",
        {204: None},
        "Finished jobs keep their results. Unfinished jobs end.",
    )
    def delete(self, request: Request, collection: int) -> Response:
        collections.delete_collection(collection=self.collection(collection))
        return Response(status=204)


class LabFilesView(LabView):
    @operation(
        "get_lab_files",
        "Download a collection",
        {(200, "application/zip"): file(OpenApiTypes.BINARY, "(the zip's bytes)", "Runs and qrels")},
        "A zip of runs and qrels. A job's command computes the same result from it.",
    )
    def get(self, request: Request, collection: int) -> HttpResponseBase:
        return zip_response(self.collection(collection))


def zip_response(row: LabCollection) -> FileResponse:
    return FileResponse(
        write_zip(row), as_attachment=True, filename=f"lab-{row.id}.zip", content_type="application/zip"
    )


class LabJobsView(LabView):
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.LabJobIn}

    @operation("list_lab_jobs", "List your jobs", list_shape(shapes.LabJobOut), "Newest first.")
    def get(self, request: Request) -> Response:
        rows = LabJob.objects.filter(owner=self.user).defer("result")
        return Response(JOBS_LISTING.of_query(request, self.asked, rows, "id").as_json(job_json))

    @operation(
        "create_lab_job",
        "Run a study",
        {201: shapes.LabJobOut, 404: Problem, 409: Problem},
        "The worker divides the study into trials, and runs as many at once as it has processes.",
    )
    def post(self, request: Request) -> Response:
        wish = self.body(request, shapes.LabJobIn)
        rows = LabCollection.objects.filter(owner=self.user, id=wish["collection"])
        collection = rows.select_related("campaign").first()
        if collection is None:
            words = gettext("you have no such collection")
            raise Refusal("unknown_collection", words, field="collection", status=404)
        made = study_jobs.create_job(
            owner=self.user, collection=collection, study=wish["study"], settings=wish.get("settings", {})
        )
        return Response(job_json(made), status=201)


class LabJobView(LabView):
    takes = {"PATCH": shapes.LabJobChange}

    @operation("get_lab_job", "Show a job", shapes.LabJobOut)
    def get(self, request: Request, job: int) -> Response:
        return Response(job_json(self.job(job)))

    @operation(
        "change_lab_job",
        "Pause, resume or cancel a job",
        {200: shapes.LabJobOut, 409: Problem},
        "A paused job starts no further trial. Finished trials are kept, so a resumed job continues.",
    )
    def patch(self, request: Request, job: int) -> Response:
        found = self.job(job)
        wish = self.body(request, shapes.LabJobChange)
        return Response(job_json(study_jobs.change_state(job=found, state=wish["state"])))

    @operation("delete_lab_job", "Delete a job", {204: None}, "Deletes its trials and its result, too.")
    def delete(self, request: Request, job: int) -> Response:
        study_jobs.delete_job(job=self.job(job))
        return Response(status=204)


class LabTableView(LabView):
    @operation(
        "get_lab_table",
        "Download a job's table",
        {
            (200, "text/csv"): file(OpenApiTypes.STR, "method,p,judgments,relevant\n", "A table"),
            (200, "application/json"): file(OpenApiTypes.STR, '{"study": "replay", "rows": []}', "JSON"),
            409: Problem,
        },
        "`csv`, or `json` as the command `study` prints it. Numbers are not rounded.",
    )
    def get(self, request: Request, job: int, form: str) -> HttpResponse:
        if form not in TABLE_TYPES:
            raise Http404
        return table_response(self.job(job), form)


class LabFigureView(LabView):
    @operation(
        "get_lab_figure",
        "Download a job's figure",
        {
            (200, "image/svg+xml"): file(OpenApiTypes.STR, "<svg></svg>", "SVG"),
            (200, "application/pdf"): file(OpenApiTypes.BINARY, "(the file's bytes)", "PDF"),
            (200, "image/png"): file(OpenApiTypes.BINARY, "(the file's bytes)", "PNG"),
            409: Problem,
        },
        "`svg`, `pdf` or `png`.",
    )
    def get(self, request: Request, job: int, picture: str) -> HttpResponse:
        if picture not in FIGURE_TYPES:
            raise Http404
        return figure_response(self.job(job), picture)


def table_response(job: LabJob, kind: str) -> HttpResponse:
    return _named(
        HttpResponse(table_file(job, kind), content_type=f"{TABLE_TYPES[kind]}; charset=utf-8"), job, kind
    )


def figure_response(job: LabJob, kind: str) -> HttpResponse:
    response = HttpResponse(figure_file(job, kind), content_type=FIGURE_TYPES[kind])
    return _named(response, job, kind)


def _named(response: HttpResponse, job: LabJob, kind: str) -> HttpResponse:
    response.headers["Content-Disposition"] = f'inline; filename="{file_name(job, kind)}"'
    return response
