"""Addresses outside that receive what happens; docs/webhooks.md says what they get."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import WEBHOOKS_TAG
from campaigns.api.shapes import webhooks as shapes
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.models import Delivery, Webhook
from campaigns.notifications import deliveries
from campaigns.notifications import webhooks as services
from campaigns.notifications.webhooks import delivery_row, webhook_of, webhook_row

WEBHOOKS_LISTING = Listing[Webhook]("webhooks", lambda row: row.id)
DELIVERIES_LISTING = Listing[Delivery]("deliveries", lambda row: row.id, descending=True)


class WebhookView(OrganiserView):
    """A view of one webhook or of something that belongs to it."""

    def found(self, webhook: int) -> Webhook:
        return webhook_of(campaign=self.campaign, id=webhook)


class WebhooksView(OrganiserView):
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.WebhookIn}

    @extend_schema(
        operation_id="list_webhooks",
        summary="List webhooks",
        tags=[WEBHOOKS_TAG],
        responses=list_shape(shapes.WebhookOut),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.webhooks.all()
        return Response(WEBHOOKS_LISTING.of_query(request, self.asked, rows, "id").as_json(webhook_row))

    @extend_schema(
        operation_id="add_webhook",
        summary="Create a webhook",
        description="Sends later events only. Only this answer contains the secret.",
        tags=[WEBHOOKS_TAG],
        responses={201: shapes.WebhookMade, 409: Problem},
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, shapes.WebhookIn)
        webhook, secret = services.add(campaign=self.campaign, user=self.user, **wish)
        return Response({**webhook_row(webhook), "secret": secret}, status=201)


class WebhookDetailView(WebhookView):
    takes = {"PATCH": shapes.WebhookChangeIn}

    @extend_schema(
        operation_id="get_webhook", summary="Show a webhook", tags=[WEBHOOKS_TAG], responses=shapes.WebhookOut
    )
    def get(self, request: Request, slug: str, webhook: int) -> Response:
        return Response(webhook_row(self.found(webhook)))

    @extend_schema(
        operation_id="change_webhook",
        summary="Change a webhook",
        description="Omitted fields keep their values. Waiting deliveries go to the new address.",
        tags=[WEBHOOKS_TAG],
        responses=shapes.WebhookOut,
    )
    def patch(self, request: Request, slug: str, webhook: int) -> Response:
        found = self.found(webhook)
        wish = self.body(request, shapes.WebhookChangeIn, partial=True)
        return Response(webhook_row(services.change(webhook=found, **wish)))

    @extend_schema(
        operation_id="remove_webhook",
        summary="Delete a webhook",
        description="Deletes its log and its waiting deliveries too.",
        tags=[WEBHOOKS_TAG],
        responses={204: None},
    )
    def delete(self, request: Request, slug: str, webhook: int) -> Response:
        services.remove(webhook=self.found(webhook))
        return Response(status=204)


class WebhookSecretView(WebhookView):
    @extend_schema(
        operation_id="renew_webhook_secret",
        summary="Replace the secret",
        description="For 24 hours, deliveries carry a signature by the old secret too.",
        tags=[WEBHOOKS_TAG],
        responses=shapes.SecretOut,
    )
    def post(self, request: Request, slug: str, webhook: int) -> Response:
        return Response({"secret": services.renew_secret(webhook=self.found(webhook))})


class WebhookPingView(WebhookView):
    @extend_schema(
        operation_id="ping_webhook",
        summary="Send a test delivery",
        description="Sends one test, even if the webhook is switched off. The log shows the result.",
        tags=[WEBHOOKS_TAG],
        responses={202: shapes.DeliveryOut, 409: Problem},
    )
    def post(self, request: Request, slug: str, webhook: int) -> Response:
        return Response(delivery_row(deliveries.ping(webhook=self.found(webhook))), status=202)


class DeliveriesView(WebhookView):
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="list_deliveries",
        summary="List deliveries",
        description="Newest first, with request and answer.",
        tags=[WEBHOOKS_TAG],
        responses=list_shape(shapes.DeliveryOut),
    )
    def get(self, request: Request, slug: str, webhook: int) -> Response:
        rows = self.found(webhook).deliveries.all()
        return Response(DELIVERIES_LISTING.of_query(request, self.asked, rows, "id").as_json(delivery_row))


class RedeliverView(WebhookView):
    @extend_schema(
        operation_id="redeliver",
        summary="Repeat a delivery",
        description="Sends the same bytes under the same ID, or sends a waiting delivery now.",
        tags=[WEBHOOKS_TAG],
        responses={202: shapes.DeliveryOut, 409: Problem},
    )
    def post(self, request: Request, slug: str, webhook: int, delivery: int) -> Response:
        row = deliveries.redeliver(webhook=self.found(webhook), delivery=delivery)
        return Response(delivery_row(row), status=202)
