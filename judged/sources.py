"""Runs and qrels as researchers have them in memory, as columns: dictionaries, named tuples, data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeGuard, cast

from evaluation.extras import extra

if TYPE_CHECKING:
    from campaigns.formats.values import Values

Kind = Literal["run", "qrels"]
_WORDS = {"run": "runs", "qrels": "qrels"}


class Frame(Protocol):
    """A data frame of pandas, polars or pyarrow."""

    @property
    def columns(self) -> object: ...


AnyPath: TypeAlias = str | PathLike[str]
# {topic: {docno: number}}, as of pytrec_eval and ranx.
Nested: TypeAlias = Mapping[str, Mapping[str, float]]
# `ScoredDoc` and `Qrel` of ir_measures and ir_datasets.
NamedTuples: TypeAlias = Iterable[tuple[object, ...]]


@dataclass(frozen=True)
class SourceColumns:
    """Columns by their roles, and their own names where they have some. `unit`: what errors count. `empty`:
    topics without documents."""

    values: Mapping[str, Values]
    unit: str
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    empty: tuple[str, ...] = ()


def paths_of(source: object) -> list[Path] | None:
    """The paths that a source consists of; None for anything else."""
    if isinstance(source, str | PathLike):
        return [Path(source)]
    if isinstance(source, Sequence) and source and all(isinstance(one, str | PathLike) for one in source):
        return [Path(one) for one in source]
    return None


def columns_of(source: object, kind: Kind, name: str = "") -> SourceColumns:
    """Columns of a source that is no file.

    Raises
    ------
    FormatError : a data frame, or named tuples, without a column that is needed; nothing in it.
    TypeError : another type.
    """
    name = name or _WORDS[kind]
    if isinstance(source, Mapping):
        return _of_nested(source, kind, name)
    if is_frame(source):
        return _of_frame(source, kind, name)
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return _of_tuples(list(source), kind, name)
    raise _wrong_type(source, name)


def is_frame(source: object) -> TypeGuard[Frame]:
    return hasattr(source, "columns") and not isinstance(source, Mapping)


def _of_nested(source: Mapping[object, object], kind: Kind, name: str) -> SourceColumns:
    value = "score" if kind == "run" else "grade"
    for topic, documents in source.items():
        if not isinstance(documents, Mapping):
            given = type(documents).__name__
            raise TypeError(f"{name}: topic {topic!r} has {given}, not a dictionary of docnos and {value}s")
    inner = [(topic, documents) for topic, documents in source.items() if isinstance(documents, Mapping)]
    columns = {
        "topic": [topic for topic, documents in inner for _ in documents],
        "docno": list(chain.from_iterable(documents for _, documents in inner)),
        value: list(chain.from_iterable(documents.values() for _, documents in inner)),
    }
    empty = tuple(str(topic) for topic, documents in inner if not documents)
    return SourceColumns(columns, "entry", name, empty=empty)


def _of_frame(source: Frame, kind: Kind, name: str) -> SourceColumns:
    with extra("frames"):
        import narwhals as nw

    try:
        frame: nw.DataFrame[Any] = nw.from_native(cast(Any, source), eager_only=True)
    except TypeError as error:
        raise TypeError(f"{name}: {type(source).__name__} is no data frame in memory: {error}") from error
    roles = _roles(kind, frame.columns, name)
    return SourceColumns({role: _values(frame[column]) for role, column in roles.items()}, "row", name, roles)


def _values(column: object) -> Values:
    import narwhals as nw

    assert isinstance(column, nw.Series)
    if column.dtype.is_numeric() and not column.is_null().any():
        return column.to_numpy()
    return column.to_list()


def _of_tuples(rows: Sequence[object], kind: Kind, name: str) -> SourceColumns:
    from campaigns.formats.errors import FormatError, LineError

    if not rows:
        raise FormatError(name, [LineError(None, "no row in it")])
    names: tuple[str, ...] = getattr(rows[0], "_fields", ())
    if not names:
        raise _wrong_type(rows[0], name)
    tuples: list[tuple[object, ...]] = []
    for place, row in enumerate(rows, 1):
        if not isinstance(row, tuple) or getattr(row, "_fields", ()) != names:
            raise TypeError(f"{name}: row {place} is {row!r}, where the first has {', '.join(names)}")
        tuples.append(row)
    columns = dict(zip(names, zip(*tuples, strict=True), strict=True))
    roles = _roles(kind, names, name)
    return SourceColumns({role: columns[of] for role, of in roles.items()}, "row", name, roles)


def _roles(kind: Kind, names: Sequence[str], source: str) -> dict[str, str]:
    """The column of each role, by the names that the field uses."""
    from campaigns.formats.errors import FormatError, LineError
    from campaigns.formats.recognition.column_names import listed_names
    from campaigns.formats.recognition.roles import ROLES, roles_of, what_is_missing

    roles = roles_of(kind, names, {})
    if kind == "run" and "tag" not in roles and "name" in names:
        roles["tag"] = "name"
    missing = list(what_is_missing(kind, "a data frame", names, roles))
    if missing:
        wanted = "; ".join(
            f"no {' or '.join(some)}: one of {', '.join(name for role in some for name in ROLES[kind][role])}"
            for some in missing
        )
        detail = f"columns {listed_names(names)}: {wanted} (in any case, with any signs)"
        raise FormatError(source, [LineError(None, detail)])
    return roles


def _wrong_type(source: object, name: str) -> TypeError:
    known = "a path, a dictionary, a data frame or named tuples"
    return TypeError(f"{name}: {type(source).__name__} is none of the types that are read; give {known}")


def by_topic(rows: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    """Rows as {topic: {docno: number}}."""
    nested: dict[str, dict[str, float]] = {}
    for topic, docno, value in rows:
        nested.setdefault(topic, {})[docno] = value
    return nested
