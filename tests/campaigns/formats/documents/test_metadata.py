"""Metadata of documents: which fields of a JSON line are kept, as what, and what the report counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from campaigns.formats.documents.files import iter_documents
from campaigns.formats.documents.metadata import CUT, SURPLUS, is_metadata, metadata_of
from campaigns.formats.errors import Notices
from tests.campaigns.formats.sample_files import file_of

OWN = {"docno"}


def read(**fields: Any) -> tuple[dict[str, str], dict[str, int]]:
    notices = Notices()
    return metadata_of(fields, OWN, notices), {row["what"]: row["count"] for row in notices.rows()}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("  two\n words ", "two words"),
        (1843, "1843"),
        (0.5, "0.5"),
        (False, "false"),
        (["a", 1, None, True], "a, 1, true"),
        ("nul \0 and half \ud83d", "nul � and half �"),
    ],
)
def test_single_values_and_lists_become_lines_of_text(value: Any, text: str) -> None:
    assert read(docno="a", field=value) == ({"field": text}, {})


def test_empty_values_are_passed_over_and_not_counted() -> None:
    assert read(a=None, b="", c=" \n", d=[], e=[None]) == ({}, {})


def test_beir_metadata_are_fields_and_other_objects_are_left_out() -> None:
    fields = {"docno": "a", "metadata": {"url": "u", "deep": {"x": 1}}, "other": {"x": 1}, "rows": [[1]]}
    notices = Notices()
    [document] = iter_documents(file_of(json.dumps(fields)), "some.jsonl", notices=notices)
    assert document.metadata == {"url": "u"}
    assert {row["what"] for row in notices.rows()} == {
        "documents without text",
        *(f"field “{name}” not read" for name in ("deep", "other", "rows")),
    }


def test_the_value_that_exceeds_the_limit_is_cut_and_later_ones_left_out() -> None:
    found, left_out = read(a="x" * 1990, b="y" * 11, c="z")
    assert found == {"a": "x" * 1990, "b": "y" * 9 + "…"}
    assert left_out == {CUT: 1, SURPLUS: 1}
    assert is_metadata(found)


def test_at_most_twenty_fields_and_names_of_a_hundred_characters() -> None:
    found, left_out = read(**{"n" * 101: "x", "": "x"}, **{f"f{place}": 1 for place in range(22)})
    assert list(found) == [f"f{place}" for place in range(20)]
    assert left_out == {SURPLUS: 4}


def test_documents_carry_their_fields_and_the_report_names_the_limits() -> None:
    line = {"_id": "d", "title": "T", "text": "t", "author": "Ada", "big": "x" * 3000, "late": 1, "o": {}}
    notices = Notices()
    [document] = iter_documents(file_of(json.dumps(line)), "some.jsonl", notices=notices)
    assert list(document.metadata) == ["author", "big"]
    assert [(row["what"], row["detail"].rpartition(": ")[2]) for row in notices.rows()] == [
        ("metadata fields cut", "big"),
        ("metadata fields left out: too many or too long", "late"),
        (
            "field “o” not read",
            "In 1 of 1 documents. A field is a string, a number, true, false, or a list of these.",
        ),
    ]


@pytest.mark.parametrize(
    "value", [[], {"a": 1}, {"": "x"}, {"a": "x" * 2001}, {str(place): "" for place in range(21)}]
)
def test_other_values_are_no_metadata(value: Any) -> None:
    assert not is_metadata(value)
