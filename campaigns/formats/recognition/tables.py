"""The kind and layout of a table by the beginning of its text: names of columns first, values second."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import IO, Any, NamedTuple

from campaigns.formats.recognition.column_names import NAMES, Role, is_header, is_ranked, plain
from campaigns.formats.recognition.columns import DOCNOS, TEXTS
from evaluation.extras import extra

_SAMPLE_LINES = 50
# A need is said in a sentence or two; a document of so few words is rare.
TOPIC_WORDS = 35
_TEXTS = {plain(name) for name in TEXTS} | {"title", "headline"}
_DOCNOS = ({plain(name) for name in DOCNOS} | {*NAMES["docno"]}) - {"id"}
# Topics have texts of these names as well.
_OF_BOTH = {"text", "title", "description", "summary"}
MOST_DEPTH = 32
# Grades are few and small; scores seldom are.
_HIGHEST_GRADE = 10
_WHOLE = re.compile(r"[+-]?\d{1,9}(\.0*)?\Z")
# Names of figures with which lines of trec_eval begin.
_FIGURE = re.compile(
    r"(num_|map|gm_|Rprec|bpref|recip_rank|iprec_|P_?\d|ndcg|recall_|inf|runid|set_|success_|11pt|relstring|prefs)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z")
_DELIMITERS = {
    "\t": "tab-separated lines",
    ",": "comma-separated values",
    ";": "values separated by semicolons",
}
_BLANKS = "columns of a table"
_WORDS = {
    "run": "a run",
    "qrels": "qrels",
    "topics": "topics",
    "documents": "documents",
}


class BrokenJson(ValueError):
    """Text that is no JSON, breaks off, or has objects in each other without end."""


class Guess(NamedTuple):
    """`kind` is run, qrels, topics or documents, or empty where columns do not show it. What has no layout is
    not read."""

    kind: str
    layout: str
    words: str
    columns: tuple[str, ...] = ()


def table_in(text: str) -> Guess | None:
    """The table with whose rows a text begins; None if it is none. The last line may be cut off.

    Examples
    --------
    >>> table_in("query-id\\tcorpus-id\\tscore\\n1\\td7\\t2\\n").words
    'qrels in tab-separated lines (query-id, corpus-id, score)'
    >>> table_in('{"q1": {"d7": 14.25}}').words
    'a run in nested JSON'
    """
    if text.startswith("{"):
        return _tree(text) or _objects(text)
    if text.startswith("["):
        return _list(text)
    lines = [line.rstrip("\r") for line in text.split("\n") if line.strip() and not line.startswith("#")]
    whole = (
        lines[: _SAMPLE_LINES + 1]
        if text.endswith("\n") or len(lines) == 1
        else lines[:-1][: _SAMPLE_LINES + 1]
    )
    return _by_header(whole) or _without_header(whole) or _with_commas(whole) if whole else None


def of_columns(names: Sequence[str], rows: Sequence[Sequence[Any]], layout: str) -> Guess:
    """The guess about a table whose columns are known."""
    return _guess(_kind([plain(name) for name in names], rows), layout, names)


def _layouts(lines: Sequence[str]) -> dict[str, str]:
    """Layouts by delimiter. Blanks separate nothing where tabs do: they are in a text."""
    return _DELIMITERS if any("\t" in line for line in lines) else {**_DELIMITERS, " ": _BLANKS}


def _by_header(lines: Sequence[str]) -> Guess | None:
    for delimiter, layout in _layouts(lines).items():
        if delimiter not in lines[0]:
            continue
        first, *rows = _cells(lines, delimiter)
        kind = _kind([plain(name) for name in first], rows) if is_header(first) else ""
        # In a line of words, some may be names of columns.
        if kind in ("run", "qrels") or (is_header(first) and delimiter != " "):
            return _guess(kind, layout, first)
    return None


def _with_commas(lines: Sequence[str]) -> Guess | None:
    """Lines of as many commas or semicolons each, whose columns have names that are not known."""
    for delimiter in ",;":
        rows = _cells(lines, delimiter)
        # A text of several lines may be cut off in the last row.
        rows = rows[:-1] if len(rows) > 2 else rows
        if len(rows) > 1 and len(rows[0]) > 1 and {len(row) for row in rows} == {len(rows[0])}:
            return _guess("", _DELIMITERS[delimiter], rows[0])
    return None


def _cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    if delimiter == " ":
        return [line.split() for line in lines]
    if delimiter == "\t":
        return [line.split("\t") for line in lines]
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return [lines[0].split(delimiter)]


def _without_header(lines: Sequence[str]) -> Guess | None:
    """Columns without names, of which the last are numbers: ranks, scores or grades."""
    for delimiter, layout in _layouts(lines).items():
        rows = [[cell.strip() for cell in row] for row in _cells(lines, delimiter)]
        # trec_eval pads the names of its measures.
        padded = delimiter == "\t" and any(" \t" in line for line in lines)
        if padded or any(_FIGURE.match(row[0]) for row in rows):
            return None
        widths = {len(row) for row in rows}
        if len(widths) == 1 and all(map(_ends_in_number, rows)):
            if widths == {4} and is_ranked([row[:3] for row in rows]):
                return _guess("run", layout, ("topic", "docno", "rank", "score"))
            if widths == {3} and (columns := _three_columns(rows, delimiter)):
                return _guess("qrels" if columns[-1] == "grade" else "run", layout, columns)
    return None


def _ends_in_number(row: Sequence[str]) -> bool:
    return _NUMBER.match(row[-1]) is not None and all(len(cell.split()) == 1 for cell in row[:-1])


def _three_columns(rows: Sequence[Sequence[str]], delimiter: str) -> tuple[str, ...]:
    is_run = is_ranked(rows) or not _are_grades([row[-1] for row in rows])
    # One line of three words is a sentence.
    if not is_run and len(rows) == 1 and delimiter == " ":
        return ()
    return "topic", "docno", "rank" if is_run else "grade"


def _kind(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Kind by the plain names of columns; `score` alone is a run's unless all scores are grades."""

    def place(role: Role) -> int | None:
        return next((names.index(name) for name in NAMES[role] if name in names), None)

    # Beside a text and no rank, `id` is seldom a topic.
    named_id = place("topic") is not None and names[place("topic") or 0] == "id"
    is_document = named_id and _TEXTS & set(names) and place("rank") is None and place("score") is None
    if place("topic") is not None and place("docno") is not None and not is_document:
        if place("rank") is not None or place("tag") is not None:
            return "run"
        if (score := place("score")) is None:
            return "qrels" if place("grade") is not None else ""
        if any(name in names for name in NAMES["grade"] if name != "score"):
            return "qrels"
        values = [str(row[score]).strip() for row in rows if score < len(row)]
        return "qrels" if _are_grades(values) else "run"
    if any(name in names for name in ("query", "querytext", "question", "narrative")):
        return "topics"
    return _kind_of_texts(names, rows) if _TEXTS & set(names) else ""


def _kind_of_texts(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Only the length of texts distinguishes topics from documents whose number is called `id`."""
    if _DOCNOS & set(names):
        return "documents"
    if "number" in names:
        return "topics"
    if "id" not in names:
        return ""
    if (_TEXTS - _OF_BOTH) & set(names):
        return "documents"
    titled = "title" in names and len(_TEXTS & set(names)) > 1
    if titled and any(row[names.index("title")] for row in rows if len(row) == len(names)):
        return "documents"
    lengths = [max(len(str(value).split()) for value in row) for row in rows if row]
    return "topics" if lengths and median(lengths) <= TOPIC_WORDS else "documents"


def _are_grades(values: Sequence[str]) -> bool:
    return bool(values) and all(_WHOLE.match(value) and float(value) <= _HIGHEST_GRADE for value in values)


def _objects(text: str) -> Guess | None:
    """JSON lines of judges or of a retriever; other objects are topics or documents, which have readers."""
    rows = []
    for line in text.split("\n")[:_SAMPLE_LINES]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            rows.append(value)
    return _of_objects(rows, "JSON lines")


def _list(text: str) -> Guess | None:
    """Objects in one list, as many as the text holds."""
    rows = []
    try:
        for value in list_items(shallow_events(text.encode())):
            rows.append(value)
            if len(rows) == _SAMPLE_LINES:
                break
    except BrokenJson:
        pass
    if not rows or not all(isinstance(row, dict) for row in rows):
        return None
    return _of_objects(rows, "a JSON list") or _guess("", "a JSON list", list(rows[0]))


def _of_objects(rows: Sequence[dict[str, Any]], layout: str) -> Guess | None:
    if not rows:
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    kind = _kind([plain(name) for name in names], [[row.get(name, "") for name in names] for row in rows])
    return (
        _guess(kind, layout, names)
        if kind in ("run", "qrels") or (kind and layout == "a JSON list")
        else None
    )


def _tree(text: str) -> Guess | None:
    """An object of objects or lists: numbers by topic and docno, or records that no reader finds."""
    values: list[str] = []
    path: list[str] = []
    columns: dict[str, None] = {}
    lists = depth = 0
    has_texts, records = False, ""
    try:
        for event, value in shallow_events(text.encode()):
            depth += event in ("start_map", "start_array")
            depth -= event in ("end_map", "end_array")
            if event in ("string", "number", "boolean", "null") and depth < 2:
                return None
            if event == "map_key":
                path[depth - 1 :] = [value]
                columns.update({value: None} if depth == 1 else {})
            # The description of a model stands beside its runs.
            has_texts |= event == "string" and not lists and not path[0].startswith("mteb_model")
            if event == "start_map" and lists and not records:
                records = ".".join(path)
            lists += event == "start_array"
            if event == "number" and not lists:
                values.append(str(value))
            if len(values) == _SAMPLE_LINES:
                break
    # The head cuts the object off.
    except BrokenJson:
        pass
    if records and ("." in records or depth == 0):
        return Guess("", "", f"a JSON object with records under “{records}”; write one record a line")
    if values and is_header([*columns]) and len(columns) > 1:
        return Guess("", "", "JSON by columns, as pandas writes it; write one object a row")
    if values and not has_texts:
        return _guess("qrels" if _are_grades(values) else "run", "nested JSON", ())
    return _guess("run", "nested JSON", ()) if lists and depth >= 0 and _lists_docnos(text) else None


def shallow_events(source: bytes | IO[bytes]) -> Iterator[tuple[str, Any]]:
    """Events of JSON; raises `BrokenJson` also at more than 32 objects and lists in each other."""
    with extra("tables"):
        import ijson

    depth = 0
    try:
        for event, value in ijson.basic_parse(source, use_float=True):
            depth += event in ("start_map", "start_array")
            depth -= event in ("end_map", "end_array")
            if depth > MOST_DEPTH:
                raise BrokenJson(f"objects in more than {MOST_DEPTH} others")
            yield event, value
    except ijson.JSONError as error:
        raise BrokenJson(str(error)) from error


def list_items(events: Iterable[tuple[str, Any]]) -> Iterator[Any]:
    """The values of one list, each as soon as it ends."""
    with extra("tables"):
        from ijson.common import ObjectBuilder

    depth, builder = 0, ObjectBuilder()
    for event, value in events:
        depth -= event in ("end_map", "end_array")
        if depth:
            builder.event(event, value)
        depth += event in ("start_map", "start_array")
        if depth == 1 and event not in ("start_array", "map_key") and hasattr(builder, "value"):
            yield builder.value
            builder = ObjectBuilder()


def _lists_docnos(text: str) -> bool:
    return re.match(r'\{\s*"[^"]{1,100}"\s*:\s*\[\s*"[^"\s]{1,512}"', text) is not None


def _guess(kind: str, layout: str, columns: Sequence[str]) -> Guess:
    shown = [column.strip()[:40] for column in columns[:20]]
    names = f" ({', '.join(shown)})" if shown else ""
    # Pages know the layout alone by its words.
    return Guess(kind, layout, f"{_WORDS[kind]} in {layout}{names}" if kind else layout, tuple(columns))
