"""Mapping of JSON answers: paths, and finding them by one answer."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engines.adapters import ADAPTERS
from campaigns.engines.hit_mapping import HitMapping, NoMapping, find_mapping, plain_text, read_hits, value_at
from tests.campaigns.engines.fake_engines import anserini, elasticsearch, solr, vespa

NESTED: Any = {"a": {"b": [{"c": 1}, {"c": 2}], "d.e": {"f": 3}}, "g": None}
OWN = {"results": [{"docno": "x/1", "title": "T", "snippet": "words", "by_docno": False}], "matching": 1}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b.1.c", 2),
        ("a.d.e.f", 3),
        ("", NESTED),
        ("g", None),
        ("a.b.2.c", None),
        ("a.b.-1.c", None),
        ("a.x", None),
        ("a.b.c", None),
    ],
)
def test_value_at_follows_names_and_positions(path: str, value: Any) -> None:
    assert value_at(NESTED, path) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\0b\ud800", "a\ufffdb?"),
        (["x", 1, None, True], "x\n1\ntrue"),
        ({"p": "q", "r": ["s"]}, "q\ns"),
        (2.5, "2.5"),
        (None, ""),
    ],
)
def test_plain_text_of_any_value(value: Any, text: str) -> None:
    assert plain_text(value) == text


@pytest.mark.parametrize(
    ("kind", "answer", "found"),
    [
        (
            "elasticsearch",
            elasticsearch("/n/_search", {"query": {"match": {"body": "wings"}}, "size": 3}),
            HitMapping("hits.hits", "_id", "_score", "_source.title", "_source.body"),
        ),
        (
            "solr",
            solr("/n/query", {"query": "wings", "limit": 3}),
            HitMapping("response.docs", "id", "score", "title", "body"),
        ),
        (
            "vespa",
            vespa("/search/", {"query": "wings", "hits": 3}),
            HitMapping("root.children", "id", "relevance", "fields.title", "fields.body"),
        ),
        (
            "anserini",
            anserini("/v1/n/search", {"query": "wings", "hits": 3}),
            HitMapping("candidates", "docid", "score", "", "doc.contents"),
        ),
        ("json", OWN, HitMapping("results", "docno", "", "title", "snippet")),
        ("json", [{"id": 7, "name": "n"}], HitMapping("", "id", "", "name", "")),
        (
            "json",
            {"meta": [{"kind": 1}], "data": {"items": [{"document": {"id": "a", "text": "t"}}]}},
            HitMapping("data.items", "document.id", "", "", "document.text"),
        ),
    ],
)
def test_mapping_is_found_for_every_kind(kind: str, answer: Any, found: HitMapping) -> None:
    assert find_mapping(answer, ADAPTERS[kind].mapping) == found


@pytest.mark.parametrize(
    "answer",
    [{}, [], {"message": "hello"}, {"hits": []}, {"hits": [1, 2]}, {"hits": [{"price": 1}]}, "text", None],
)
def test_answers_without_hits_have_no_mapping(answer: Any) -> None:
    with pytest.raises(NoMapping):
        find_mapping(answer, HitMapping())


def test_a_field_that_is_mostly_the_same_is_no_id() -> None:
    rows = [{"id": "all", "docno": str(n)} for n in range(4)]
    assert find_mapping({"r": rows}, HitMapping()).id == "docno"


def test_hits_are_read_in_order_with_what_is_missing_left_empty() -> None:
    mapping = HitMapping("r", "id", "s", "t", "b", ("x.y", "z"))
    answer = {"r": [{"id": 5, "s": "high"}, {"id": "b", "s": 1, "x": {"y": ["1", "2"]}}, {"id": "c"}]}
    first, second = read_hits(answer, mapping, 2)
    assert (first.id, first.score, first.title, first.text, first.fields) == ("5", None, "", "", {})
    assert (second.score, second.fields) == (1.0, {"x.y": "1\n2"})


@pytest.mark.parametrize("id", [None, "", True, {"a": 1}, ["a", "b"], 1.5])
def test_a_hit_without_an_id_is_named(id: Any) -> None:
    with pytest.raises(NoMapping, match="hit 2 has no ID"):
        read_hits({"r": [{"id": "a"}, {"id": id}]}, HitMapping("r", "id"), 10)


def test_vespa_without_children_found_nothing() -> None:
    assert read_hits({"root": {"fields": {"totalCount": 0}}}, ADAPTERS["vespa"].mapping, 10) == []
    with pytest.raises(NoMapping, match="no list of hits"):
        read_hits({"message": "hello"}, ADAPTERS["vespa"].mapping, 10)
    with pytest.raises(NoMapping, match="no list of hits"):
        read_hits({"message": "hello"}, HitMapping("results", "id"), 10)
