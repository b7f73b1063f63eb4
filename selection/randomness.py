"""Lots drawn by hashing: the same names always draw the same number, whatever happens in between."""

from __future__ import annotations

import hashlib
from zlib import crc32


def topic_key(number: str) -> int:
    """A topic's lasting identity, of which seeds are made, from the number by which files know it."""
    return crc32(number.encode())


# Six bytes fill the whole numbers that a float64 holds exactly, with room to spare.
LOT_BYTES = 6


def lot(*names: object) -> float:
    """A number in [0, 1), uniform over names and decided by nothing but them.

    Parameters
    ----------
    *names : object
        What is drawn for, each written out as `str` does; none may hold a line feed.

    Returns
    -------
    float
        The first six bytes of the SHA-256 of the names, one a line, as a fraction.

    Raises
    ------
    ValueError
        If a name holds a line feed: two different lists of names would draw the same lot.

    Examples
    --------
    >>> lot("overlap", 1, "701", "GX000-00-0000000") == lot("overlap", 1, "701", "GX000-00-0000000")
    True
    """
    words = [str(name) for name in names]
    for word in words:
        if "\n" in word:
            raise ValueError(f"a name holds a line feed: {word!r}")
    digest = hashlib.sha256("\n".join(words).encode()).digest()
    return int.from_bytes(digest[:LOT_BYTES]) / float(256**LOT_BYTES)
