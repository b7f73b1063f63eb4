"""Words of a block of text as arrays: where they are, their bytes, and the numbers they spell."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.bytes_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_POINT, _MINUS, _PLUS, _ZERO = (np.uint8(ord(character)) for character in ".-+0")
# Sums of this many digits stay inside 64 bits.
_DIGITS = 18
# Below this, a whole number is a float64 exactly, and so is the power of ten it is divided by: the quotient
# is then the float64 nearest to what is written, the very one that reading digit by digit gives.
_EXACT = 1 << 53
_POWERS = 10.0 ** np.arange(_DIGITS + 1)


def reuse_memory() -> None:
    """Has the C library keep what is freed between two blocks, for a fifth of the reading time.

    glibc gives freed memory back to the system, and asks for it again, until a piece larger than any block's
    arrays has been freed once. Elsewhere this does nothing.
    """
    np.empty(8 << 20, dtype=np.uint8)


class WordBytes:
    """Words of a block, gathered into arrays of one width."""

    def __init__(self, block: bytes, longest: int) -> None:
        self._size = len(block)
        self._padded = block + bytes(longest + 8)

    def take(self, starts: Ints, lengths: Ints) -> Bytes:
        """The words that start at `starts` as an S array, padded with NUL to a multiple of eight bytes."""
        eights = -(-int(lengths.max()) // 8)
        # One overlapping view of a word's width for each place of the block: indexing it copies whole words.
        places = np.ndarray((self._size,), dtype=f"V{8 * eights}", buffer=self._padded, strides=(1,))
        words = places[starts]
        eight_bytes(words)[:] &= np.take(_masks(eights), lengths, axis=0)
        return words.view(f"S{8 * eights}")


@cache
def _masks(eights: int) -> NDArray[np.uint64]:
    """For each length of a word, which of its bytes to keep: shape (8 * eights + 1, eights)."""
    width = 8 * eights
    kept = b"".join(b"\xff" * length + bytes(width - length) for length in range(width + 1))
    return np.frombuffer(kept, dtype=np.uint64).reshape(width + 1, eights)


def eight_bytes(words: NDArray[Any]) -> NDArray[np.uint64]:
    """Words eight bytes at a time, which compare and mix faster than strings: shape (words, width / 8)."""
    return words.view(np.uint64).reshape(len(words), words.dtype.itemsize // 8)


def unlike(words: Bytes, others: Bytes) -> NDArray[np.bool_]:
    """Where words differ from others of the same width; `others` may be one word for all."""
    parts, other_parts = eight_bytes(words), eight_bytes(others)
    differ: NDArray[np.bool_] = parts[:, 0] != other_parts[:, 0]
    for place in range(1, parts.shape[1]):
        differ |= parts[:, place] != other_parts[:, place]
    return differ


def whole_numbers(words: Bytes, *, digits: int, otherwise: int) -> Ints:
    """The numbers that words of up to `digits` digits spell; `otherwise` for any other word."""
    numbers = np.zeros(len(words), dtype=np.int64)
    wrong = np.zeros(len(words), dtype=np.bool_)
    for place, column in enumerate(_columns(words)):
        inside = column != 0
        if not inside.any():
            break
        digit = column - _ZERO
        wrong |= inside & (digit > 9)
        wrong |= inside if place >= digits else False
        numbers = np.where(inside, numbers * 10 + digit, numbers)
    numbers[wrong] = otherwise
    return numbers


def decimal_numbers(words: Bytes) -> Floats:
    """The numbers that words such as `-12.345` spell; NaN for any other word, and for too many digits."""
    total = np.zeros(len(words), dtype=np.int64)
    digits, fraction, points = (np.zeros(len(words), dtype=np.uint8) for _ in range(3))
    wrong = np.zeros(len(words), dtype=np.bool_)
    negative = wrong
    for place, column in enumerate(_columns(words)):
        if not column.any():
            break
        digit = column - _ZERO
        is_digit, is_point = digit <= 9, column == _POINT
        known = is_digit | is_point | (column == 0)
        if place == 0:
            negative = column == _MINUS
            known |= negative | (column == _PLUS)
        wrong |= ~known
        if place < _DIGITS + 2:
            total = np.where(is_digit, total * 10 + digit, total)
        digits += is_digit
        points += is_point
        fraction += is_digit & (points > 0)
    wrong |= (digits == 0) | (digits > _DIGITS) | (points > 1) | (total >= _EXACT)
    numbers = total / _POWERS[np.minimum(fraction, _DIGITS)]
    np.negative(numbers, out=numbers, where=negative)
    numbers[wrong] = np.nan
    return numbers


def _columns(words: Bytes) -> NDArray[np.uint8]:
    """Each word's first byte, then each second byte …: shape (width, words)."""
    return np.ascontiguousarray(words.view(np.uint8).reshape(len(words), -1).T)
