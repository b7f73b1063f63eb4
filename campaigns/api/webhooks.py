"""Addresses outside that receive what happens; docs/webhooks.md says what they get."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import WEBHOOKS_TAG
from campaigns.api.shapes import webhooks as shapes
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.models import Delivery, Webhook
from campaigns.notifications import deliveries
from campaigns.notifications import webhooks as services
from campaigns.notifications.webhooks import webhook_of

operation = Operations(WEBHOOKS_TAG)

WEBHOOKS_LISTING = Listing[Webhook]("webhooks", lambda row: row.id)
DELIVERIES_LISTING = Listing[Delivery]("deliveries", lambda row: row.id, descending=True)


class WebhookView(OrganiserView):
    """A view of one webhook or of something that belongs to it."""

    def found(self, webhook: int) -> Webhook:
        return webhook_of(campaign=self.campaign, id=webhook)


class WebhooksView(OrganiserView):
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.WebhookIn}

    @operation("list_webhooks", "List webhooks", list_shape(shapes.WebhookOut))
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.webhooks.all()
        return Response(
            WEBHOOKS_LISTING.of_query(request, self.asked, rows, "id").as_json(shapes.WebhookOut.of)
        )

    @operation(
        "add_webhook",
        "Create a webhook",
        {201: shapes.WebhookMade, 409: Problem},
        "Sends later events only. Only this answer contains the secret.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, shapes.WebhookIn)
        webhook, secret = services.add(campaign=self.campaign, user=self.user, **wish)
        return Response({**shapes.WebhookOut.of(webhook), "secret": secret}, status=201)


class WebhookDetailView(WebhookView):
    takes = {"PATCH": shapes.WebhookChangeIn}

    @operation("get_webhook", "Show a webhook", shapes.WebhookOut)
    def get(self, request: Request, slug: str, webhook: int) -> Response:
        return Response(shapes.WebhookOut.of(self.found(webhook)))

    @operation(
        "change_webhook",
        "Change a webhook",
        shapes.WebhookOut,
        "Omitted fields keep their values. Waiting deliveries go to the new address.",
    )
    def patch(self, request: Request, slug: str, webhook: int) -> Response:
        found = self.found(webhook)
        wish = self.body(request, shapes.WebhookChangeIn, partial=True)
        return Response(shapes.WebhookOut.of(services.change(webhook=found, **wish)))

    @operation(
        "remove_webhook", "Delete a webhook", {204: None}, "Deletes its log and its waiting deliveries too."
    )
    def delete(self, request: Request, slug: str, webhook: int) -> Response:
        services.remove(webhook=self.found(webhook))
        return Response(status=204)


class WebhookSecretView(WebhookView):
    @operation(
        "renew_webhook_secret",
        "Replace the secret",
        shapes.SecretOut,
        "For 24 hours, deliveries carry a signature by the old secret too.",
    )
    def post(self, request: Request, slug: str, webhook: int) -> Response:
        return Response({"secret": services.renew_secret(webhook=self.found(webhook))})


class WebhookPingView(WebhookView):
    @operation(
        "ping_webhook",
        "Send a test delivery",
        {202: shapes.DeliveryOut, 409: Problem},
        "Sends one test, even if the webhook is switched off. The log shows the result.",
    )
    def post(self, request: Request, slug: str, webhook: int) -> Response:
        return Response(shapes.DeliveryOut.of(deliveries.ping(webhook=self.found(webhook))), status=202)


class DeliveriesView(WebhookView):
    queries = {"GET": PageQuery}

    @operation(
        "list_deliveries",
        "List deliveries",
        list_shape(shapes.DeliveryOut),
        "Newest first, with request and answer.",
    )
    def get(self, request: Request, slug: str, webhook: int) -> Response:
        rows = self.found(webhook).deliveries.all()
        return Response(
            DELIVERIES_LISTING.of_query(request, self.asked, rows, "id").as_json(shapes.DeliveryOut.of)
        )


class RedeliverView(WebhookView):
    @operation(
        "redeliver",
        "Repeat a delivery",
        {202: shapes.DeliveryOut, 409: Problem},
        "Sends the same bytes under the same ID, or sends a waiting delivery now.",
    )
    def post(self, request: Request, slug: str, webhook: int, delivery: int) -> Response:
        row = deliveries.redeliver(webhook=self.found(webhook), delivery=delivery)
        return Response(shapes.DeliveryOut.of(row), status=202)
