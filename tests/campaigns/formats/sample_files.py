"""Small files in memory, and what the readers say of them."""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from campaigns.formats.errors import FormatError
from campaigns.formats.runs.files import ParsedRun, read_runs

if TYPE_CHECKING:
    from warcio.warcwriter import WARCWriter

TREC_DATA = Path(os.environ.get("TREC_DATA") or "/nonexistent")
needs_data = pytest.mark.skipif(
    not (TREC_DATA / "trec-covid-r1").is_dir(),
    reason="set TREC_DATA to the folder of public test collections",
)


def file_of(content: str | bytes) -> io.BytesIO:
    return io.BytesIO(content.encode() if isinstance(content, str) else content)


def read_run(content: str | bytes, **options: Any) -> ParsedRun:
    (run,) = read_runs(file_of(content), "some.run", **options)
    return run


def noticed(run: ParsedRun) -> dict[str, int]:
    """The counts of a report that are not 0, beside the sizes every run has."""
    sizes = {"lines", "topics", "tags", "longest_list"}
    return {name: count for name, count in run.report.as_dict().items() if count and name not in sizes}


def refusal(read: Callable[..., Any], content: str | bytes, **options: Any) -> FormatError:
    """What the reader raises; everything that it gives is taken first."""
    with pytest.raises(FormatError) as caught:
        deque(read(file_of(content), "some.file", **options), maxlen=0)
    return caught.value


def details(error: FormatError) -> list[tuple[int | None, str]]:
    return [(one.line, one.detail) for one in error.errors]


def write_page(
    writer: WARCWriter,
    trec_id: str,
    body: bytes,
    *,
    content_type: str = "text/html",
    status: str = "200 OK",
    **headers: str,
) -> None:
    """A page as a crawler stores it. `headers` are further ones of the answer, `_` for `-`."""
    from warcio.statusandheaders import StatusAndHeaders

    answer = [
        ("Content-Type", content_type),
        *((name.replace("_", "-"), value) for name, value in headers.items()),
    ]
    record = writer.create_warc_record(
        f"https://example.org/{trec_id}",
        "response",
        payload=io.BytesIO(body),
        http_headers=StatusAndHeaders(status, answer, protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-TREC-ID": trec_id} if trec_id else {},
    )
    writer.write_record(record)
