"""Tables and pictures of studies in a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from campaigns.figures.charts import render_chart
from campaigns.formats.errors import FormatError, LineError
from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.studies.study import as_markdown
from campaigns.management.offline.output import atomic_write
from selection.studies.interface import Point, Row

_END = "<!-- end -->"


def write_into_page(
    page: Path, name: str, collection: str, rows: Sequence[Row], values: Sequence[Point]
) -> None:
    """Renew the study's table and picture in a Markdown page; pictures are in the folder of the page's name.

    Raises FormatError if the page cannot be read, or has no place for them.
    """
    study, begin = STUDIES[name], f"<!-- study {name} {collection} -->"
    try:
        before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    except OSError as error:
        raise FormatError(str(page), [LineError(None, (error.strerror or str(error)).lower())]) from error
    _, end, after = rest.partition(_END)
    if not end:
        raise FormatError(str(page), [LineError(None, f"has no lines {begin} and {_END}")])
    picture = page.with_suffix("") / f"{name}-{collection}.svg"
    picture.parent.mkdir(exist_ok=True)
    drawing = render_chart(study.figure(values), "svg").decode()
    section = f"{as_markdown(study, rows)}\n\n{study.table}\n\n![{study.title}]({page.stem}/{picture.name})"
    with atomic_write(picture) as out, atomic_write(page) as text:
        out.write(drawing)
        text.write(f"{before}{begin}\n{section}\n{end}{after}")
