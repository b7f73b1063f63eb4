from __future__ import annotations

import os

import pytest

from campaigns.management.demo.corpus import (
    Document,
    divide_signature,
    document_of,
    parameters_of,
    plain_text,
    without_twins,
)


@pytest.mark.parametrize(
    ("marked_up", "plain"),
    [
        ("See :func:`~numpy.sin` and ``x``.", "See `numpy.sin` and `x`."),
        ("As in :meth:`the loop <asyncio.run>`.", "As in `asyncio.run`."),
        ("`NEP 19 <https://example.org/19>`_ says", "NEP 19 (https://example.org/19) says"),
        ("Text.\n\n.. versionadded:: 1.4\n\nMore.", "Text.\n\n(added in version 1.4)\n\nMore."),
        ("    .. note:: Beware.", "    note: Beware."),
        ("Is\n\n.. math::\n\n    x^2\n\nthen.", "Is\n\n    x^2\n\nthen."),
        (".. currentmodule:: numpy\nText [1]_.\n\n.. [1] Book.", "Text [1].\n\n[1] Book."),
        ("Like this::\n\n    code", "Like this:\n\n    code"),
        (">>> draw()\n[0.3]  # may vary", ">>> draw()\n(varies)"),
        ("One.\n\n\n\n\nTwo.\n\n", "One.\n\nTwo."),
    ],
)
def test_markup_becomes_plain_text(marked_up: str, plain: str) -> None:
    assert plain_text(marked_up) == plain


def test_text_without_markup_stays() -> None:
    ordinary = "Return `a ** b`.\n\nParameters\n----------\na : {array_like, int}\n    <base> & :: less"
    assert plain_text(ordinary) == ordinary


@pytest.mark.parametrize(
    ("text", "divided"),
    [
        ("hypot(x, y) -> value\n\nText.", ("(x, y)", "Text.")),
        ("math.hypot(x, y=(1, 2))\n\nText.", ("(x, y=(1, 2))", "Text.")),
        ("hypot is a function.", ("", "hypot is a function.")),
        ("other(x) does something.", ("", "other(x) does something.")),
        ("hypot(x) does something.", ("", "hypot(x) does something.")),
    ],
)
def test_a_leading_signature_is_not_part_of_the_text(text: str, divided: tuple[str, str]) -> None:
    assert divide_signature("math.hypot", text) == divided


def with_awkward_defaults(
    self: object, a: int, b: object = object(), *args: int, c: object = os.environ
) -> None:
    """Two of these would show an address or the environment."""


def test_parameters_show_no_defaults() -> None:
    assert parameters_of(with_awkward_defaults) == "(a, b, *args, c)"


def test_long_titles_are_cut_short() -> None:
    value = type("Long", (), {"__doc__": "one two three four five six seven eight nine"})
    [document] = document_of("m." + "x" * 300, "class", value)
    assert document.title.startswith("class m.x")
    assert len(document.title) == 200


def test_short_docstrings_are_no_documents() -> None:
    assert list(document_of("m.short", "class", type("Short", (), {"__doc__": "Only a few words."}))) == []


def test_of_twins_the_one_nearest_to_the_top_stays() -> None:
    deep, shallow, other = (
        Document("m.sub.f", "m.sub.f", "Same  text."),
        Document("m.f", "m.f", "Same\ntext."),
        Document("a.g", "a.g", "Another."),
    )
    assert without_twins([deep, shallow, other]) == [other, shallow]
