"""Lines of files that hold a judgment each, in whatever columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from campaigns.formats.errors import ErrorList
from campaigns.formats.limits import QRELS_BYTES
from campaigns.formats.lines import LineBlocks, text_lines
from campaigns.formats.opening import open_stream

GRADE = re.compile(rb"[+-]?\d{1,9}\Z")


def judgment_lines(
    file: Path, errors: ErrorList, what_is_wrong: Callable[[list[bytes]], str]
) -> Iterator[tuple[int, list[bytes]]]:
    """Number and words of every good line; what is wrong with the others goes to `errors`. Blank lines and
    lines from # on are passed over."""
    with open_stream(file, str(file), max_bytes=QRELS_BYTES) as stream:
        for number, line in text_lines(LineBlocks(stream, errors), errors):
            words = line.split()
            if not words or words[0].startswith(b"#"):
                continue
            if wrong := what_is_wrong(words):
                errors.add(number, wrong)
            else:
                yield number, words
