"""A disk that is full, whoever came upon it: a write of ours, or one of the database's."""

from __future__ import annotations

import errno
import os

from psycopg2 import OperationalError
from psycopg2.errors import DiskFull

# Full; more than this user, or than this process, may write.
_OURS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_no_room(error: BaseException | None) -> bool:
    """Also where what failed is told as an error of another kind, or led to another."""
    if error is None:
        return False
    return _says_so(error) or is_no_room(error.__cause__) or is_no_room(error.__context__)


def _says_so(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _OURS
    # A server that has no room for its log ends, and has no time for more than words.
    last_words = isinstance(error, OperationalError) and os.strerror(errno.ENOSPC) in str(error)
    return isinstance(error, DiskFull) or last_words
