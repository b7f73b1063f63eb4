"""Parameters of exports and bundles."""

from __future__ import annotations

from campaigns.api.shapes.base import Choice, Flag, Query
from campaigns.formats.tables import FileFormat
from campaigns.models.campaign import Policy
from campaigns.results.topic_scope import SCOPES


class PolicyQuery(Query):
    policy = Choice(
        "aggregation policy for documents with several grades (default: the campaign's)",
        choices=Policy.choices,
        default="",
    )


class ExportQuery(PolicyQuery):
    format = Choice(
        "format of a table: trec (qrels, prels, strata, gains and runs), csv, jsonl or parquet; archives "
        "other than runs reject it (default: trec, jsonl for judgments and passages, csv for scores, "
        "measures and topic-draws)",
        choices=[(form, form) for form in FileFormat],
        default="",
    )
    texts = Flag(
        "false to omit the texts of documents from beir, huggingface and ir-datasets; other exports reject "
        "it (default: true)",
        default=True,
    )
    topics = Choice(
        "topics of scores: all, or those with at least one judgment; other exports reject it (default: all)",
        choices=SCOPES,
        default="all",
    )


class QrelsQuery(PolicyQuery):
    pooled = Flag(
        "true to list unjudged documents of the samples' pools as -1 (default: false)", default=False
    )


class BundleQuery(Query):
    texts = Flag("false to omit the texts of documents (default: true)", default=True)
    pseudonyms = Flag("true to replace the names of people by pseudonyms (default: false)", default=False)
