"""Blocks of run lines as columns: numpy cuts a block into words, and words into numbers.

In a plain block every line is six words, none too long, with a decimal score. `plain_columns` takes only such
blocks, so that fields and numbers have one definition. `line_error` and `score_error` say why a line is not
plain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.errors import (
    DOCNO_BYTES,
    LINE_BYTES,
    NUMBER_BYTES,
    TAG_BYTES,
    TOPIC_BYTES,
    breaks_path,
    quote,
    what_is_wrong_with_name,
)
from campaigns.formats.lines import is_text, what_is_not_text
from evaluation.measures.ordering import ScorePrecision

Bytes = NDArray[np.bytes_]
# Words that are all short, or as long as each other, as `Bytes`; others as Python's bytes (`compact`).
Words = NDArray[Any]
Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]

# A column's array is as wide as its longest word: without a limit, one word would widen the whole block.
_FIELDS = (
    ("topic", TOPIC_BYTES),
    ("second column", DOCNO_BYTES),
    ("docno", DOCNO_BYTES),
    ("rank", NUMBER_BYTES),
    ("score", NUMBER_BYTES),
    ("tag", TAG_BYTES),
)
COLUMNS = len(_FIELDS)
_LONGEST = np.array([[longest] for _, longest in _FIELDS])
_SCORE_BYTES = b"0123456789+-.eE"
_RANK_DIGITS = 9
NOT_A_RANK = -1
# Numbers of so many digits are exact as 64-bit floats, and so are the powers of ten that divide them: their
# quotient is the correctly rounded decimal (Clinger 1990).
_EXACT_DIGITS = 15
_POWERS_OF_TEN = np.array([10**digits for digits in range(_EXACT_DIGITS + 1)], dtype=np.float64)
# Of splitmix64: odd, and without a pattern in its bits.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
# By the bits of a float, the lowest magnitude that none holds: halfway between the largest and the next step,
# where rounding goes to infinity.
_TOO_LARGE: Mapping[ScorePrecision, float] = {32: (2 - 2.0**-24) * 2.0**127, 64: np.inf}
# Arrays of wider words are kept only if they are at least a quarter full.
_WIDE = 64


class Columns(NamedTuple):
    """Plain lines of a run, shape (n,) each; a rank that is no number is -1."""

    topics: Bytes
    docnos: Words
    ranks: NDArray[np.int32]
    scores: Doubles
    tags: Bytes
    rank_words: Bytes
    odd_iterations: int


_STEP_ENDS = (b". ", b".\t", b"./", b".\n")
_STEP = re.compile(rb"(?:^|[\s/])\.\.?[\s/]")


def plain_columns(block: bytes, score_precision: ScorePrecision, *, checked: bool = False) -> Columns | None:
    """The columns of a block of whole lines; None if a line is blank, a comment or has an error, such as a
    score that no float of so many bits holds. `checked` lines have no other error."""
    plain = is_text(block) and (checked or not _has_step(block))
    places = _word_places(block) if plain else None
    if places is None:
        return None
    starts, lengths = places
    if (lengths > _LONGEST).any():
        return None
    padded = block + bytes(int(_LONGEST.max()))
    topics, iterations, docnos, ranks, values, tags = (
        _words(padded, *column) for column in zip(starts, lengths, strict=True)
    )
    try:
        scores = _scores(values, lengths[4], score_precision)
    except (ValueError, OverflowError):
        return None
    odd_iterations = int(np.count_nonzero(iterations != b"Q0"))
    docnos = compact(docnos, int(lengths[2].sum()))
    return Columns(topics, docnos, _ranks(ranks, lengths[3]), scores, tags, ranks, odd_iterations)


def _has_step(block: bytes) -> bool:
    """True if a word may be or hold the step . or .. of an address. The regular expression takes long."""
    return any(end in block for end in _STEP_ENDS) and _STEP.search(block) is not None


def _word_places(block: bytes) -> tuple[Ints, Ints] | None:
    """Start and length of each word, shape (6, lines) each; None if a line cannot be plain."""
    characters = np.frombuffer(block, dtype=np.uint8)
    blank = np.empty(len(characters) + 1, dtype=np.bool_)
    blank[0] = True
    np.less_equal(characters, ord(" "), out=blank[1:])
    edges = np.flatnonzero(blank[1:] != blank[:-1])
    newlines = np.flatnonzero(characters == ord("\n"))
    if not len(newlines) or len(edges) != 2 * COLUMNS * len(newlines):
        return None
    # Contiguous columns: everything below reads one column at a time.
    by_column = np.ascontiguousarray(edges.reshape(-1, 2 * COLUMNS).T)
    starts, ends = by_column[0::2], by_column[1::2]
    previous = np.concatenate(([-1], newlines[:-1]))
    not_plain = (
        (starts[0] < previous)
        | (ends[-1] > newlines)
        | (newlines - previous > LINE_BYTES + 1)
        | (characters[starts[0]] == ord("#"))
    )
    return None if not_plain.any() else (starts, ends - starts)


def _words(padded: bytes, starts: Ints, lengths: Ints) -> Bytes:
    """Words of a padded block as an array as wide as the longest, rounded up to eight bytes."""
    width = -(-int(lengths.max()) // 8) * 8
    # One overlapping view of that width for each place of the block: indexing them copies whole words.
    views = np.ndarray((len(padded) - width,), dtype=f"V{width}", buffer=padded, strides=(1,))
    words = views[starts]
    words.view(np.uint64).reshape(len(words), width // 8)[:] &= _masks(width).take(lengths, axis=0)
    return words.view(f"S{width}")


@lru_cache(maxsize=8)
def _masks(width: int) -> NDArray[np.uint64]:
    """For each length of a word the bytes to keep, eight at a time, shape (width + 1, width / 8)."""
    return (np.tri(width + 1, width, -1, dtype=np.uint8) * np.uint8(0xFF)).view(np.uint64)


def compact(words: Words, total: int) -> Words:
    """Words of `total` bytes as they are, or as objects where one long word widens an array of short ones."""
    return words.astype(object) if _is_sparse(len(words), words.dtype, total) else words


def join_words(pieces: list[Words]) -> Words:
    """One array of all; as objects where the widest piece would widen the others too much."""
    widest = max((piece.dtype for piece in pieces), key=lambda dtype: dtype.itemsize)
    if _is_sparse(sum(map(len, pieces)), widest, sum(piece.nbytes for piece in pieces)):
        pieces = [piece.astype(object) for piece in pieces]
    return np.concatenate(pieces)


def _is_sparse(count: int, dtype: np.dtype[Any], total: int) -> bool:
    return dtype.itemsize > _WIDE and count * dtype.itemsize > 4 * total


def hash_words(words: Words, salts: NDArray[np.integer[Any]] | int = 0) -> NDArray[np.uint64]:
    """A 64-bit hash of each word and its salt; arrays of another width give other hashes."""
    hashes = np.empty(len(words), dtype=np.uint64)
    hashes[:] = salts
    if words.dtype == object:
        hashes *= _MULTIPLIER
        return hashes ^ np.fromiter(map(hash, words.tolist()), np.int64, len(words)).view(np.uint64)
    for eight_bytes in words.view(np.uint64).reshape(len(words), words.dtype.itemsize // 8).T:
        hashes += eight_bytes
        hashes *= _MULTIPLIER
        hashes ^= hashes >> _HALF
    return hashes


def _by_place(words: Bytes, longest: int) -> NDArray[np.uint8]:
    """The first characters of all words, then the second, …: shape (longest, words)."""
    return np.ascontiguousarray(words.view(np.uint8).reshape(len(words), -1)[:, :longest].T)


def _scores(words: Bytes, lengths: Ints, score_precision: ScorePrecision) -> Doubles:
    """Decimal numbers; `ValueError` if a word is none, `OverflowError` if a float of so many bits cannot hold
    it."""
    # `float` also reads names such as `nan` and grouped digits such as `1_000`, which no score is.
    if words.tobytes().translate(None, _SCORE_BYTES + b"\0"):
        raise ValueError("not a decimal number")
    scores, simple = _simple_decimals(words, lengths)
    if not simple.all():
        # An exponent that is too large gives infinity, which is refused below.
        with np.errstate(over="ignore"):
            scores[~simple] = words[~simple].astype(np.float64)
    if not (np.abs(scores) < _TOO_LARGE[score_precision]).all():
        raise OverflowError(f"larger than a {score_precision}-bit float can hold")
    return scores


def _simple_decimals(words: Bytes, lengths: Ints) -> tuple[Doubles, NDArray[np.bool_]]:
    """The value of each word that is a decimal of up to 15 digits without an exponent, and which those are.

    The same values as `float` gives, in a fourth of the time.
    """
    characters = _by_place(words, min(int(lengths.max()), _EXACT_DIGITS + 2))
    is_digit = characters - np.uint8(ord("0")) <= 9
    is_point = characters == ord(".")
    negative = characters[0] == ord("-")
    digits, points = is_digit.sum(axis=0, dtype=np.int8), is_point.sum(axis=0, dtype=np.int8)
    simple = (digits + points + negative == lengths) & (points <= 1) & (digits >= 1)
    simple &= digits <= _EXACT_DIGITS
    numbers = _digits_as_numbers(characters, is_digit, np.int64)
    decimals = np.zeros(len(words), dtype=np.int64)
    for place in np.flatnonzero(is_point.any(axis=1)).tolist():
        decimals = np.where(is_point[place], lengths - 1 - place, decimals)
    scores = numbers / _POWERS_OF_TEN.take(decimals, mode="clip")
    return np.where(negative, -scores, scores), simple


def _digits_as_numbers(
    characters: NDArray[np.uint8], is_digit: NDArray[np.bool_], dtype: type[np.signedinteger[Any]]
) -> NDArray[np.signedinteger[Any]]:
    """The number that each word's digits make, whatever stands between them."""
    numbers = np.zeros(characters.shape[1], dtype=dtype)
    for digits, kept in zip(characters - np.uint8(ord("0")), is_digit, strict=True):
        if kept.all():
            numbers *= 10
            numbers += digits
        else:
            numbers = np.where(kept, numbers * 10 + digits, numbers)
    return numbers


def _ranks(words: Bytes, lengths: Ints) -> NDArray[np.int32]:
    """Whole numbers of up to nine digits, -1 for any other word."""
    characters = _by_place(words, min(int(lengths.max()), _RANK_DIGITS))
    is_digit = characters - np.uint8(ord("0")) <= 9
    ranks = _digits_as_numbers(characters, is_digit, np.int32)
    return np.where(is_digit.sum(axis=0) == lengths, ranks, np.int32(NOT_A_RANK))


def line_error(line: bytes, words: list[bytes]) -> tuple[str, str] | None:
    """Reason why a line cannot be plain, and the field; None if only its score can be wrong."""
    if len(line) > LINE_BYTES:
        return f"a line longer than {LINE_BYTES:,} bytes", ""
    if reason := what_is_not_text(line):
        return reason, ""
    if len(words) != COLUMNS:
        layout = "a run has 6 (topic, Q0, docno, rank, score, tag)"
        return f"{len(words)} columns where {layout}: {quote(line.strip())}", ""
    for (field, longest), word in zip(_FIELDS, words, strict=True):
        if len(word) > longest:
            return f"{field} longer than {longest} bytes: {quote(word)}", field
        if b"." in word and field in ("topic", "docno", "tag") and breaks_path(word.decode()):
            return f"{what_is_wrong_with_name(field, word.decode())}: {quote(word)}", field
    return None


def score_error(word: bytes, score_precision: ScorePrecision) -> tuple[str, str] | None:
    """Reason why a word is no score, and the field."""
    try:
        _scores(np.array([word]), np.array([len(word)]), score_precision)
    except OverflowError as error:
        return f"score {quote(word)} is {error}", "score"
    except ValueError:
        return f"score {quote(word)} is not a decimal number", "score"
    return None
