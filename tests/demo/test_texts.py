from __future__ import annotations

import os

import numpy as np
import pytest

from campaigns.demo.corpus.documents import Document, without_twins
from campaigns.demo.corpus.plain_text import plain_text
from campaigns.demo.corpus.signatures import divide_signature, parameters_of, title_line
from campaigns.demo.tokens import four_grams, stem, words


@pytest.mark.parametrize(
    ("marked_up", "plain"),
    [
        ("See :func:`~numpy.sin` and ``x``.", "See `numpy.sin` and `x`."),
        ("As in :meth:`the loop <asyncio.run>`.", "As in `asyncio.run`."),
        ("`NEP 19 <https://example.org/19>`_ says", "NEP 19 (https://example.org/19) says"),
        ("Text.\n\n.. versionadded:: 1.4\n\nMore.", "Text.\n\nNew in version 1.4:\n\nMore."),
        ("    .. note:: Beware.", "    Note: Beware."),
        ("Is\n\n.. math::\n\n    x^2\n\nthen.", "Is\n\n    x^2\n\nthen."),
        (".. currentmodule:: numpy\nText [1]_.\n\n.. [1] Book.", "Text [1].\n\n[1] Book."),
        ("Like this::\n\n    code", "Like this:\n\n    code"),
        (">>> draw()\n[0.3]  # may vary", ">>> draw()\n(varies)"),
        ("One.\n\n\n\n\nTwo.\n\n", "One.\n\nTwo."),
    ],
)
def test_markup_becomes_plain_text(marked_up: str, plain: str) -> None:
    assert plain_text(marked_up) == plain


def test_nothing_but_markup_is_taken_away() -> None:
    ordinary = "Return `a ** b`.\n\nParameters\n----------\na : {array_like, int}\n    <base> & :: less"
    assert plain_text(ordinary) == ordinary


@pytest.mark.parametrize(
    ("text", "divided"),
    [
        ("hypot(x, y) -> value\n\nText.", ("(x, y)", "Text.")),
        ("math.hypot(x,\n      y=(1, 2))\n\nText.", ("(x, y=(1, 2))", "Text.")),
        ("hypot is a function.", ("", "hypot is a function.")),
        ("other(x) does something.", ("", "other(x) does something.")),
        ("hypot(x) does something.", ("", "hypot(x) does something.")),
        ("hypot(x", ("(x", "")),
    ],
)
def test_a_leading_signature_is_not_part_of_the_text(text: str, divided: tuple[str, str]) -> None:
    assert divide_signature("math.hypot", text) == divided


SOMETHING = object()


def with_awkward_defaults(
    self: object, a: int, b: object = SOMETHING, *, c: object = os.environ, d: object = ("x", 1)
) -> None:
    """Two of these would show an address or the environment."""


def test_defaults_that_differ_from_run_to_run_are_not_shown() -> None:
    assert parameters_of(with_awkward_defaults) == "(a, b=…, *, c=…, d=('x', 1))"


def test_ufuncs_show_their_operands_only() -> None:
    said = "(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K')"
    assert parameters_of(np.hypot, said) == "(x1, x2)"
    assert parameters_of(np.hypot, "(x1, x2, out=None)") == "(x1, x2)"


def test_long_titles_are_cut_short() -> None:
    assert title_line("a.b", "class", "(x)") == "class a.b(x)"
    assert len(title_line("a.b", "", "(" + "x, " * 100)) <= 200


def test_of_twins_the_one_nearest_to_the_top_stays() -> None:
    deep, shallow, other = (
        Document("m.sub.f", "m.sub.f", "Same  text."),
        Document("m.f", "m.f", "Same\ntext."),
        Document("a.g", "a.g", "Another."),
    )
    assert without_twins([deep, shallow, other]) == [other, shallow]


def test_words_are_split_as_programmers_join_them() -> None:
    text = "The ThreadPoolExecutor of parse_HTTPHeader2 isn't x"
    assert words(text) == ["thread", "pool", "executor", "parse", "http", "header", "isn"]


def test_stems_and_grams() -> None:
    assert stem("sorting") == stem("sorted") == stem("sorts") == "sort"
    assert four_grams("sorted") == ["_sor", "sort", "orte", "rted", "ted_"]
    assert four_grams("is") == ["_is_"]
