"""Files that commands write beside what they print."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from campaigns.formats.errors import FormatError, LineError


@contextmanager
def replacing(file: Path) -> Iterator[TextIO]:
    """Text that takes the file's place once all has gone well; until then, and otherwise, the file stays as
    it is. What is no regular file, a pipe say, is written as it comes.

    Raises FormatError, before anything is written, if the file cannot be.
    """
    # A link stays a link.
    target = file.resolve()
    whole = not target.exists() or target.is_file()
    beside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}") if whole else target
    try:
        if target.is_file():
            target.open("r+b").close()
        out = beside.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise FormatError(str(file), [LineError(None, (error.strerror or str(error)).lower())]) from error
    try:
        with out:
            yield out
        if whole:
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
    except BaseException:
        if whole:
            beside.unlink(missing_ok=True)
        raise
