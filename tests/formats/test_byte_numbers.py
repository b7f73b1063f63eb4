"""Columns of numbers, whatever words stand side by side in them, against Python's own reading."""

from __future__ import annotations

import math
import re

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from campaigns.formats.byte_numbers import LONGEST, decimal_numbers, whole_numbers
from campaigns.formats.byte_words import Bytes, Ints

decimals = st.from_regex(r"[+-]?[0-9]{0,9}\.?[0-9]{0,9}", fullmatch=True).filter(bool)
odd = st.text(st.sampled_from("0123456789.+-e:/\x7f\xe9"), min_size=1, max_size=12)
columns = st.lists(st.one_of(decimals, decimals, odd), min_size=1, max_size=30)


def column(words: list[str]) -> tuple[Bytes, Ints]:
    given = [word.encode() for word in words]
    width = -(-max(map(len, given)) // 8) * 8
    return np.array(given, dtype=f"S{width}"), np.array([len(word) for word in given])


def number(word: str) -> float:
    digits = re.sub(r"[+.-]", "", word)
    spells = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", word, re.ASCII)
    return float(word) if spells and len(word) <= LONGEST and int(digits) < 2**53 else math.nan


@given(columns)
@example(["1.25", "-1.25", "+.5", "5.", ".", "-", "-.", "0", "-0"])
@example(["1234567.8", "12345678.9", "123456789.1", "12345678", "1.2345678", "-1234567.8", "1.5"])
@example(["1..2", ".1.", "1.2345678.", "12345678..", "1234567.89.1", "1.5"])
@example(
    ["9007199254740991", "9007199254740992", "9999999999999999", "0.00000000000001", "12345678901234567"]
)
@example(["1", "2", "12345678"])
def test_decimal_numbers_are_those_that_python_reads(words: list[str]) -> None:
    read = decimal_numbers(*column(words))
    expected = np.array([number(word) for word in words])
    np.testing.assert_array_equal(read, expected)
    spelt = ~np.isnan(expected)
    assert (np.signbit(read) == np.signbit(expected))[spelt].all()


@given(st.lists(st.one_of(st.integers(0, 10**12).map(str), odd), min_size=1, max_size=30))
@example(["1", "12345678", "123456789", "1234567890", "007", "1.5", "-1"])
def test_whole_numbers_have_so_many_digits_at_most(words: list[str]) -> None:
    read = whole_numbers(*column(words), digits=9, otherwise=-1)
    assert read.tolist() == [int(w) if re.fullmatch(r"[0-9]{1,9}", w) else -1 for w in words]
