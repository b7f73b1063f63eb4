"""Fingerprints of texts: hashes of sameness, shingles and bands."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.duplicates.fingerprints import (
    LEAST_SIMILARITY,
    LEAST_WORDS,
    MOST_CHARACTERS,
    SHINGLE_WORDS,
    bands_of,
    fingerprint_of,
    jaccard,
    shingles_of,
)
from campaigns.formats.reading.rendering import render_safe_html


def text_hash(body: str, content_type: str = "text/plain", title: str = "") -> object:
    html = render_safe_html(body, content_type)
    return fingerprint_of(title=title, body=body, html=html, content_type=content_type).text_hash


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("the price rose by 1.5 % — says möller", "text/plain"),
        ("The  PRICE\n\nrose by 1.5 %, says Möller.", "text/plain"),
        ("<p>The <b>p</b>rice rose<br>by 1.5 %</p><script>x()</script>says M&ouml;ller", "text/html"),
        ("<div>The price</div><div>rose by&nbsp;1.5&#32;%</div> says Mo\u0308ller", "text/html"),
        ("*The price* rose by **1.5** %\n\nsays Möller", "text/markdown"),
        ("The price rose by １.５ %, says Möller", "text/plain"),
    ],
)
def test_markup_case_blanks_entities_and_forms_make_no_difference(body: str, content_type: str) -> None:
    assert text_hash(body, content_type) == text_hash("The price rose by 1.5 % says Möller")


@pytest.mark.parametrize(
    "other", ["The price rose by 15 %", "price The rose by 1.5 %", "The price rose by 1.5 % x"]
)
def test_other_words_make_a_difference(other: str) -> None:
    assert text_hash("The price rose by 1.5 %") != text_hash(other)


def test_vowel_signs_make_a_difference() -> None:
    assert text_hash("कि") != text_hash("की")


def test_titles_belong_to_the_text() -> None:
    assert text_hash("body", title="One") != text_hash("body", title="Other")


@pytest.mark.parametrize("empty", ["", " \n", "— … !", "<p>&nbsp;</p>"])
def test_texts_without_words_have_no_hash(empty: str) -> None:
    assert text_hash(empty, "text/html") is None


def test_pictures_are_the_same_by_their_bytes() -> None:
    one, other = (base64.b64encode(data).decode() for data in (b"one", b"other"))
    assert text_hash(one, "image/png") == text_hash(one, "image/png") != text_hash(other, "image/png")
    assert not len(fingerprint_of(title="", body=one * 99, html=None, content_type="image/png").shingles)


def test_short_and_very_long_texts_have_no_shingles() -> None:
    words = [f"w{n}" for n in range(LEAST_WORDS)]
    assert len(shingles_of(words)) == LEAST_WORDS - SHINGLE_WORDS + 1
    assert not len(shingles_of(words[1:]))
    long = fingerprint_of(title="", body="word " * MOST_CHARACTERS, html=None, content_type="text/plain")
    assert long.text_hash is not None
    assert not len(long.shingles)


def test_letters_of_scripts_without_blanks_are_words() -> None:
    """Thirty letters of Chinese, one of them another: 3 of 28 shingles differ."""
    text = "关于加强网络信息安全管理工作的若干意见已经国务院批准现予公布施行"[:30]
    one, other = (
        fingerprint_of(title="", body=each, html=None, content_type="text/plain").shingles
        for each in (text, text.replace("工", "土"))
    )
    assert jaccard(one, other) == pytest.approx(25 / 31)


@given(st.integers(0, 2**32), st.integers(LEAST_WORDS, 120), st.integers(0, 12))
def test_jaccard_equals_that_of_the_sets(seed: int, length: int, changes: int) -> None:
    draw = random.Random(seed)
    one = [f"w{draw.randrange(200)}" for _ in range(length)]
    other = list(one)
    for _ in range(changes):
        other[draw.randrange(length)] = f"w{draw.randrange(200)}"
    sets = [{tuple(words[at : at + 3]) for at in range(length - 2)} for words in (one, other)]
    expected = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
    assert jaccard(shingles_of(one), shingles_of(other)) == expected


def test_alike_texts_share_a_band() -> None:
    """Of 200 pairs just above the threshold, at least 98% do; expected are 99.8%."""
    draw = random.Random(1)
    found = pairs = 0
    while pairs < 200:
        one = [f"w{draw.randrange(1000)}" for _ in range(100)]
        other = [*one[:90], *(f"v{draw.randrange(1000)}" for _ in range(8)), *one[90:]]
        first, second = shingles_of(one), shingles_of(other)
        if jaccard(first, second) >= LEAST_SIMILARITY:
            pairs += 1
            found += bool({*bands_of(first, collection=1)} & {*bands_of(second, collection=1)})
    assert found >= 196


def test_collections_share_no_band() -> None:
    shingles = shingles_of([f"w{n}" for n in range(50)])
    assert bands_of(shingles, collection=1) == bands_of(shingles, collection=1)
    assert not {*bands_of(shingles, collection=1)} & {*bands_of(shingles, collection=2)}
