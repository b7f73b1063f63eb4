"""Query templates: their places, what is refused, and that a topic cannot change their structure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engines.adapters import ADAPTERS, completed
from campaigns.engines.query_templates import (
    LONGEST_TEMPLATE,
    BadTemplate,
    check_template,
    fill,
    parse_template,
    places_in,
)


def test_places_are_filled_wherever_they_stand() -> None:
    template = {"q": "{{ topic.title }}^2 {{topic.number}}", "size": "{{k}}", "list": ["{{topic.title}}", 3]}
    values = {"topic.title": 'a "b" {{k}}', "topic.number": "7"}
    filled = fill(template, values, 50)
    assert filled == {"q": 'a "b" {{k}}^2 7', "size": 50, "list": ['a "b" {{k}}', 3]}
    assert fill("first {{k}}", {}, 50) == "first 50"
    assert places_in(template) == ["topic.title", "topic.number", "k"]


@given(st.text(), st.text())
def test_a_topic_never_changes_the_structure(title: str, number: str) -> None:
    template = {"bool": {"must": [{"match": {"body": "{{topic.title}}"}}], "n": "x{{topic.number}}y"}}
    filled = fill(template, {"topic.title": title, "topic.number": number}, 10)
    assert filled == {"bool": {"must": [{"match": {"body": title}}], "n": f"x{number}y"}}


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ({"q": "{{topic.titel}}"}, "did you mean “topic.title”"),
        ({"q": "{{query}}"}, "there is no “query”"),
        ({"q": "wings", "size": "{{k}}"}, "names no field of the topic"),
        ({"q": "{{topic.title}} {{a{b}}"}, "a place is written"),
        ({"q": "{{topic.title}}", "{{k": 1}, "a place is written"),
        ({"q": "{{topic.title}}", "x": "a\0"}, "NUL"),
        ({"q": "{{topic.title}}", "\ud800": 1}, "half a character"),
        ({"q": "{{topic.title}}", "x": float("nan")}, "no JSON object"),
        ({"q": "{{topic.title}}" + "x" * LONGEST_TEMPLATE}, "at most"),
    ],
)
def test_bad_templates_name_what_is_wrong(template: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadTemplate, match=reason):
        check_template(template)


def test_deep_templates_are_refused() -> None:
    deep: Any = "{{topic.title}}"
    for _ in range(30):
        deep = [deep]
    with pytest.raises(BadTemplate, match="levels"):
        check_template({"q": deep})


def test_further_fields_of_topics_are_known() -> None:
    check_template({"q": "{{topic.vector}}"}, frozenset({"vector"}))


@pytest.mark.parametrize("text", ["", "[1]", '{"a"', "null", "[" * 100_000, "x" * (LONGEST_TEMPLATE + 1)])
def test_text_that_is_no_template(text: str) -> None:
    with pytest.raises(BadTemplate):
        parse_template(text)
    assert parse_template('{"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    ("kind", "path", "template", "added"),
    [
        ("elasticsearch", "/n/_search", {}, {"size": "{{k}}"}),
        ("elasticsearch", "/n/_search", {"size": 5}, {}),
        ("elasticsearch", "/n/_search/template", {"id": "t", "params": {}}, {}),
        ("solr", "/n/query", {}, {"limit": "{{k}}", "fields": ["*", "score"]}),
        ("solr", "/n/query", {"params": {"rows": "{{k}}", "fl": "id,score"}}, {}),
        ("vespa", "/search/", {}, {"hits": "{{k}}"}),
        ("anserini", "/v1/n/search", {}, {"hits": "{{k}}"}),
        ("json", "/s", {}, {}),
    ],
)
def test_templates_are_completed_by_what_each_engine_needs(
    kind: str, path: str, template: dict[str, Any], added: dict[str, Any]
) -> None:
    assert completed(ADAPTERS[kind], template, path) == {**added, **template}
    json.dumps(completed(ADAPTERS[kind], template, path))
