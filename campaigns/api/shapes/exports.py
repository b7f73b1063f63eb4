"""Parameters of exports and bundles."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    Choice,
    Flag,
    Query,
)
from campaigns.models.campaign import Policy
from campaigns.results.topic_scope import SCOPES


class PolicyQuery(Query):
    policy = Choice(
        choices=Policy.choices,
        required=False,
        default="",
        help_text="aggregation policy for documents with several grades (default: the campaign's)",
    )


class ExportQuery(PolicyQuery):
    topics = Choice(
        choices=SCOPES,
        required=False,
        default="all",
        help_text="topics of scores-csv: all, or those with at least one judgment; other exports reject it "
        "(default: all)",
    )


class QrelsQuery(PolicyQuery):
    pooled = Flag(
        required=False,
        default=False,
        help_text="true to list unjudged documents of the samples' pools as -1 (default: false)",
    )


class BundleQuery(Query):
    texts = Flag(
        required=False, default=True, help_text="false to omit the texts of documents (default: true)"
    )
    pseudonyms = Flag(
        required=False,
        default=False,
        help_text="true to replace the names of people by pseudonyms (default: false)",
    )
