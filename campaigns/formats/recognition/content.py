"""The kind and layout of a file by the beginning of its unpacked content, never by its name.

Topics and documents share three layouts: tab-separated lines, JSON lines and SMART items. There the names of
fields and the length of the texts decide, and the answer is not certain: readers take such a file as either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from statistics import median
from typing import Any

from campaigns.formats.compressed_files import what_is_not_unpacked
from campaigns.formats.errors import ErrorList
from campaigns.formats.lines import GRADE
from campaigns.formats.recognition.column_names import listed_names
from campaigns.formats.recognition.columns import (
    QRELS_HEADER,
    RUN_HEADER,
    is_header,
    table_kinds,
)
from campaigns.formats.recognition.tables import TOPIC_WORDS, of_columns, table_in


class Kind(StrEnum):
    """Content of a file, worded for a sentence: “this looks like a qrels file”."""

    RUN = "run"
    QRELS = "qrels"
    PRELS = "prels"
    SAMPLED_QRELS = "sampled qrels"
    TRAINING = "training"
    TOPICS = "topics"
    DOCUMENTS = "documents"
    # One document as a file of its own: its name would be the docno.
    DOCUMENT = "document"
    ARCHIVE = "archive"
    BUNDLE = "bundle"
    UNKNOWN = "unknown"


class Layout(StrEnum):
    """Layout of topics, documents or an archive in a file."""

    COLUMNS = "columns"
    TREC = "TREC"
    XML = "XML"
    JSON = "JSON lines"
    TABS = "tab-separated lines"
    SMART = "SMART"
    WARC = "WARC"
    ZIP = "zip"
    TAR = "tar"
    CSV = "comma-separated values"
    SEMICOLONS = "values separated by semicolons"
    TABLE = "columns of a table"
    JSON_LIST = "a JSON list"
    JSON_TREE = "nested JSON"
    PARQUET = "Parquet"
    ARROW = "Arrow"


# Only their readers see which columns they have.
BINARY_TABLES = frozenset({Layout.PARQUET, Layout.ARROW})
# No reader takes these as they are: they are converted to lines first.
TABLES = frozenset(
    {
        Layout.CSV,
        Layout.SEMICOLONS,
        Layout.TABLE,
        Layout.JSON_LIST,
        Layout.JSON_TREE,
        *BINARY_TABLES,
    }
)


@dataclass(frozen=True)
class Recognition:
    """`words` name what was found (“a run file”); `certain` is False where a reader of another kind can take
    the file as well."""

    kind: Kind
    words: str
    layout: Layout | None = None
    certain: bool = True
    columns: tuple[str, ...] = ()


_WORDS = {
    Kind.RUN: "a run file",
    Kind.QRELS: "a qrels file",
    Kind.PRELS: "a prels file",
    Kind.SAMPLED_QRELS: "a file of sampled qrels",
    Kind.TRAINING: "a file of training items",
    Kind.TOPICS: "a topics file",
    Kind.DOCUMENTS: "a file of documents",
    Kind.BUNDLE: "a bundle of a whole campaign",
}
# Of these a name may still say more: of Markdown, all lines may begin with #.
PROSE = ("plain text", "a file of comments alone")
DESCRIPTION = "a description of a dataset, which holds no data"
_WANTED = {
    Kind.RUN: "a run (topic Q0 docno rank score tag)",
    Kind.QRELS: "qrels (topic iteration docno grade)",
    Kind.TOPICS: "topics",
}

_IMAGES: tuple[Callable[[bytes], bool], ...] = (
    lambda head: head.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")),
    lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP",
    lambda head: head[4:12] in (b"ftypavif", b"ftypheic"),
)
# Beside data, libraries of Hugging Face write what is in a dataset, and where.
_FEATURE = re.compile(rb'"_type"\s*:\s*"(?:Value|ClassLabel|Sequence|List|LargeList|Image|Translation)"')
_SPLITS = re.compile(rb'\{\s*"splits"\s*:\s*\[[^\[\]{}:]*\]\s*\}\s*\Z')
_TABLE_MAGIC = {b"PAR1": Layout.PARQUET, b"ARROW1": Layout.ARROW, b"\xff\xff\xff\xff": Layout.ARROW}
_TAGS: tuple[tuple[re.Pattern[bytes], Kind, Layout | None, str], ...] = (
    (re.compile(rb"<topic\b", re.IGNORECASE), Kind.TOPICS, Layout.XML, ""),
    (re.compile(rb"<(?:[a-z]{2}-)?top\b", re.IGNORECASE), Kind.TOPICS, Layout.TREC, ""),
    (re.compile(rb"<DOC\b", re.IGNORECASE), Kind.DOCUMENTS, Layout.TREC, ""),
    (re.compile(rb"<(?:!DOCTYPE\s+html|html)\b", re.IGNORECASE), Kind.DOCUMENT, None, "an HTML page"),
    (re.compile(rb"<(?:\w+:)?svg\b", re.IGNORECASE), Kind.DOCUMENT, None, "an image"),
)
_SAMPLE_LINES = 50
_LONGEST_HEADER = 1 << 10
_NUMBER = re.compile(rb"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z")
_PREL_METHODS = (b"0", b"1", b"2", b"4")
_ITERATIONS = (b"0", b"Q0", b"q0")
_TOPIC_KEYS = {
    *("number", "num", "topic", "topic_id", "qid", "query_id", "query", "question", "narrative"),
    *("narr", "description", "desc"),
}
_DOCUMENT_KEYS = {
    *("docno", "doc_id", "docid", "cord_uid", "pid", "passage_id", "body", "content", "contents", "abstract"),
    *("segment", "passage", "paragraph", "chunk", "content_type", "headings", "headline", "_source"),
}
_TOPIC_FIELD = re.compile(r'"([^"\\]{1,40})"\s*:')


def recognise(head: bytes) -> Recognition:
    """Recognise a file.

    Parameters
    ----------
    head : the first bytes of the unpacked file, some kilobytes; its last line may be cut off.

    Examples
    --------
    >>> recognise(b"401 0 LA010189-0001 1\\n").words
    'a qrels file'
    >>> recognise(b"401 Q0 LA010189-0001 1 14.2 bm25\\n").kind
    <Kind.RUN: 'run'>
    >>> found = recognise(b"401\\tforeign minorities in Germany\\n")
    >>> found.kind.value, found.layout.value, found.certain
    ('topics', 'tab-separated lines', False)
    """
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        return Recognition(Kind.UNKNOWN, "an empty file")
    if found := _by_signature(head):
        return found
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"WARC/"):
        return Recognition(Kind.DOCUMENTS, "a WARC file", Layout.WARC)
    if text.startswith(b"<"):
        return _by_tags(text)
    if text.startswith(b"{") and _describes_dataset(text):
        return Recognition(Kind.UNKNOWN, DESCRIPTION)
    if found := _by_trec_columns(text) or _table(text):
        return found
    if text.startswith((b"{", b"[")):
        return _by_fields(text)
    if re.match(rb"\.I\b", text):
        return _by_smart_items(text)
    return _by_columns(text)


def refuse_other_kind(found: Recognition, wanted: Kind, errors: ErrorList) -> None:
    """Raises `FormatError` if the file certainly is of another known kind, or JSON in place of columns."""
    has_columns = wanted in (Kind.RUN, Kind.QRELS)
    # JSON of a layout is converted.
    is_other_json = has_columns and found.layout is None and "JSON" in found.words
    if not is_other_json and (not found.certain or found.kind in (wanted, Kind.UNKNOWN)):
        return
    way_out = "a collection of many documents"
    if wanted is Kind.DOCUMENTS and found.kind is Kind.DOCUMENT:
        way_out += "; a document by itself has a name that says so (.html, .md, .pdf, .png …)"
    raise errors.stopped(1, f"this looks like {found.words}, not {_WANTED.get(wanted, way_out)}")


def _table(text: bytes) -> Recognition | None:
    """Rows under names of columns, nested JSON, or three columns. Values show the kind, so that none is
    certain."""
    found = table_in(text.decode("utf-8", "replace"))
    # Topics and documents between tabs have readers.
    if found is None or (found.layout == Layout.TABS and found.kind not in (Kind.RUN, Kind.QRELS)):
        return None
    kind = Kind(found.kind) if found.kind else Kind.UNKNOWN
    layout = Layout(found.layout) if found.layout else None
    return Recognition(kind, found.words, layout, certain=False, columns=found.columns)


def with_columns(found: Recognition, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Recognition:
    """Recognise a Parquet or Arrow file by its columns."""
    guess = of_columns(names, rows, str(found.layout))
    kind = Kind(guess.kind) if guess.kind else Kind.UNKNOWN
    words = guess.words if guess.kind else f"{found.words} with the columns {listed_names(names)}"
    return Recognition(kind, words, found.layout, certain=False, columns=guess.columns)


def _known(kind: Kind, layout: Layout | None, *, certain: bool = True) -> Recognition:
    return Recognition(kind, _WORDS[kind], layout, certain)


def _by_signature(head: bytes) -> Recognition | None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Recognition(Kind.UNKNOWN, "UTF-16 text, which is not read: save it as UTF-8")
    if any(is_image(head) for is_image in _IMAGES):
        return Recognition(Kind.DOCUMENT, "an image")
    if b"%PDF-" in head[:1024]:
        return Recognition(Kind.DOCUMENT, "a PDF")
    for magic, layout in _TABLE_MAGIC.items():
        if head.startswith(magic):
            words = f"{'an' if layout is Layout.ARROW else 'a'} {layout} file"
            return Recognition(Kind.UNKNOWN, words, layout, certain=False)
    if reason := what_is_not_unpacked(head):
        return Recognition(Kind.UNKNOWN, reason)
    if b"\0" in head[:4096]:
        return Recognition(Kind.UNKNOWN, "binary data")
    return None


def _describes_dataset(text: bytes) -> bool:
    is_state = b'"_fingerprint"' in text and b'"_data_files"' in text
    has_features = b'"features"' in text and _FEATURE.search(text)
    return is_state or bool(has_features or _SPLITS.match(text))


def _by_tags(text: bytes) -> Recognition:
    found = [(at.start(), row) for row in _TAGS if (at := row[0].search(text))]
    if not found:
        return Recognition(Kind.UNKNOWN, "XML of an unknown kind")
    _, (_, kind, layout, words) = min(found, key=lambda pair: pair[0])
    return Recognition(kind, words, layout) if words else _known(kind, layout)


def _by_fields(text: bytes) -> Recognition:
    if re.match(rb"\[\s*\{", text):
        # Its first object is longer than the head.
        return Recognition(Kind.UNKNOWN, Layout.JSON_LIST, Layout.JSON_LIST, certain=False)
    if text.startswith(b"["):
        return Recognition(Kind.UNKNOWN, "a JSON list; write one object a line")
    records = [_fields_of(line) for line in islice(_lines(text), _SAMPLE_LINES)]
    names = set().union(*records)
    if names & _TOPIC_KEYS and not names & _DOCUMENT_KEYS:
        return _known(Kind.TOPICS, Layout.JSON, certain=False)
    if names & _DOCUMENT_KEYS:
        return _known(Kind.DOCUMENTS, Layout.JSON, certain=False)
    if {"title", "text"} <= names:
        return _known(Kind.DOCUMENTS, Layout.JSON, certain=False)
    values = [fields.get("text", fields.get("title")) for fields in records]
    texts = [value.split() for value in values if isinstance(value, str)]
    # A line longer than the head is no topic.
    kind = Kind.DOCUMENTS if len(texts) < len(records) else _kind_by_length(texts)
    return _known(kind, Layout.JSON, certain=False)


def _fields_of(line: bytes) -> dict[str, Any]:
    """The line's fields; of an object that the head cuts off the names alone."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return dict.fromkeys(_TOPIC_FIELD.findall(line.decode("utf-8", "replace")))
    return value if isinstance(value, dict) else {}


def _by_smart_items(text: bytes) -> Recognition:
    """Queries have words alone; documents have a title, an author or a source as well."""
    if re.search(rb"^\.[TAB][ \t]*\r?$", text, re.MULTILINE):
        return _known(Kind.DOCUMENTS, Layout.SMART, certain=False)
    items = re.split(rb"^\.I\b.*$", text, flags=re.MULTILINE)[1:]
    return _known(_kind_by_length([item.split() for item in items]), Layout.SMART, certain=False)


def _by_columns(text: bytes) -> Recognition:
    lines = list(islice(_lines(text), _SAMPLE_LINES))
    words = [_words_of(line) for line in lines]
    if not lines:
        return Recognition(Kind.UNKNOWN, PROSE[1])
    if header := _by_header(lines):
        return header
    if _most((line[1:2] == [b"Q0"] for line in words), len(lines)):
        # Its reader says which columns are missing.
        return _known(Kind.RUN, Layout.COLUMNS)
    if b"\t" in lines[0]:
        return _by_tabs(lines)
    widths = {len(line) for line in words}
    if len(lines) > 1 and len({line.count(b",") for line in lines}) == 1 and b"," in lines[0]:
        return Recognition(Kind.UNKNOWN, "comma-separated values")
    if len(widths) == 1 and 1 < (width := widths.pop()) < 8:
        return Recognition(Kind.UNKNOWN, f"lines of {width} columns, which are neither a run nor qrels")
    return Recognition(Kind.UNKNOWN, PROSE[0])


def _words_of(line: bytes) -> list[bytes]:
    """The columns of a line; none where blanks stand between tabs, as in `7\\tcovid in 2020`."""
    words = line.split()
    fields = line.split(b"\t")[:5]
    return [] if len(fields) > 1 and any(len(field.split()) > 1 for field in fields) else words


def _most(fitting: Iterable[bool], lines: int) -> bool:
    """Half of the lines at least: broken ones must not hide what the others are."""
    return 2 * sum(fitting) >= lines


def _is_run_line(words: list[bytes]) -> bool:
    """topic Q0 docno rank score tag; after the tag there may be more, where the second column is as usual."""
    fits = len(words) >= 6 and words[3].isdigit() and _NUMBER.match(words[4]) is not None
    return fits and (len(words) == 6 or words[1] in _ITERATIONS)


_COLUMNS: dict[Kind, Callable[[list[bytes]], bool]] = {
    Kind.RUN: _is_run_line,
    # Its reader says which of the decimals are no grades.
    Kind.QRELS: lambda words: (
        len(words) == 4
        and bool(GRADE.match(words[3]) or (words[1] in _ITERATIONS and _NUMBER.match(words[3])))
    ),
    Kind.SAMPLED_QRELS: lambda words: (
        len(words) == 5
        and words[1] in _ITERATIONS
        and words[3].isdigit()
        and GRADE.match(words[4]) is not None
    ),
    Kind.PRELS: lambda words: (
        len(words) == 5
        and GRADE.match(words[2]) is not None
        and words[3] in _PREL_METHODS
        and (words[4] == b"NA" or _NUMBER.match(words[4]) is not None)
    ),
}


def _by_tabs(lines: Sequence[bytes]) -> Recognition:
    rows = [line.split(b"\t") for line in lines]
    if _most(map(_is_training_row, rows), len(rows)):
        return _known(Kind.TRAINING, Layout.TABS)
    if _most((len(row) > 2 and _NUMBER.match(row[-1].strip()) is not None for row in rows), len(rows)):
        return Recognition(Kind.UNKNOWN, "a table of figures, as trec_eval prints it")
    widths = {len(row) for row in rows}
    if widths == {4} and _most((row[1].startswith((b"http:", b"https:")) for row in rows), len(rows)):
        return _known(Kind.DOCUMENTS, Layout.TABS, certain=False)
    if widths == {4}:
        return _known(Kind.TOPICS, Layout.TABS, certain=False)
    return _known(_kind_by_length([row[-1].split() for row in rows]), Layout.TABS, certain=False)


def _by_trec_columns(text: bytes) -> Recognition | None:
    """Columns of TREC in their order, also under a line of their names. Commas in them separate nothing."""
    lines = list(islice(_lines(text), _SAMPLE_LINES))
    for kind, columns in ((Kind.RUN, RUN_HEADER), (Kind.QRELS, QRELS_HEADER)):
        if lines and is_header(lines[0][:_LONGEST_HEADER].split(), columns):
            return _known(kind, Layout.COLUMNS)
    if lines and _by_header(lines):
        return None
    words = [_words_of(line) for line in lines]
    fitting = [kind for kind, fits in _COLUMNS.items() if lines and _most(map(fits, words), len(lines))]
    return _known(fitting[0], Layout.COLUMNS) if fitting else None


def _by_header(lines: Sequence[bytes]) -> Recognition | None:
    """A table whose first line names its columns. Where topics and documents have such names, the longest
    text of each row decides."""
    topics, documents = table_kinds(lines[0])
    if not (topics or documents):
        return None
    kind = Kind.TOPICS if topics else Kind.DOCUMENTS
    if topics and documents:
        kind = _kind_by_length([max((c.split() for c in row.split(b"\t")), key=len) for row in lines[1:]])
    return _known(kind, Layout.TABS, certain=False)


def _is_training_row(row: list[bytes]) -> bool:
    return len(row) == 4 and len(row[0].split()) == len(row[1].split()) == 1 and row[2].strip().isdigit()


def _kind_by_length(texts: Sequence[Sequence[object]]) -> Kind:
    return Kind.TOPICS if not texts or median(map(len, texts)) <= TOPIC_WORDS else Kind.DOCUMENTS


def _lines(text: bytes) -> list[bytes]:
    """Lines with words, comments left out, and without the last where the head cuts it off."""
    lines = text.split(b"\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    return [line for line in whole if line.strip() and not line.startswith(b"#")]
