"""The table of docs/limits.md, from the constants of the code."""

from __future__ import annotations

from collections.abc import Iterator

from config.embedded.machine import PROJECT

PAGE = PROJECT / "docs" / "limits.md"
HEAD = """\
# Limits

This table lists the largest sizes, numbers and times of a site. The site refuses a larger file or value,
names the limit and stores nothing. Sizes are those of the unpacked file. [Accounts](accounts.md#limits) has
the limits of sign-in, [The API](api.md#rate-limits) those of requests.

`make error-codes` writes this page from the code.

| of | limit |
|---|---|
"""
FOOT = """
Some work continues in part beyond a limit:

| of | limit |
|---|---|
"""


def page() -> str:
    """Return the page as it follows from the code."""
    return HEAD + _table(_refused()) + FOOT + _table(_partial())


def _table(rows: Iterator[tuple[str, str]]) -> str:
    return "".join(f"| {name} | {words} |\n" for name, words in rows)


def _mib(count: int) -> str:
    return f"{count >> 30} GiB" if count % (1 << 30) == 0 else f"{count >> 20} MiB"


def _refused() -> Iterator[tuple[str, str]]:
    from django.conf import settings

    from campaigns.api.shapes.results import MOST_ASKED_RUNS
    from campaigns.collection import search
    from campaigns.collection.metadata import MOST_SHOWN
    from campaigns.configuration.measures import MOST_MEASURES
    from campaigns.configuration.scale import LONGEST_DEFINITION
    from campaigns.engines.configurations import MOST_CONFIGURATIONS
    from campaigns.engines.connections import MOST_ENGINES, MOST_SECONDS
    from campaigns.engines.engine_client import MOST_BYTES
    from campaigns.engines.query_templates import MOST_DEPTH
    from campaigns.formats import archives, errors
    from campaigns.formats.documents.metadata import MOST_CHARACTERS, MOST_FIELDS
    from campaigns.formats.reading.process import LIMITS
    from campaigns.judging.batches import MOST_ACTS
    from campaigns.judging.questions import LONGEST_QUESTION
    from campaigns.judging.topic_development import LONGEST_TOPIC_TEXT
    from campaigns.lab import collections, study_jobs
    from campaigns.lab.study_settings import MOST
    from campaigns.log import annotations
    from campaigns.notifications.webhooks import MOST_WEBHOOKS
    from campaigns.participants.rules import MOST_RUNS
    from campaigns.people import invitations, tokens
    from campaigns.setup import campaigns, examples, setting_checks
    from campaigns.stopping import planner

    at_once = f"`MAX_UNPACKED_MEGABYTES`, {_mib(settings.MAX_UNPACKED_BYTES)} by default"
    yield "any upload", at_once
    yield "collection of documents", _mib(errors.COLLECTION_BYTES)
    yield "document", f"{_mib(errors.DOCUMENT_BYTES)}; as text {_mib(errors.TEXT_BYTES)}"
    yield "time and memory to read a document", LIMITS
    yield (
        "further fields of a document",
        f"{MOST_FIELDS}, with {MOST_CHARACTERS:,} characters; {MOST_SHOWN} shown",
    )
    yield (
        "run",
        f"{_mib(errors.RUN_BYTES)}; {errors.RUN_TOPICS:,} topics; {errors.LIST_LINES:,} lines for one topic",
    )
    yield "comments and blank lines of a run", f"{errors.RUN_COMMENTS:,}"
    yield "qrels", f"{_mib(errors.QRELS_BYTES)}; {errors.QRELS_LINES:,} lines"
    yield "prels, strata", f"{_mib(errors.SAMPLE_BYTES)}; {errors.SAMPLE_LINES:,} lines"
    yield (
        "file of topics",
        f"{_mib(errors.TOPICS_BYTES)}; {errors.TOPICS:,} topics; {errors.TOPICS_LINES:,} lines",
    )
    yield "file of training items", f"{_mib(errors.TRAINING_BYTES)}; {errors.TRAINING_ITEMS:,} items"
    yield "archive", f"{archives.MOST_MEMBERS:,} files"
    yield (
        "docno, topic number, tag",
        f"{errors.DOCNO_BYTES}, {errors.TOPIC_BYTES} and {errors.TAG_BYTES} bytes",
    )
    yield "line of a text file", f"{errors.LINE_BYTES:,} bytes"
    yield "title of a topic", f"{errors.TITLE_CHARACTERS:,} characters"
    yield "text of a topic, edited on a page", f"{LONGEST_TOPIC_TEXT:,} characters"
    yield "address of a campaign", f"{campaigns.LONGEST_SLUG} characters"
    yield "guidelines", f"{setting_checks.LONGEST_GUIDELINES:,} characters"
    yield "definition of a grade", f"{LONGEST_DEFINITION} characters"
    yield "measures of a campaign", f"{MOST_MEASURES}"
    yield "examples of a campaign", f"{examples.MOST_EXAMPLES}"
    yield "assessors of an overlap document", f"{setting_checks.MOST_ASSESSORS}"
    yield "note", f"{annotations.LONGEST_NOTE:,} characters"
    yield (
        "marked passages of a document",
        f"{annotations.MOST_PASSAGES}, of {annotations.LONGEST_PASSAGE:,} characters",
    )
    yield "question", f"{LONGEST_QUESTION:,} characters"
    yield "search of the collection", f"{search.LONGEST_QUERY} characters; {search.SEARCH_SECONDS} seconds"
    yield "runs of a team", f"{MOST_RUNS}"
    yield "people of a class link", f"{invitations.LARGEST_CLASS:,}"
    yield "validity of an invitation", f"{invitations.LONGEST_INVITATION_DAYS} days"
    yield "validity of a reset link", f"{settings.PASSWORD_RESET_TIMEOUT // 3600} hours"
    yield "session", f"{settings.SESSION_COOKIE_AGE // 86400} days"
    yield "API tokens of an account", f"{tokens.MOST_GOOD}, each for up to {tokens.LONGEST_TOKEN_DAYS:,} days"
    yield "JSON of a request", _mib(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    yield "judgments of a request", f"{MOST_ACTS:,}"
    yield "runs named in a request for scores", f"{MOST_ASKED_RUNS}"
    yield "webhooks of a campaign", f"{MOST_WEBHOOKS}"
    yield "search engines of a campaign", f"{MOST_ENGINES}, with {MOST_CONFIGURATIONS} configurations each"
    yield "hits of a topic in a pulled run", f"{MOST_DEPTH:,}"
    yield "answer of a search engine", f"{MOST_BYTES / 1e6:.0f} MB in {MOST_SECONDS} seconds"
    yield "combinations of method and p in a plan", f"{planner.MOST_LINES}"
    yield "further judgments in a plan", f"{planner.MOST_BUDGET:,}"
    yield (
        "files of a collection of the Lab",
        f"{_mib(errors.LAB_BYTES)} together; {errors.LAB_LINES:,} lines of runs",
    )
    yield "collections of an account in the Lab", f"{collections.MOST_COLLECTIONS}"
    yield (
        "jobs of an account in the Lab",
        f"{study_jobs.MOST_JOBS:,}, {study_jobs.MOST_UNFINISHED} of them unfinished",
    )
    yield "trials of a study", f"{MOST['trials']:,}"


def _partial() -> Iterator[tuple[str, str]]:
    from campaigns.formats.errors import MOST_LISTED_ERRORS
    from campaigns.log.events import KEPT_PER_CAMPAIGN
    from campaigns.predictions.decided_pairs import MOST_ADVICE_TOPICS

    yield "errors of a file", f"the first {MOST_LISTED_ERRORS} are listed, all are counted"
    yield "live events of a campaign", f"the latest {KEPT_PER_CAMPAIGN:,} can be read again"
    yield (
        "topics",
        f"with more than {MOST_ADVICE_TOPICS}, predictions and their forecasts use "
        "[a sample](relevance-model.md#large-campaigns)",
    )
