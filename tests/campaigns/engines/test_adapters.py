"""Errors and incomplete answers as the documentation of each engine has them."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engines.adapters import ADAPTERS, LONGEST_REASON
from tests.campaigns.engines.fake_engines import anserini, elasticsearch, solr, vespa

WINDOW = "Result window is too large, from + size must be less than or equal to: [10000] but was [10010]."
CASES: list[tuple[str, Any, str]] = [
    (
        "elasticsearch",
        {
            "error": {
                "root_cause": [{"type": "illegal_argument_exception", "reason": WINDOW}],
                "type": "search_phase_execution_exception",
                "reason": "all shards failed",
            },
            "status": 400,
        },
        WINDOW,
    ),
    (
        "elasticsearch",
        {"error": {"type": "security_exception", "reason": "missing authentication credentials"}},
        "missing authentication credentials",
    ),
    ("elasticsearch", {"error": "no such thing"}, "no such thing"),
    ("elasticsearch", {"error": {}}, ""),
    ("elasticsearch", {"error": [{}]}, "an error without a reason"),
    ("elasticsearch", {"timed_out": True, "hits": {"hits": []}}, "the search timed out"),
    (
        "elasticsearch",
        {
            "timed_out": False,
            "_shards": {"total": 5, "failed": 2, "failures": [{"reason": {"reason": "no mapping found"}}]},
        },
        "2 of 5 shards failed: no mapping found",
    ),
    ("elasticsearch", {"terminated_early": True}, "ended before the whole index"),
    (
        "solr",
        {"responseHeader": {"status": 400}, "error": {"metadata": ["x"], "msg": "undefined field x"}},
        "undefined field x",
    ),
    ("solr", {"responseHeader": {"status": 500}}, "status 500"),
    (
        "solr",
        {
            "responseHeader": {
                "status": 0,
                "partialResults": True,
                "partialResultsDetails": "Limits exceeded!",
            }
        },
        "partial results only: Limits exceeded!",
    ),
    ("solr", {"responseHeader": {"status": 0, "partialResults": "omitted"}}, "partial results only"),
    (
        "vespa",
        {
            "root": {
                "errors": [
                    {"code": 3, "summary": "Illegal query", "message": "1000 hits requested, limit: 400"}
                ]
            }
        },
        "Illegal query: 1000 hits requested, limit: 400",
    ),
    (
        "vespa",
        {"root": {"coverage": {"coverage": 60, "full": False, "degraded": {"timeout": True}}}},
        "only 60% of the documents",
    ),
    ("anserini", {"error": "Index not found"}, "Index not found"),
    ("json", {"errors": [{"message": "no such field"}]}, "no such field"),
    ("json", {"error": {"code": 7, "message": "over quota"}}, "over quota"),
]


@pytest.mark.parametrize(("kind", "answer", "reason"), CASES)
def test_documented_errors_are_complaints(kind: str, answer: Any, reason: str) -> None:
    found = ADAPTERS[kind].complaint(answer)
    assert reason in found if reason else found == ""


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("elasticsearch", elasticsearch("/n/_search", {"query": {"match": {"body": "wings"}}, "size": 3})),
        ("solr", solr("/n/query", {"query": "wings", "limit": 3})),
        ("vespa", vespa("/search/", {"query": "wings", "hits": 3})),
        ("anserini", anserini("/v1/n/search", {"query": "wings", "hits": 3})),
        ("json", {"results": [], "error": None, "errors": []}),
    ],
)
def test_whole_answers_are_none(kind: str, answer: Any) -> None:
    assert ADAPTERS[kind].complaint(answer) == ""


@pytest.mark.parametrize("kind", ADAPTERS)
@pytest.mark.parametrize(
    "answer", [None, 3, "text", [], [1], {"error": ["x" * 999]}, {"root": 1, "_shards": []}]
)
def test_any_json_has_a_short_complaint_or_none(kind: str, answer: Any) -> None:
    assert len(ADAPTERS[kind].complaint(answer)) <= LONGEST_REASON
