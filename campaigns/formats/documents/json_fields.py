"""Fields of JSON objects and of tables with a header: docno, title, text, and metadata."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.formats.content_types import BINARY, HTML, PLAIN, is_content_type, kind_of
from campaigns.formats.documents.metadata import free_name, metadata_of
from campaigns.formats.documents.single import ContentTypeMismatch, checked_base64
from campaigns.formats.errors import TEXT_BYTES, ErrorList, Notices, quote
from campaigns.formats.lines import JsonRecord
from campaigns.formats.reading.json_objects import load_object
from campaigns.formats.reading.plain_text import one_line, storable
from campaigns.formats.recognition.columns import DOCNOS, TEXTS, TITLES, WRAPPERS
from campaigns.formats.topics import DocumentRecord

LONGEST_PATH = 200
_DEEPEST, _MOST_PATHS = 6, 100
# Documents after which empty ones are counted, apart from the end; and the mean length of a text.
_LOOKS, _LONG = (100, 1000), 40
_MARKED_UP = "text/html"
_MOST_LOOKED_AT, _MOST_OFFERED = 20, 50


class TextFields:
    """Reads the documents of one file; `chosen` is the path of their text, empty for the first known name.

    A file is refused if more than half of its documents would be empty while a long field is not known.
    """

    def __init__(self, errors: ErrorList, notices: Notices, chosen: str = "") -> None:
        self._errors, self._notices, self._chosen = errors, notices, chosen
        self._count = self._empty = 0
        # Where the text of the last document was.
        self.path = ""
        self._beside: Counter[str] = Counter()

    def document(self, record: JsonRecord) -> DocumentRecord | None:
        """The document of an object; None, with an error, without a docno."""
        fields, paths = flat_fields(record.fields)
        flat = JsonRecord(record.line, fields, self._errors)
        names = {_plain(name): name for name in reversed(fields)}
        docno_names = [names.get(name, name) for name in DOCNOS]
        docno = flat.identifier("docno", *docno_names)
        kind = flat.text("content_type")
        if kind and not is_content_type(kind):
            detail = f"“content_type” is not like text/plain: {quote(kind)}"
            self._errors.add(record.line, detail, "content_type")
        if not docno:
            return None
        title_name = next(
            (names[name] for name in TITLES if name in names and title_in(fields[names[name]])), ""
        )
        text_name, body, marked_up = self._text(flat, record.fields, names)
        kind = kind or (HTML if marked_up else PLAIN)
        body = self._checked(flat, text_name, body, kind)
        # A column of pandas may have no name.
        used = {flat.name_of(*docno_names), title_name, text_name, "content_type"} - {""}
        self._look(body, {paths[name]: value for name, value in fields.items() if name not in used})
        # A document without the chosen field is read as others are.
        chosen = self._chosen if text_name == self._chosen else ""
        self.path = paths.get(text_name, text_name)
        rest = {
            name: value
            for name, value in fields.items()
            if name not in used and not _is_around(paths[name], chosen, record.fields)
        }
        for path in sorted(set(_beside_text(record.fields, text_name, chosen, paths))):
            self._notices.unread(path)
        title = one_line(storable(title_in(fields[title_name]))) if title_name else ""
        return DocumentRecord(docno, title, body, kind, record.line, metadata_of(rest, (), self._notices))

    def _text(
        self, flat: JsonRecord, whole: Mapping[str, Any], names: Mapping[str, str]
    ) -> tuple[str, str, bool]:
        """Name, text and whether it is HTML."""
        if self._chosen and (text := text_in(list(values_at(whole, self._chosen)))):
            return self._chosen, storable(text), False
        known = [names[name] for name in TEXTS if name in names]
        for name in known:
            value = flat.fields[name]
            if text := text_in(value):
                return name, storable(text), _is_marked_up(value)
        # A number or true is an error of its line.
        present = flat.name_of(*(name for name in known if not isinstance(flat.fields[name], dict | list)))
        return present, flat.text(present) if present else "", False

    def _checked(self, record: JsonRecord, name: str, text: str, kind: str) -> str:
        if kind_of(kind) not in BINARY:
            if len(text) > TEXT_BYTES:
                self._errors.add(record.line, f"a text longer than {TEXT_BYTES:,} characters", name)
            return text
        try:
            return checked_base64(text, kind)
        except ContentTypeMismatch as error:
            self._errors.add(record.line, str(error), name)
            return ""

    def _look(self, body: str, rest: Mapping[str, Any]) -> None:
        self._count += 1
        if not body.strip():
            self._empty += 1
            for path, value in rest.items():
                for inner, text in text_paths(value, path):
                    # New paths of short texts would fill the room of long ones.
                    if inner in self._beside or (len(text) >= _LONG and len(self._beside) < _MOST_PATHS):
                        self._beside[inner] += len(text)
        if self._count in _LOOKS:
            self.refuse_if_empty()

    def refuse_if_empty(self) -> None:
        """Raise an error if most documents so far would be empty beside a long field."""
        if 2 * self._empty <= self._count or not self._beside:
            return
        path, size = self._beside.most_common(1)[0]
        if size < _LONG * self._empty:
            return
        shown = quote(path).strip("'")
        detail = (
            f"{self._empty:,} of {self._count:,} documents would be empty beside the field “{shown}”: choose "
            "it as the text (text_field in a request, --text-field in a command), or rename it “text”"
        )
        self._notices.add("refused: documents would be empty", detail, count=self._empty)
        raise self._errors.stopped(None, detail, "text_field")


@dataclass
class TextChoice:
    """Fields among which an organiser chooses the text of JSON documents: paths, with a value each."""

    chosen: str
    texts: dict[str, str]
    read: str = ""

    def look(self, head: bytes) -> None:
        """Find the fields of a file's first objects."""
        reader = TextFields(ErrorList(""), Notices(), self.chosen)
        for number, line in enumerate(head.split(b"\n")[:_MOST_LOOKED_AT]):
            try:
                fields = load_object(line)
            # Of a line that the head cuts off, and of one that is no object, the reader says so.
            except ValueError:
                continue
            reader.document(JsonRecord(number, fields, ErrorList("")))
            self.read = self.read or reader.path
            for path, text in text_paths(fields, ""):
                if len(self.texts) < _MOST_OFFERED and len(path) <= LONGEST_PATH:
                    self.texts.setdefault(path, text)
        if self.read and self.read not in self.texts:
            self.texts[self.read] = ""


def _beside_text(whole: Mapping[str, Any], name: str, chosen: str, paths: Mapping[str, str]) -> Iterator[str]:
    """Paths of what stands beside a text that is deep inside an object."""
    if chosen:
        yield from _beside(whole, chosen, {*paths.values()})
        yield from _inner_paths(list(values_at(whole, chosen)), chosen)
    elif name:
        yield from _inner_paths(list(values_at(whole, paths.get(name, name))), paths.get(name, name))


def _is_around(path: str, chosen: str, whole: Mapping[str, Any]) -> bool:
    """True for the chosen field itself, and for an object that holds it."""
    return bool(chosen) and (path == chosen or (chosen not in whole and chosen.startswith(f"{path}.")))


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def flat_fields(whole: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Fields with those of wrapping objects, and the path of each. One whose name is taken has its path."""
    fields: dict[str, Any] = {}
    paths: dict[str, str] = {}
    for name, value in whole.items():
        if not (name in WRAPPERS and isinstance(value, dict)):
            fields[name], paths[name] = value, name
    for wrapper in WRAPPERS:
        inner = whole.get(wrapper)
        for name, value in inner.items() if isinstance(inner, dict) else ():
            path = f"{wrapper}.{name}"
            key = free_name(path, fields) if name in fields else name
            fields[key], paths[key] = value, path
    return fields, paths


def text_in(value: Any) -> str:
    """Text of a value: a string, a list of such, or objects with a field of a known name; else empty."""
    if isinstance(value, str):
        return value if value.strip() else ""
    if isinstance(value, list):
        if any(_is_marked_up(one) for one in value):
            return "\n".join(f"<p>{_as_html(one)}</p>" for one in value if text_in(one))
        return "\n\n".join(text for one in value if (text := text_in(one)))
    if isinstance(value, dict):
        return next(
            (text for name in TEXTS if isinstance(value.get(name), str) and (text := value[name])), ""
        )
    return ""


def title_in(value: Any) -> str:
    """A string, or a list of strings as one; else empty."""
    strings = value if isinstance(value, list) else [value]
    return ", ".join(strings).strip() if all(isinstance(one, str) for one in strings) else ""


def _is_marked_up(value: Any) -> bool:
    """True for parts of an article of which some are HTML, as those of the Washington Post."""
    if isinstance(value, list):
        return any(_is_marked_up(one) for one in value)
    return isinstance(value, dict) and value.get("mime") == _MARKED_UP


def _as_html(value: Any) -> str:
    text = text_in(value)
    return text if _is_marked_up(value) else html.escape(text)


def values_at(value: Any, path: str) -> Iterator[Any]:
    """Values at a path such as `pages.text`: through lists, and names may hold dots."""
    if isinstance(value, list):
        for one in value:
            yield from values_at(one, path)
    elif isinstance(value, dict):
        step = _step(value, path)
        if step is not None and step == path:
            yield value[step]
        elif step is not None:
            yield from values_at(value[step], path[len(step) + 1 :])


def _step(value: Mapping[str, Any], path: str) -> str | None:
    """The name in an object with which a path goes on: the whole path, or else its shortest beginning."""
    parts = path.split(".")
    beginnings = (".".join(parts[:cut]) for cut in range(1, len(parts)))
    return path if path in value else next((name for name in beginnings if name in value), None)


def text_paths(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Paths of strings with several words, or in a script without blanks, and a text of each."""
    if isinstance(value, str):
        if " " in value.strip() or (value and not value.isascii()):
            yield path, value
    elif depth < _DEEPEST and isinstance(value, list):
        texts: dict[str, list[str]] = {}
        for one in value[:_MOST_PATHS]:
            for inner, text in text_paths(one, path, depth + 1):
                texts.setdefault(inner, []).append(text)
        yield from ((inner, "\n\n".join(some)) for inner, some in texts.items())
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, one in list(value.items())[:_MOST_PATHS]:
            yield from text_paths(one, f"{path}.{name}" if path else name, depth + 1)


def _beside(value: Any, rest: str, known: Collection[str], path: str = "") -> Iterator[str]:
    """Paths of values beside those that `values_at` gives for `rest`, in the lists and objects that hold
    them; `known` are read as metadata."""
    if isinstance(value, list):
        for one in value:
            yield from _beside(one, rest, known, path)
    elif isinstance(value, dict):
        step = _step(value, rest)
        for name, one in value.items():
            inner = f"{path}.{name}" if path else name
            if name == step:
                yield from _beside(one, rest[len(name) + 1 :], known, inner) if name != rest else ()
            elif path and inner not in known:
                yield inner
    elif value not in (None, ""):
        yield f"{path} (single values)"


def _inner_paths(value: Any, path: str) -> Iterator[str]:
    """Paths of fields beside the texts of a list of objects."""
    if isinstance(value, list):
        for one in value:
            yield from _inner_paths(one, path)
    elif isinstance(value, dict):
        read = next((name for name in TEXTS if isinstance(value.get(name), str) and value[name]), "")
        yield from (
            f"{path}.{name}" for name, one in value.items() if name != read and one not in (None, "", [])
        )
    elif value is not None and not isinstance(value, str):
        yield f"{path} (numbers)"
