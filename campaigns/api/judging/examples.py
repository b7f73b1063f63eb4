"""Examples of the guidelines: organisers choose them, assessors read them beside the document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.collection import shown_document_json
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import ORGANISES
from campaigns.api.framework.views import CampaignView
from campaigns.api.framework.words import JUDGING_TAG
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.api.shapes.judging.training import (
    Example,
    ExampleChange,
    ExampleIn,
    ExampleMoveIn,
    ExampleShown,
)
from campaigns.models import GuidelineExample
from campaigns.results.pooled_examples import pooled_in
from campaigns.setup import examples

operation = Operations(JUDGING_TAG)

EXAMPLES_LISTING = Listing[GuidelineExample]("examples", lambda row: row.position)


def example_json(row: GuidelineExample) -> dict[str, Any]:
    return {
        "id": row.id,
        "position": row.position,
        "topic": row.topic.number if row.topic else None,
        "topic_title": row.topic.title if row.topic else "",
        "docno": row.document.docno,
        "title": row.document.title,
        "grade": row.grade,
        "reason": row.reason,
    }


class _ExamplesView(CampaignView):
    """Every member reads, organisers write."""

    needs = ORGANISES

    def admit(self, request: Request, **kwargs: object) -> None:
        super().admit(request, **kwargs)
        if request.method not in SAFE_METHODS and not self.membership.is_organiser:
            raise PermissionDenied("only the campaign's organisers may do this", code="organisers_only")

    def rows(self) -> QuerySet[GuidelineExample]:
        if self.membership.is_organiser:
            return examples.examples_of(self.campaign)
        return examples.examples_for(campaign=self.campaign, assessor=self.user.id)

    def json_of(self, rows: Iterable[GuidelineExample]) -> list[dict[str, Any]]:
        """Examples as JSON; only organisers learn if a document is in a pool."""
        found = list(rows)
        if not self.membership.is_organiser:
            return [example_json(row) for row in found]
        pooled = pooled_in(campaign=self.campaign, examples=found)
        return [{**example_json(row), "pooled_in": pooled[row.id]} for row in found]


class ExamplesView(_ExamplesView):
    queries = {"GET": PageQuery}
    takes = {"POST": ExampleIn}

    @operation(
        "list_examples",
        "List the guidelines' examples",
        list_shape(Example),
        "In their order. Assessors get the examples for every topic and those of the topics "
        "offered to them, without `pooled_in`.",
    )
    def get(self, request: Request, slug: str) -> Response:
        page = EXAMPLES_LISTING.of_query(request, self.asked, self.rows(), "position")
        return Response({"results": self.json_of(page.rows), "next": page.next, "previous": page.previous})

    @operation(
        "add_example",
        "Add an example to the guidelines",
        {201: Example, 409: Problem},
        "A document of the collection, the grade that it shows, and why. `pooled_in` names the "
        "topics in which assessors may be asked to judge it.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, ExampleIn)
        added = examples.add_examples(campaign=self.campaign, docnos=[wish.pop("docno")], **wish)
        return Response(self.json_of(added)[0], status=201)


class ExampleView(_ExamplesView):
    takes = {"POST": ExampleMoveIn, "PATCH": ExampleChange}

    @operation("get_example", "Show an example with its document", ExampleShown)
    def get(self, request: Request, slug: str, example: int) -> Response:
        rows = self.rows().select_related("topic", "document__collection").defer(None)
        row = rows.filter(id=example).first()
        if row is None:
            raise Http404
        document = shown_document_json(row.document, self.campaign.shown_fields, row.document_revision)
        return Response({**self.json_of([row])[0], "document": document})

    @operation("change_example", "Change an example", Example, "Its grade, reason or topic.")
    def patch(self, request: Request, slug: str, example: int) -> Response:
        changes = self.body(request, ExampleChange, partial=True)
        row = examples.change_example(campaign=self.campaign, example=example, **changes)
        return Response(self.json_of([row])[0])

    @operation("move_example", "Move an example", Example)
    def post(self, request: Request, slug: str, example: int) -> Response:
        by = self.body(request, ExampleMoveIn)["by"]
        row = examples.move_example(campaign=self.campaign, example=example, by=by)
        return Response(self.json_of([row])[0])

    @operation("remove_example", "Delete an example", {204: None}, "The document stays in the collection.")
    def delete(self, request: Request, slug: str, example: int) -> Response:
        examples.remove_example(campaign=self.campaign, example=example)
        return Response(status=204)
