"""Configuration of Sphinx: the pages of docs/ as a site of their own, with a reference of the library.

`make documentation` builds it. Pages keep the anchors by which they link to each other on GitHub.
"""

from __future__ import annotations

import ast
import atexit
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from distribution.build_hook import write_library  # noqa: E402  the repository is on the path now

# The library by the names that an installation has.
LIBRARY = tempfile.mkdtemp(prefix="judged-")
atexit.register(shutil.rmtree, LIBRARY)
write_library(ROOT, Path(LIBRARY))
sys.path.insert(0, LIBRARY)

project = "Assess"
author = "the authors of Assess"
with (ROOT / "pyproject.toml").open("rb") as file:
    version = release = str(tomllib.load(file)["project"]["version"])

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
# Anchors as on GitHub.
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]
autodoc_mock_imports = ["pyterrier", "ir_measures"]
autodoc_default_options = {"members": True, "member-order": "bysource"}
# Types and shapes of parameters stay as they are written: "ndarray of float64, shape (topics,)".
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
autodoc_type_aliases = {name: name for name in ("FloatArray", "IntArray", "BoolArray", "Ids", "Scores")}
html_theme = "furo"
html_title = f"{project} {version}"
html_show_copyright = False
html_copy_source = False
templates_path = ["templates"]
html_sidebars = {
    "**": [
        *(
            "sidebar/brand.html",
            "sidebar/search.html",
            "sidebar/scroll-start.html",
            "sidebar/navigation.html",
        ),
        *("versions.html", "sidebar/scroll-end.html"),
    ]
}
# Types of one name in several modules: the nearest is meant.
suppress_warnings = ["ref.python"]

# Where the reference lies, and the packages that it shows: all modules of a package and of those below.
REFERENCE = "reference"
PACKAGES = ("judged.evaluation", "judged.selection")
# Tools for the makers of the methods.
LEFT_OUT = ("judged.selection.calibration", "judged.selection.studies")
# The functions for notebooks, and modules that need another package.
SURFACE = {"judged": ["judged", "judged.ir_measures", "judged.pyterrier"]}
# Files outside docs/ that a page offers.
ATTACHED = "files"
_ENTRY = re.compile(r"\[([^\]]+)\]\(([^)]+)\.md\)")
_FIELD = re.compile(r"^(\w+(?:, \w+)*) : ")
_OUTSIDE = re.compile(r"\]\(\.\./((?!README\.md)[^)\s#]+)\)")
_PICTURE = re.compile(
    r"<picture>\s*<source[^>]*srcset=\"(?P<dark>[^\"]+)\"[^>]*>\s*"
    r"<img alt=\"(?P<words>[^\"]*)\" src=\"(?P<light>[^\"]+)\">\s*</picture>"
)


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_reference)
    # Before napoleon reads the sections.
    app.connect("autodoc-process-docstring", mark_fields, priority=400)
    app.connect("source-read", adapt_page)
    app.connect("build-finished", write_indexes)


def write_reference(app: Sphinx) -> None:
    """Write a page for each package of modules."""
    folder = Path(app.srcdir) / REFERENCE
    folder.mkdir(exist_ok=True)
    for package, modules in packages():
        title = f"{package}\n{'=' * len(package)}\n"
        parts = [f"{module}\n{'-' * len(module)}\n\n.. automodule:: {module}\n" for module in modules]
        _write(folder / f"{package}.rst", "\n".join([title, *parts]))


def packages() -> Iterator[tuple[str, list[str]]]:
    """The packages with modules that state their purpose, and these modules."""
    yield from SURFACE.items()
    for package in PACKAGES:
        top = Path(LIBRARY, *package.split("."))
        for folder in sorted({file.parent for file in top.rglob("*.py")}):
            name = ".".join(folder.relative_to(LIBRARY).parts)
            files = [one for one in sorted(folder.glob("*.py")) if one.stem != "__init__"]
            modules = [f"{name}.{one.stem}" for one in files if _has_docstring(one)]
            if modules and not name.startswith(LEFT_OUT):
                yield name, modules


def mark_fields(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Mark the fields that the docstring of a class lists, `name : meaning` a line, as a list of fields."""
    if what != "class":
        return
    end = next((n for n, line in enumerate(lines) if n and line and set(line) == {"-"}), len(lines))
    marked = list[str]()
    for line in lines[:end]:
        within = bool(marked) and marked[-1].startswith((":ivar ", " "))
        field = _FIELD.sub(r":ivar \1: ", line)
        is_first, is_after = field != line and not within, field == line and within
        if marked and marked[-1] and line and (is_first or (is_after and not line.startswith(" "))):
            marked.append("")
        marked.append(field)
    lines[:end] = marked


def adapt_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Show pictures in the theme that is chosen, and add the navigation to the contents."""
    if "/" not in page:
        source[0] = _OUTSIDE.sub(lambda link: f"](/{_attached(app, link[1])})", source[0])
    source[0] = _PICTURE.sub(
        r"![\g<words>](\g<light>){.only-light}![\g<words>](\g<dark>){.only-dark}", source[0]
    )
    if page == root_doc:
        source[0] += "".join(_navigation(source[0]))


def _attached(app: Sphinx, file: str) -> str:
    """The place of a copy of this file of the repository beside the pages that offer it."""
    copy = Path(app.srcdir) / ATTACHED / Path(file).name
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(ROOT / file, copy)
    return f"{ATTACHED}/{copy.name}"


def _navigation(contents: str) -> Iterator[str]:
    for part in contents.split("\n## ")[1:]:
        title, _, links = part.partition("\n")
        entries = "\n".join(f"{words} <{target}>" for words, target in _ENTRY.findall(links))
        yield _tree(title.strip(), entries)
    yield _tree("Library reference", "\n".join(f"{REFERENCE}/{name}" for name, _ in packages()))


def _tree(caption: str, entries: str) -> str:
    return f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```\n"


def write_indexes(app: Sphinx, error: Exception | None) -> None:
    """Lead from the version's folder to its contents, and from the folder of all versions to each."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir)
        contents = f"{root_doc}.html"
        head = f'<meta http-equiv="refresh" content="0; url={contents}">'
        (folder / "index.html").write_text(_page(project, head), encoding="utf-8")
        built = sorted((one.parent.name for one in folder.parent.glob(f"*/{contents}")), key=_by_number)
        links = "".join(f'<li><a href="{name}/{contents}">{project} {name}</a>' for name in reversed(built))
        (folder.parent / "index.html").write_text(_page(f"{project}: versions", f"<ul>{links}</ul>"))


def _page(title: str, content: str) -> str:
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    return f'<!doctype html><html lang="en">{head}<title>{title}</title>{content}\n'


def _by_number(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]


def _has_docstring(file: Path) -> bool:
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) is not None


def _write(file: Path, text: str) -> None:
    """Leave a file that is up to date as it is, so that Sphinx does not read it again."""
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
