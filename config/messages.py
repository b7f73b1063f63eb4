"""The catalogues of translations: strings are drawn from the sources, put into `locale/`, and compiled.

`make messages` brings every catalogue up to date. A development tool: it needs Babel, a server does not.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE_FOLDER = ROOT / "locale"
TRANSLATED_LANGUAGES = ("de",)
# One catalogue a domain: what the server says, and what the scripts of either side of the site say.
SOURCES = {
    "django": [
        "assess/**/*.py",
        "campaigns/**/*.py",
        "config/**/*.py",
        "templates/**/*.html",
        "templates/**/*.txt",
    ],
    "assess": ["static/assess/**/*.js", "static/site/**/*.js"],
    "campaigns": ["static/campaigns/**/*.js"],
}
KEYWORDS: dict[str, Any] = {
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
    "_": None,
}
PO_WIDTH = 110
# Headers that would change with every run, or say nothing.
DROPPED_HEADERS = (
    "Project-Id",
    "Report-Msgid",
    "POT-Creation",
    "PO-Revision",
    "Last-Trans",
    "Language-Team",
    "Generated",
)
FIXED_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def extract_catalogue(domain: str) -> Catalog:
    """Every string of the domain that the sources mark as translatable."""
    catalog = Catalog(charset="utf-8")
    for place in _files(SOURCES[domain]):
        for _, message, comments, context in _strings(place):
            where = [(place.relative_to(ROOT).as_posix(), 1)]
            catalog.add(message, None, where, auto_comments=comments, context=context)
    return catalog


def update_catalogue(language: str, domain: str) -> Catalog:
    """The domain's catalogue as it should be: of its translations those that are still asked for."""
    place = po_file(language, domain)
    catalog = Catalog(locale=language)
    if place.exists():
        with place.open("rb") as file:
            catalog = read_po(file, locale=language, domain=domain)
    catalog.update(extract_catalogue(domain), no_fuzzy_matching=True)
    catalog.fuzzy = False
    catalog.header_comment = f"# {domain}: {language}"
    catalog.creation_date = catalog.revision_date = FIXED_TIME
    return catalog


def as_po(catalog: Catalog) -> bytes:
    written = io.BytesIO()
    write_po(written, catalog, PO_WIDTH, ignore_obsolete=True, sort_by_file=True, include_lineno=False)
    lines = written.getvalue().decode().splitlines(keepends=True)
    return "".join(
        line for line in lines if not line.startswith(tuple(f'"{name}' for name in DROPPED_HEADERS))
    ).encode()


def as_mo(catalog: Catalog) -> bytes:
    written = io.BytesIO()
    write_mo(written, catalog)
    return written.getvalue()


def po_file(language: str, domain: str) -> Path:
    return LOCALE_FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def missing_translations(catalog: Catalog) -> list[str]:
    """Messages that a catalogue does not translate."""
    return [str(message.id) for message in catalog if message.id and not _is_whole(message.string)]


def _is_whole(text: str | Iterable[str] | None) -> bool:
    return bool(text) and (isinstance(text, str) or all(text or ()))


def _files(patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(ROOT.glob(pattern))


def _strings(place: Path) -> Iterator[tuple[int, Any, list[str], str | None]]:
    source = place.read_text()
    kind = "javascript" if place.suffix == ".js" else "python"
    if place.suffix in (".html", ".txt"):
        # Django's own reading of a template: calls of gettext amid words without meaning.
        source = "\n".join(line.strip() for line in templatize(source, origin=str(place)).splitlines())
    options = {"parse_template_string": "true"}
    return extract(
        kind,
        io.BytesIO(source.encode()),
        KEYWORDS,
        comment_tags=("Translators:",),
        options=options,
        strip_comment_tags=True,
    )


def main() -> int:
    lacking = 0
    for language in TRANSLATED_LANGUAGES:
        for domain in SOURCES:
            catalog = update_catalogue(language, domain)
            place = po_file(language, domain)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(as_po(catalog))
            place.with_suffix(".mo").write_bytes(as_mo(catalog))
            missing = missing_translations(catalog)
            lacking += len(missing)
            print(f"{place.relative_to(ROOT)}: {len(catalog)} strings, {len(missing)} to be translated")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
