"""A page of one figure, in points: marks and texts whose places are known before anything is drawn.

A sheet is as wide as one or both columns of a paper. No text is smaller than `SMALLEST`, and colours differ
in lightness, so that they survive a print in grey.
"""

from __future__ import annotations

import re
import struct
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from evaluation.extras import extra

POINTS_A_MM = 72 / 25.4
# Of one column, and of both.
WIDTHS = (84, 178)
NORMAL, SMALL, SMALLEST = 7.5, 7.0, 6.5
# Comes with vl-convert: without a font that is there, a PDF would have no letters.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
INK, SOFT, GRID, RANGE = "#171a20", "#565c67", "#dddddd", "#767c87"
BEST, OTHER, DOT, FILL = "#5f97d3", "#d3d6db", "#0e3767", "#eceef1"

# Advance widths from the space to the tilde, in thousandths of the size: Liberation Sans, as wide as Arial.
_REGULAR = (
    277, 277, 354, 556, 556, 889, 666, 190, 333, 333, 389, 583, 277, 333, 277, 277, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 277, 277, 583, 583, 583, 556, 1015, 666, 666, 722, 722, 666, 610, 777, 722, 277,
    500, 666, 556, 833, 722, 777, 666, 777, 722, 666, 610, 722, 666, 943, 666, 666, 610, 277, 277, 277, 469,
    556, 333, 556, 556, 500, 556, 556, 277, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    277, 556, 500, 722, 500, 500, 500, 333, 259, 333, 583,
)  # fmt: skip
_BOLD = (
    277, 333, 474, 556, 556, 889, 722, 237, 333, 333, 389, 583, 277, 333, 277, 277, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 333, 333, 583, 583, 583, 610, 975, 722, 722, 722, 722, 666, 610, 777, 722, 277,
    556, 722, 610, 833, 722, 777, 666, 777, 722, 666, 610, 722, 666, 943, 666, 666, 610, 333, 277, 333, 583,
    556, 333, 556, 610, 556, 610, 556, 333, 610, 610, 277, 277, 556, 277, 889, 610, 610, 610, 610, 389, 556,
    333, 610, 556, 777, 556, 556, 500, 389, 279, 389, 583,
)  # fmt: skip
_ELLIPSIS, NO_BREAK = "…", "\u00a0"
_BLANKS = re.compile(rf"[^\S{NO_BREAK}]+")
# The same in both weights.
_SIGNS = {"–": 556, "≥": 549, "≤": 549, "≈": 549, "±": 549, "−": 584, "·": 333, "’": 278, NO_BREAK: 278}
_SIGNS |= dict.fromkeys("“”„", 500)
ASCENT, DESCENT = 0.74, 0.22

Anchor = Literal["start", "middle", "end"]


def text_width(text: str, size: float = NORMAL, *, bold: bool = False) -> float:
    """In points. A letter that is in neither table counts as a whole em: room is left for it."""
    widths = _BOLD if bold else _REGULAR
    return size * sum(_advance(letter, widths) for letter in text) / 1000


def _advance(letter: str, widths: Sequence[int]) -> int:
    plain = unicodedata.normalize("NFD", letter)[0]
    if " " <= plain <= "~":
        return widths[ord(plain) - ord(" ")]
    return _SIGNS.get(plain, 1000)


def fit(text: str, room: float, size: float = NORMAL, *, bold: bool = False, keep_end: bool = True) -> str:
    """The text if the room suffices, else its beginning and end: tags often differ in the last letter. Not
    `keep_end`: its beginning only."""
    text = " ".join(text.split())
    if text_width(text, size, bold=bold) <= room:
        return text
    for length in range(len(text) - 1, 0, -1):
        end = length // 3 if keep_end else 0
        short = text[: length - end].rstrip(" .") + _ELLIPSIS + text[len(text) - end :].lstrip()
        if text_width(short, size, bold=bold) <= room:
            return short
    return _ELLIPSIS


def wrap(text: str, room: float, size: float) -> list[str]:
    """Lines that fit; a word that is wider than the room is shortened."""
    lines = [""]
    for word in _BLANKS.split(text.strip()):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(fit(word, room, size))
    return [line for line in lines if line]


def plain_words(text: str) -> str:
    """Single blanks between words; those that must not break a line stay."""
    return _BLANKS.sub(" ", text).strip()


def nice_step(most: float, ticks: int) -> float:
    """The smallest of 1, 2, 5, 10, 20 … that divides 0 to `most` into at most so many parts."""
    rough = max(most / ticks, 1.0)
    power = 10.0 ** floor(log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


@dataclass(frozen=True)
class TextBox:
    text: str
    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` at points from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


class Sheet:
    """SVG elements in the order of drawing; `boxes`: where texts lie. The height grows with what is drawn."""

    def __init__(self, width_mm: int) -> None:
        self.millimetres = width_mm
        self.width = width_mm * POINTS_A_MM
        self.height = 0.0
        self.boxes: list[TextBox] = []
        self._elements: list[str] = []

    @property
    def wide(self) -> bool:
        return self.millimetres == WIDTHS[1]

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = NORMAL,
        anchor: Anchor = "start",
        bold: bool = False,
        colour: str = INK,
    ) -> None:
        """One line whose base line is at `y`."""
        long = text_width(text, size, bold=bold)
        left = x - {"start": 0.0, "middle": long / 2, "end": long}[anchor]
        self.boxes.append(TextBox(text, left, left + long, y - ASCENT * size, y + DESCENT * size))
        weight = ' font-weight="bold"' if bold else ""
        # Libraries that draw SVG differ in how they place an end anchor; a start is a start everywhere.
        self._add(
            f'<text x="{left:.2f}" y="{y:.2f}" font-size="{size:g}" fill="{colour}"{weight}>'
            f"{_clean(text)}</text>",
            y + DESCENT * size,
        )

    def paragraph(self, y: float, text: str, *, size: float = SMALLEST) -> float:
        """Lines over the whole width from `y` down; the `y` below them."""
        for line in wrap(text, self.width - 2, size):
            y += size + 2
            self.text(1, y - 2, line, size=size, colour=SOFT)
        return y

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, colour: str = INK, width: float = 0.5
    ) -> None:
        self._add(
            f'<path d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}" stroke="{colour}" stroke-width="{width:g}"/>',
            max(y1, y2),
        )

    def curve(
        self,
        points: Sequence[tuple[float, float]],
        *,
        colour: str = INK,
        width: float = 1.0,
        dash: str = "",
        fill: str = "none",
    ) -> None:
        """Straight from point to point; from one point no line follows."""
        if len(points) < 2:
            return
        path = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        stroke = "" if fill != "none" else f' stroke="{colour}" stroke-width="{width:g}"{dashes}'
        self._add(
            f'<path d="{path}{"Z" if fill != "none" else ""}" fill="{fill}"{stroke} stroke-linejoin="round"/>'
        )

    def bar(self, x: float, y: float, width: float, height: float, *, colour: str) -> None:
        self._add(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{colour}"/>',
            y + height,
        )

    def dot(self, x: float, y: float, *, radius: float = 1.5, hollow: bool = False) -> None:
        """With a light ring, so that it shows on a band of any lightness."""
        fill, stroke = ("white", DOT) if hollow else (DOT, "white")
        self._add(
            f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}"'
            f' fill="{fill}" stroke="{stroke}" stroke-width="0.6"/>',
            y + radius,
        )

    def whisker(self, left: float, right: float, y: float, *, cap: float = 2.0) -> None:
        self.line(left, y, right, y, colour=RANGE, width=0.7)
        for end in (left, right):
            self.line(end, y - cap, end, y + cap, colour=RANGE, width=0.7)

    def place(self, other: Sheet, y: float) -> float:
        """Draw another sheet of the same width from `y` down; the `y` below it."""
        moved = [replace(box, top=box.top + y, bottom=box.bottom + y) for box in other.boxes]
        self.boxes += moved
        self._add(f'<g transform="translate(0 {y:.2f})">{"".join(other._elements)}</g>', y + other.height)
        return y + other.height

    def svg(
        self, *, title: str, caption: str, unit: str = "mm", page: tuple[float, float] | None = None
    ) -> str:
        """`unit`: of the sheet's size; a browser takes a bare number for 1/96 of an inch. `page`: width and
        height in mm of a page around the sheet, with even margins left, right and at the top."""
        left, width, height = 0.0, self.width, self.height + 2
        if page is not None:
            width, height = (side * POINTS_A_MM for side in page)
            left = (self.width - width) / 2
        per_unit = POINTS_A_MM if unit == "mm" else 1
        size = f'width="{width / per_unit:.2f}{unit}" height="{height / per_unit:.2f}{unit}"'
        box = f'viewBox="{left:.2f} {left:.2f} {width:.2f} {height:.2f}"'.replace("-0.00", "0")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}'
            f' font-family={quoteattr(FONT)} role="img">'
            f"<title>{_clean(title)}</title><desc>{_clean(caption)}</desc>"
            f'<rect x="{left:.2f}" y="{left:.2f}" width="100%" height="100%" fill="white"/>'
            f"{''.join(self._elements)}</svg>\n"
        )

    def _add(self, element: str, bottom: float = 0.0) -> None:
        self._elements.append(element)
        self.height = max(self.height, bottom)


def _clean(text: str) -> str:
    """XML has no place for control characters."""
    return escape("".join(letter for letter in text if letter.isprintable() or letter == NO_BREAK))


DOTS_AN_INCH = 300
_PNG = b"\x89PNG\r\n\x1a\n"
FIGURE_TYPES = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "json": "application/json",
}


def render_sheet(sheet: Sheet, kind: str, **words: Any) -> bytes:
    """The sheet as SVG, PDF or PNG, with a title and a caption."""
    if kind == "svg":
        return sheet.svg(**words).encode()
    with extra("figures"):
        import vl_convert  # brings 40 MB of V8; few processes draw

    svg = sheet.svg(**words, unit="")
    if kind == "pdf":
        return vl_convert.svg_to_pdf(svg)
    return _repacked(vl_convert.svg_to_png(svg, ppi=DOTS_AN_INCH))


def _repacked(png: bytes) -> bytes:
    """A quarter of the size: the library packs its pictures in haste."""
    chunks, at, pixels = list[tuple[bytes, bytes]](), len(_PNG), b""
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IDAT":
            pixels += content
        else:
            chunks.append((kind, content))
        at += length + 12
    # The last chunk marks the end.
    chunks.insert(-1, (b"IDAT", zlib.compress(zlib.decompress(pixels), 6)))
    return _PNG + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )
