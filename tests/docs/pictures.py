"""Make the pictures of docs/: `make pictures`.

Diagrams are drawn by hand, light, in docs/pictures/*.svg; their dark copies are made here.
"""

from __future__ import annotations

from pathlib import Path

from config.embedded.machine import PROJECT

FOLDER = PROJECT / "docs" / "pictures"
# The colours of static/site/tokens.css, light and dark.
COLOURS = {
    "#ffffff": "#191d23",
    "#171a20": "#eceae5",
    "#565c67": "#a7adb7",
    "#e2dfd6": "#2c3138",
    "#1d5ca6": "#7fb2ec",
    "#cadcf0": "#284463",
}


def diagrams() -> list[Path]:
    return [file for file in sorted(FOLDER.glob("*.svg")) if not file.stem.endswith("-dark")]


def dark_copy(svg: str) -> str:
    for light, dark in COLOURS.items():
        svg = svg.replace(light, dark)
    return svg


def make_dark_diagrams() -> None:
    for file in diagrams():
        file.with_stem(f"{file.stem}-dark").write_text(dark_copy(file.read_text()))


if __name__ == "__main__":
    make_dark_diagrams()
