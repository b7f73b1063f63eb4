"""Kinds of search engines: how each is asked, where its answers hold what, and how it reports trouble.

Written by the documentation of Elasticsearch 8 and 9, OpenSearch 2 and 3, Solr 9 and 10, Vespa 8, and the
OpenAPI descriptions `v1` of Anserini's and Pyserini's REST servers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from campaigns.engines.hit_mapping import HitMapping, value_at

# An engine's own words may be long; this much of them is kept.
LONGEST_REASON = 300


@dataclass(frozen=True)
class Adapter:
    """`depth_key` is the field that says how many hits are wanted; empty if only `{{k}}` does. `added` are
    fields that a template without them gets. `complaint` returns the engine's reason why an answer is an
    error, or not over the whole index; empty if all is well."""

    label: str
    method: str
    mapping: HitMapping
    complaint: Callable[[Any], str]
    depth_key: str = ""
    added: Mapping[str, Any] | None = None
    total: str = ""
    # Path below the address, and the place of the version in its answer.
    version_path: str = ""
    version: str = ""


def _reason(value: Any) -> str:
    """The engine's words in an error of any shape."""
    if isinstance(value, list):
        return _reason(value[0]) if value else ""
    if isinstance(value, dict):
        for name in ("root_cause", "reason", "msg", "message", "detail", "summary", "error", "type"):
            if value.get(name) and (reason := _reason(value[name])):
                return reason
        return ""
    return str(value)[:LONGEST_REASON] if value else ""


def _unexplained() -> str:
    return gettext("an error without a reason")


def _elasticsearch(answer: Any) -> str:
    if error := value_at(answer, "error"):
        return _reason(error) or _unexplained()
    if value_at(answer, "timed_out") is True:
        return gettext("the search timed out before the whole index was searched")
    failed, total = value_at(answer, "_shards.failed"), value_at(answer, "_shards.total")
    if isinstance(failed, int) and failed:
        why = _reason(value_at(answer, "_shards.failures.0.reason"))
        detail = gettext("%(failed)s of %(total)s shards failed") % {"failed": failed, "total": total}
        return f"{detail}: {why}" if why else detail
    if value_at(answer, "terminated_early") is True:
        return gettext("the search ended before the whole index was searched")
    return ""


def _solr(answer: Any) -> str:
    if error := value_at(answer, "error"):
        return _reason(error) or _unexplained()
    if status := value_at(answer, "responseHeader.status"):
        return gettext("the answer has the status %(status)s") % {"status": status}
    if value_at(answer, "responseHeader.partialResults") in (True, "omitted"):
        why = _reason(value_at(answer, "responseHeader.partialResultsDetails"))
        detail = gettext("the answer has partial results only")
        return f"{detail}: {why}" if why else detail
    return ""


def _vespa(answer: Any) -> str:
    errors = value_at(answer, "root.errors")
    if errors:
        first = errors[0] if isinstance(errors, list) else errors
        words = [value_at(first, "summary"), value_at(first, "message")]
        return ": ".join(str(word) for word in words if word)[:LONGEST_REASON] or _unexplained()
    coverage = value_at(answer, "root.coverage")
    if isinstance(coverage, dict) and (coverage.get("full") is False or coverage.get("degraded")):
        detail = gettext("only %(share)s%% of the documents were searched")
        return detail % {"share": coverage.get("coverage", "?")}
    return ""


def _any(answer: Any) -> str:
    """An answer that has a list of hits may hold `error: null` or an empty list of errors."""
    for name in ("error", "errors"):
        if error := value_at(answer, name):
            return _reason(error) or _unexplained()
    return ""


ADAPTERS: dict[str, Adapter] = {
    "elasticsearch": Adapter(
        "Elasticsearch, OpenSearch",
        "POST",
        HitMapping("hits.hits", "_id", "_score"),
        _elasticsearch,
        depth_key="size",
        total="hits.total.value",
        version_path="/",
        version="version.number",
    ),
    "solr": Adapter(
        "Solr",
        "POST",
        HitMapping("response.docs", "id", "score"),
        _solr,
        depth_key="limit",
        added={"fields": ["*", "score"]},
        total="response.numFound",
        version_path="/admin/info/system",
        version="lucene.solr-spec-version",
    ),
    "vespa": Adapter(
        "Vespa",
        "POST",
        HitMapping("root.children", "id", "relevance"),
        _vespa,
        depth_key="hits",
        total="root.fields.totalCount",
        version_path="/state/v1/version",
        version="version",
    ),
    "anserini": Adapter(
        "Pyserini, Anserini",
        "GET",
        HitMapping("candidates", "docid", "score"),
        _any,
        depth_key="hits",
        version_path="/openapi.json",
        version="info.version",
    ),
    "json": Adapter("JSON search API", "GET", HitMapping(), _any),
}


def completed(adapter: Adapter, template: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The template with the fields that the engine needs. A stored search template has its own parameters."""
    if path.endswith("/_search/template"):
        return dict(template)
    added = dict(adapter.added or {})
    if adapter.depth_key:
        added[adapter.depth_key] = "{{k}}"
    # Solr reads parameters of its older API, too.
    older = {"limit": "rows", "fields": "fl"}
    params = template.get("params")
    given = {*template, *(params if isinstance(params, Mapping) else ())}
    missing = {name: value for name, value in added.items() if not given & {name, older.get(name, name)}}
    return {**missing, **template}
