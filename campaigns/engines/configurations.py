"""Query configurations of an engine: named, in versions that never change, and tried on a topic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.engines.adapters import ADAPTERS
from campaigns.engines.connections import check_engine_name
from campaigns.engines.engine_client import EngineReply, EngineTrouble, ask, fetch
from campaigns.engines.hit_mapping import (
    LONGEST_PATH,
    MOST_FIELDS,
    HitMapping,
    NoMapping,
    find_mapping,
)
from campaigns.engines.query_templates import MOST_DEPTH, BadTemplate, check_template, places_in
from campaigns.log import audit
from campaigns.models import Campaign, EngineConfiguration, EngineConnection, EngineKind, EngineVersion, Topic

MOST_CONFIGURATIONS = 100
SHOWN_HITS = 10
LONGEST_PATH_BELOW = 500
_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")
# Parts of Solr's paths that do more than search.
_CHANGES = {"update", "admin", "schema", "config", "replication"}
_EXAMPLES = {
    EngineKind.ELASTICSEARCH: "/news/_search",
    EngineKind.SOLR: "/news/query",
    EngineKind.VESPA: "/search/",
    EngineKind.ANSERINI: "/v1/news/search",
    EngineKind.JSON: "/search",
}
PATH_LISTS = ("fields",)
PATHS = ("hits", "id", "score", "title", "text")


def save_configuration(
    *, connection: EngineConnection, user: User, name: str, topic: Topic | None = None, **query: Any
) -> EngineVersion:
    """Store a configuration, or its next version if there is one of this name. `query`: path, template,
    depth, and optionally method and mapping. Paths that the mapping lacks are found by asking about
    `topic`, by default the campaign's first."""
    name = name.strip()
    check_engine_name(name)
    version = draft(connection=connection, **query)
    version.mapping = completed_mapping(connection, version, topic).as_json()
    with transaction.atomic():
        EngineConnection.objects.select_for_update(no_key=True).get(id=connection.id)
        configuration = connection.configurations.filter(name=name).first()
        if configuration is None:
            if connection.configurations.count() >= MOST_CONFIGURATIONS:
                detail = gettext("an engine has at most %(most)s configurations")
                raise Refusal("too_many", detail % {"most": MOST_CONFIGURATIONS}, status=409)
            configuration = EngineConfiguration.objects.create(connection=connection, name=name)
        latest = configuration.versions.last()
        if latest is not None and _same(latest, version):
            raise Refusal("unchanged", gettext("the latest version is the same"), status=409)
        version.configuration, version.author = configuration, user
        version.number = latest.number + 1 if latest else 1
        version.save()
        noted = {"engine": connection.name, "query": name, "version": version.number}
        audit.note(campaign=connection.campaign, kind="query saved", **noted)
    configuration.connection = connection
    return version


def draft(
    *,
    connection: EngineConnection,
    path: str,
    template: Mapping[str, Any],
    depth: int,
    method: str = "",
    mapping: Mapping[str, Any] | None = None,
) -> EngineVersion:
    """A checked version that is not stored."""
    kind = EngineKind(connection.kind)
    usual = ADAPTERS[kind].method
    method = method or usual
    if method not in EngineVersion.HttpMethod.values or (kind != EngineKind.JSON and method != usual):
        raise Refusal("bad_query", gettext("this kind of engine is asked by another method"), field="method")
    if not _PATH.fullmatch(path) or len(path) > LONGEST_PATH_BELOW or not _only_searches(kind, path):
        detail = gettext("the path is one that searches, such as %(example)s") % {"example": _EXAMPLES[kind]}
        raise Refusal("bad_query", detail, field="path")
    if not 1 <= depth <= MOST_DEPTH:
        detail = gettext("between 1 and %(most)s hits are asked for") % {"most": MOST_DEPTH}
        raise Refusal("bad_query", detail, field="depth")
    try:
        check_template(template, _further_fields(connection.campaign))
    except BadTemplate as error:
        raise Refusal("bad_template", str(error), field="template") from None
    known = _checked_mapping(connection, mapping or {})
    return EngineVersion(method=method, path=path, template=template, depth=depth, mapping=known.as_json())


def _only_searches(kind: EngineKind, path: str) -> bool:
    """True for a path that only searches: with others, a template could change the index."""
    if kind == EngineKind.ELASTICSEARCH:
        return path.endswith(("/_search", "/_search/template"))
    if kind == EngineKind.SOLR:
        return _CHANGES.isdisjoint(path.split("/"))
    if kind == EngineKind.VESPA:
        return path in ("/search", "/search/")
    return kind == EngineKind.JSON or (path.startswith("/v1/") and path.endswith("/search"))


def _checked_mapping(connection: EngineConnection, given: Mapping[str, Any]) -> HitMapping:
    """The mapping as given, with the places that this kind of engine always uses."""
    fields = given.get("fields", ())
    paths = [given.get(name, "") for name in PATHS]
    fits = isinstance(fields, Sequence) and not isinstance(fields, str) and len(fields) <= MOST_FIELDS
    if set(given) - {*PATHS, "fields"} or not fits or not all(map(_is_path, (*paths, *fields))):
        detail = gettext("a mapping has paths for %(names)s, and at most %(most)s paths in fields")
        detail %= {"names": ", ".join(PATHS), "most": MOST_FIELDS}
        raise Refusal("bad_mapping", detail, field="mapping")
    usual = ADAPTERS[connection.kind].mapping
    own = {name: path for name, path in zip(PATHS, paths, strict=True) if path}
    return HitMapping(**{name: own.get(name) or getattr(usual, name) for name in PATHS}, fields=tuple(fields))


def _is_path(path: object) -> bool:
    return isinstance(path, str) and len(path) <= LONGEST_PATH and path.isprintable()


def completed_mapping(
    connection: EngineConnection, version: EngineVersion, topic: Topic | None = None
) -> HitMapping:
    """The mapping of a draft, completed by an answer about a topic where paths are missing."""
    known = HitMapping.of(version.mapping)
    if known.hits and known.id and known.has_texts:
        return known
    topic = topic or connection.campaign.topics.first()
    if topic is None:
        detail = gettext("the campaign has no topic to find the mapping with: upload topics first")
        raise Refusal("no_topics", detail, status=409)
    try:
        return find_mapping(fetch(connection, version, topic_values(version, topic)), known)
    except (EngineTrouble, NoMapping) as error:
        raise Refusal("engine_trouble", str(error), status=409) from None


def try_version(*, connection: EngineConnection, version: EngineVersion, topic: Topic) -> EngineReply:
    """The engine's answer about a topic, with its first hits."""
    shown = EngineVersion(
        method=version.method,
        path=version.path,
        template=version.template,
        depth=min(version.depth, SHOWN_HITS),
    )
    shown.mapping = version.mapping
    try:
        return ask(connection, shown, topic_values(version, topic))
    except EngineTrouble as error:
        raise Refusal("engine_trouble", str(error), status=409) from None


def topic_values(version: EngineVersion, topic: Topic) -> dict[str, str]:
    """Values of the places of a template; refused where the topic lacks one."""
    values = {f"topic.{name}": value for name, value in topic.further_fields}
    for name in ("number", "title", "description", "narrative"):
        values[f"topic.{name}"] = getattr(topic, name)
    for name in places_in(version.template):
        if name.startswith("topic.") and not values.get(name, "").strip():
            detail = gettext("topic %(number)s has no %(field)s, which the template names")
            detail %= {"number": topic.number, "field": name.removeprefix("topic.")}
            raise Refusal("empty_query", detail, status=409)
    return values


def configuration_of(*, campaign: Campaign, id: int) -> EngineConfiguration:
    rows = EngineConfiguration.objects.select_related("connection")
    row = rows.filter(connection__campaign=campaign, id=id).first()
    if row is None:
        raise Refusal("unknown_query", gettext("there is no such configuration"), status=404)
    row.connection.campaign = campaign
    return row


def latest_version(configuration: EngineConfiguration) -> EngineVersion:
    return configuration.versions.latest("number")


def _further_fields(campaign: Campaign) -> frozenset[str]:
    rows = campaign.topics.exclude(further_fields=[]).values_list("further_fields", flat=True)
    return frozenset(name for fields in rows for name, _ in fields)


def _same(one: EngineVersion, other: EngineVersion) -> bool:
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("method", "path", "template", "depth", "mapping")
    )
