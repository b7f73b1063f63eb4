"""A disk that is full, whoever came upon it: a write of ours, or one of the database's."""

from __future__ import annotations

import errno

from psycopg2.errors import DiskFull

# Full; more than this user, or than this process, may write.
_OURS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_no_room(error: BaseException | None) -> bool:
    """Also where what failed is told as an error of another kind."""
    while error is not None:
        if isinstance(error, DiskFull) or (isinstance(error, OSError) and error.errno in _OURS):
            return True
        error = error.__cause__ or error.__context__
    return False
