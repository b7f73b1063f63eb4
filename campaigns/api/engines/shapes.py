"""Shapes of search engines: connections, query configurations, hits and pulls."""

from __future__ import annotations

from typing import Any

from campaigns.api.shapes.base import (
    Choice,
    Figures,
    Flag,
    Number,
    Query,
    RequestShape,
    Shape,
    Text,
    Time,
    WholeNumber,
    name,
)
from campaigns.engines.configurations import LONGEST_PATH_BELOW
from campaigns.engines.connections import (
    LEAST_RATE,
    LONGEST_CERTIFICATE,
    LONGEST_NAME,
    MOST_RATE,
    MOST_SECONDS,
)
from campaigns.engines.credentials import LONGEST_SECRET
from campaigns.engines.hit_mapping import LONGEST_PATH, MOST_FIELDS
from campaigns.engines.query_templates import MOST_DEPTH
from campaigns.models import CredentialScheme, EngineKind, EnginePull, EngineVersion
from campaigns.notifications.addresses import LONGEST_URL

TEMPLATE: dict[str, Any] = {"query": {"match": {"body": "{{topic.title}}"}}}
MAPPING: dict[str, Any] = {
    "hits": "hits.hits",
    "id": "_id",
    "score": "_score",
    "title": "_source.title",
    "text": "_source.body",
    "fields": ["_source.date"],
}
LONGEST_TAG = 200


class EngineChangeIn(RequestShape):
    """Changes to a connection; its kind stays."""

    name = Text("name of the connection, unique in the campaign", "Products", max_length=LONGEST_NAME)
    url = Text(
        "address of the engine: https on the public internet, or a host that the operator allows",
        "https://search.example.org:9200",
        max_length=LONGEST_URL,
    )
    scheme = Choice(
        "way to send the credentials (default: none)",
        "api-key",
        choices=CredentialScheme.choices,
        required=False,
    )
    login = Text(
        "user name (basic) or name of the header (header)",
        "",
        max_length=200,
        required=False,
        allow_blank=True,
    )
    secret = Text(
        "password, token, key or value of the header; stored sealed and never returned",
        "VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==",
        max_length=LONGEST_SECRET,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
    )
    certificate = Text(
        "PEM certificate that is trusted beside those of the system; empty for none",
        "",
        max_length=LONGEST_CERTIFICATE,
        required=False,
        allow_blank=True,
    )
    timeout = WholeNumber(
        "seconds within which an answer must be complete (default: 10)",
        10,
        min_value=1,
        max_value=MOST_SECONDS,
        required=False,
    )
    rate = Number(
        "requests per second, at most (default: 5)",
        5,
        min_value=LEAST_RATE,
        max_value=MOST_RATE,
        required=False,
    )

    example = {"rate": 2}


class EngineIn(EngineChangeIn):
    """A connection to create."""

    kind = Choice("kind of the engine", "elasticsearch", choices=EngineKind.choices)


class EngineOut(Shape):
    """A connection to a search engine, without its secret."""

    id = WholeNumber("ID of the connection", 4)
    name = Text("name of the connection", "Products")
    kind = Choice("kind of the engine", "elasticsearch", choices=EngineKind.choices)
    url = Text("address of the engine", "https://search.example.org:9200")
    scheme = Choice("way in which credentials are sent", "api-key", choices=CredentialScheme.choices)
    login = Text("user name or name of the header; may be empty", "")
    certificate = Text("PEM certificate that is also trusted; empty for none", "")
    timeout = WholeNumber("seconds within which an answer must be complete", 10)
    rate = Number("requests per second, at most", 5)
    created = Time("time of creation", "2026-03-01T09:12:30.123456Z")


class DraftIn(RequestShape):
    """A query template with what it is sent to."""

    path = Text("path below the engine’s address", "/products/_search", max_length=LONGEST_PATH_BELOW)
    method = Choice(
        "HTTP method (default: that of the kind of engine)",
        "POST",
        choices=EngineVersion.HttpMethod.choices,
        required=False,
    )
    template = Figures("body (POST) or parameters (GET) with places such as {{topic.title}}", TEMPLATE)
    depth = WholeNumber(
        "hits that a run ranks in each topic, at most", 100, min_value=1, max_value=MOST_DEPTH
    )
    mapping = Figures(
        f"paths of hits, id, score, title, text and up to {MOST_FIELDS} fields, each at most {LONGEST_PATH} "
        "characters (default: found by the answer for one topic)",
        MAPPING,
        required=False,
    )


class PreviewIn(DraftIn):
    """A query template to try."""

    topic = name("topic number", "401")


class ConfigurationIn(DraftIn):
    """A configuration to save, or its next version."""

    name = Text("name of the configuration, unique for the engine", "BM25", max_length=LONGEST_NAME)


class VersionOut(Shape):
    """A version of a configuration."""

    number = WholeNumber("number of the version, from 1", 2)
    method = Choice("HTTP method", "POST", choices=EngineVersion.HttpMethod.choices)
    path = Text("path below the engine’s address", "/products/_search")
    template = Figures("template with its places", TEMPLATE)
    depth = WholeNumber("hits that a run ranks in each topic, at most", 100)
    mapping = Figures("paths of the hits and their fields", MAPPING)
    author = Text("user who saved the version", "ada")
    created = Time("time of saving", "2026-03-01T09:14:02.901234Z")


class ConfigurationOut(Shape):
    """A query configuration with its versions."""

    id = WholeNumber("ID of the configuration", 5)
    engine = WholeNumber("ID of the connection", 4)
    name = Text("name of the configuration", "BM25")
    versions = VersionOut(many=True, help_text="versions, oldest first")


class HitsQuery(Query):
    topic = name("topic number")


class HitOut(Shape):
    """A hit of an engine."""

    id = Text("ID of the document", "LA010189-0001")
    score = Number.or_null("score by the engine; null if it gives none", 12.5)
    title = Text("title; may be empty", "Cinema")
    text = Text("beginning of the text; may be empty", "The year in films")


class PreviewOut(Shape):
    """The engine’s first hits for a topic."""

    mapping = Figures("paths by which the answer was read", MAPPING)
    total = WholeNumber.or_null("number of matching documents; null if the engine does not count", 812)
    milliseconds = WholeNumber("duration of the request, in milliseconds", 23)
    hits = HitOut(many=True, help_text="first hits, in the engine’s order")


class PullIn(RequestShape):
    """A pull to start."""

    tag = Text(
        "tag of the run (default: name and version of the configuration)",
        "bm25-v2",
        max_length=LONGEST_TAG,
        required=False,
        allow_blank=True,
    )
    group = Text("group of the run", "", max_length=LONGEST_TAG, required=False, allow_blank=True)
    contributes = Flag("true if the run contributes documents (default: true)", True, required=False)
    documents = Flag(
        "true if documents that the collection lacks are stored from the hits (default: true)",
        True,
        required=False,
    )


class PullProblem(Shape):
    """The reason why a pull stopped."""

    code = Text("code of the problem", "engine_trouble")
    detail = Text("reason as a sentence", "topic 401: the engine does not answer: no answer in time")


class PullOut(Shape):
    """A pull with its progress."""

    id = WholeNumber("ID of the pull", 6)
    engine = WholeNumber("ID of the connection", 4)
    configuration = WholeNumber("ID of the configuration", 5)
    version = WholeNumber("version of the configuration", 2)
    state = Choice("state of the pull", "running", choices=EnginePull.State.choices)
    tag = Text("tag of the run", "bm25-v2")
    answered = WholeNumber("number of topics with an answer", 12)
    topics = WholeNumber("number of topics to ask about", 50)
    hits = WholeNumber("number of hits so far, each ID once per topic", 1200)
    duplicates = WholeNumber("number of repeated hits that were left out", 0)
    retries = WholeNumber("number of requests that failed and were repeated", 1)
    milliseconds = WholeNumber("duration of all answers, in milliseconds", 412)
    engine_version = Text("version that the engine reported; empty if it did not", "9.1.0")
    run = Text.or_null("tag of the stored run; null if there is none", None)
    problem = PullProblem(
        allow_null=True, help_text="reason why the pull stopped; null if it did not", example=None
    )
    asked_by = Text("user who started the pull", "ada")
    started = Time("time of the start", "2026-03-01T09:14:02.901234Z")
    finished = Time.or_null("time at which the run was stored; null before", None)
