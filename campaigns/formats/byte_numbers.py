"""The numbers that words of up to 16 bytes spell, eight bytes at a time: no loop over their characters.

A word is one or two unsigned integers, its first character the lowest byte of the first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.byte_words import Bytes, Floats, Ints, eight_bytes

Words = NDArray[np.uint64]
BoolArray = NDArray[np.bool_]

LONGEST = 16
_MINUS, _PLUS = (np.uint64(ord(sign)) for sign in "-+")
_FIRST = np.uint64(0xFF)
# In each of the eight bytes the same.
_ONES = np.uint64(0x0101010101010101)
_POINTS, _ZEROS, _LOW, _HIGH = (np.uint64(byte) * _ONES for byte in (ord("."), ord("0"), 0x7F, 0x80))
# What makes bytes above 9, and no others, reach the highest bit.
_ABOVE_NINE = np.uint64(0x80 - 10) * _ONES
_ONE, _BYTE, _ALL = np.uint64(1), np.uint64(8), np.uint64(64)
# Below this, a whole number is a float64 exactly, and so is the power of ten it is divided by: the quotient
# is then the float64 nearest to what is written, the very one that reading digit by digit gives.
_EXACT = 1 << 53
_POWERS = 10.0 ** np.arange(LONGEST + 1)


def whole_numbers(words: Bytes, lengths: Ints, *, digits: int, otherwise: int) -> Ints:
    """The numbers that words of up to `digits` digits spell, at most 16; `otherwise` for any other word."""
    low, high = _halves(words)
    numbers, wrong = _digits(low, high, lengths)
    numbers[wrong | (lengths > digits)] = otherwise
    return numbers


def decimal_numbers(words: Bytes, lengths: Ints) -> Floats:
    """The numbers that words such as `-12.345` spell; NaN for any other word, and for one of many digits."""
    low, high = _halves(words)
    too_long = lengths > LONGEST
    first = low & _FIRST
    negative = first == _MINUS
    signed = negative | (first == _PLUS)
    if signed.any():
        low, high, lengths = (
            np.where(signed, _moved(low, high), low),
            _moved_if(signed, high),
            lengths - signed,
        )
    point = _points(low)
    found = point != 0
    # All bits of the bytes before the point, of all bytes where there is none. A second point stays, and is
    # then no digit.
    before = point - _ONE
    places = np.bitwise_count(before) >> 3
    low, high = _joined(before, low, _moved(low, high)), _moved_if(found, high)
    if high is not None and not found.all():
        point = np.where(found, 0, _points(high))
        before = point - _ONE
        places = np.where(found, places, 8 + (np.bitwise_count(before) >> 3))
        high = _joined(before, high, _moved(high, None))
        found |= point != 0
    digits = lengths - found
    numbers, wrong = _digits(low, high, digits)
    wrong |= too_long | (numbers >= _EXACT)
    decimals: Floats = numbers / _POWERS[np.clip(digits - places, 0, LONGEST)]
    np.negative(decimals, out=decimals, where=negative)
    decimals[wrong] = np.nan
    return decimals


def _halves(words: Bytes) -> tuple[Words, Words | None]:
    eights = eight_bytes(words)
    return eights[:, 0], eights[:, 1] if eights.shape[1] > 1 else None


def _moved(low: Words, high: Words | None) -> Words:
    """The low half without its first byte, the others one place down."""
    moved = low >> _BYTE
    return moved if high is None else moved | (high << np.uint64(56))


def _moved_if(where: BoolArray, high: Words | None) -> Words | None:
    return None if high is None else np.where(where, high >> _BYTE, high)


def _joined(mask: Words, inside: Words, outside: Words) -> Words:
    joined: Words = np.bitwise_or(inside & mask, outside & ~mask)
    return joined


def _points(word: Words) -> Words:
    """1 in each byte that is a point, 0 in the others."""
    other = word ^ _POINTS
    return (~(((other & _LOW) + _LOW) | other) & _HIGH) >> np.uint64(7)


def _digits(low: Words, high: Words | None, count: Ints) -> tuple[Ints, BoolArray]:
    """The numbers that the first `count` bytes spell, and where these are not digits, or none at all."""
    low = low ^ _ZEROS
    wrong: BoolArray = count < 1
    # The last digit goes to the highest byte, and noughts come in below the first. A shift of 64 or more,
    # as a count below 0 would be, leaves nothing.
    if high is None:
        low = low << (_BYTE * (_BYTE - count.astype(np.uint64)))
        wrong |= _not_digits(low)
        return _number(low), wrong
    high = high ^ _ZEROS
    shift = _BYTE * (np.uint64(LONGEST) - count.astype(np.uint64))
    crossing: Words = np.bitwise_or(low >> (_ALL - shift), low << (shift - _ALL))
    low, high = low << shift, np.bitwise_or(high << shift, crossing)
    wrong |= _not_digits(low) | _not_digits(high)
    return _number(low) * 10**8 + _number(high), wrong


def _not_digits(word: Words) -> BoolArray:
    found: BoolArray = (((word + _ABOVE_NINE) | word) & _HIGH) != 0
    return found


def _number(word: Words) -> Ints:
    """Of eight digits, the first in the lowest byte: neighbours put together, then pairs, then fours."""
    pairs = (word * np.uint64(10) + (word >> _BYTE)) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    eight = (fours * np.uint64(10_000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return eight.astype(np.int64)
