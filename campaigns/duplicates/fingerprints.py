"""A text in short: a hash that texts of the same words share, and hashes of bands that alike texts share.

MinHash: Broder, On the resemblance and containment of documents, SEQUENCES 1997. Bands: Leskovec, Rajaraman
and Ullman, Mining of Massive Datasets, section 3.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from campaigns.collection.terms import plain, plain_words
from campaigns.formats.content_types import BINARY, HTML, kind_of

# Texts are near-duplicates if the Jaccard coefficient of their shingles, as sets, is at least this.
LEAST_SIMILARITY = 0.8
# Words of a shingle.
SHINGLE_WORDS = 3
# Texts of fewer words or more characters are compared for sameness alone.
LEAST_WORDS, MOST_CHARACTERS = 20, 300_000
# Of two texts as alike as LEAST_SIMILARITY, 99.8% share a band: 1 − (1 − 0.8⁶)²⁰.
BANDS, BAND_ROWS = 20, 6

# Sorted and distinct: the 64-bit hash of each shingle.
Shingles = NDArray[np.uint64]

_NONE: Shingles = np.zeros(0, dtype=np.uint64)
_INLINE = re.compile(
    "</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup"
    r"|tt|u|var|wbr)\b[^<>]*>",
    re.IGNORECASE,
)


class Fingerprint(NamedTuple):
    """`text_hash`: None for a text without words; `shingles`: empty where near-duplicates are not sought."""

    text_hash: UUID | None
    shingles: Shingles


def fingerprint_of(*, title: str, body: str, html: str | None, content_type: str) -> Fingerprint:
    """`html`: safe HTML of a document that is shown as HTML."""
    if kind_of(content_type) in BINARY:
        return Fingerprint(_text_hash((content_type, body)) if body else None, _NONE)
    text = f"{title}\n{body if html is None else plain(_INLINE.sub('', html), HTML)}"
    if len(text) > MOST_CHARACTERS:
        return Fingerprint(_text_hash(plain_words(text)), _NONE)
    words = list(plain_words(text))
    return Fingerprint(_text_hash(words), shingles_of(words))


def _text_hash(words: Iterable[str]) -> UUID | None:
    digest, empty = blake2b(digest_size=16), True
    for word in words:
        digest.update(f"{word} ".encode())
        empty = False
    return None if empty else UUID(bytes=digest.digest())


def shingles_of(words: Sequence[str]) -> Shingles:
    """Hashes of all sequences of SHINGLE_WORDS words; none of a text that is too short."""
    if len(words) < LEAST_WORDS:
        return _NONE
    sequences = {
        " ".join(words[start : start + SHINGLE_WORDS]) for start in range(len(words) - SHINGLE_WORDS + 1)
    }
    digests = b"".join(blake2b(each.encode(), digest_size=8).digest() for each in sequences)
    return np.unique(np.frombuffer(digests, dtype=np.uint64))


def jaccard(one: Shingles, other: Shingles) -> float:
    """Shared elements over all elements of two sets, in [0, 1]; 0 where either is empty."""
    if not len(one) or not len(other):
        return 0.0
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared)


def bands_of(shingles: Shingles, *, collection: int) -> list[int]:
    """Signed 64-bit hashes of the bands of a MinHash signature; those of two collections share none."""
    if not len(shingles):
        return []
    signature = _empty_signature().copy()
    # The library takes hashes of 32 bits.
    signature.update_batch((shingles & np.uint64(0xFFFFFFFF)).tolist())
    rows = signature.hashvalues.astype(np.uint64).reshape(BANDS, BAND_ROWS)
    return [
        int.from_bytes(
            blake2b(b"%d %d " % (collection, band) + row.tobytes(), digest_size=8).digest(), signed=True
        )
        for band, row in enumerate(rows)
    ]


@lru_cache(maxsize=1)
def _empty_signature() -> Any:
    # Two seconds, which only the process that looks for duplicates takes.
    from datasketch import MinHash

    return MinHash(num_perm=BANDS * BAND_ROWS, seed=1, hashfunc=int)
