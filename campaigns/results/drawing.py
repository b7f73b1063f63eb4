from __future__ import annotations

import json
import re
from typing import Any

from campaigns.results.style import POINTS_A_MM

DOTS_AN_INCH = 300
KINDS = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "json": "application/json",
}
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def drawn(specification: dict[str, Any], kind: str) -> bytes:
    """The figure in one of `KINDS`; a point of the specification is one of the figure."""
    if kind == "json":
        return json.dumps(specification, indent=1, ensure_ascii=False).encode() + b"\n"
    import vl_convert

    # Nothing is fetched: data stand in the specification, fonts in the library.
    nowhere: dict[str, Any] = {"allowed_base_urls": []}
    if kind == "svg":
        return _in_millimetres(vl_convert.vegalite_to_svg(specification, **nowhere)).encode()
    if kind == "pdf":
        return vl_convert.vegalite_to_pdf(specification, **nowhere)
    return vl_convert.vegalite_to_png(specification, ppi=DOTS_AN_INCH, **nowhere)


def _in_millimetres(svg: str) -> str:
    """A browser takes a bare number as 1/96 of an inch; ours are points."""

    def measured(found: re.Match[str]) -> str:
        width, height = (float(size) / POINTS_A_MM for size in found.groups())
        return f'width="{width:.2f}mm" height="{height:.2f}mm"'

    return _SIZE.sub(measured, svg, count=1)
