"""Tables of results as data frames and as HTML."""

from __future__ import annotations

import pickle

import pytest

from judged.tables import Row, Table, Value

ROWS: list[dict[str, Value]] = [
    {"run": "A", "topics": 3, "base": 0.5, "top": None, "decided": True},
    {"run": "<B>", "topics": 2, "base": None, "top": None, "decided": None},
]
TABLE = Table(ROWS, ("run",), Row, notices=["one & two"])


def test_pandas_has_numbers_where_values_lack() -> None:
    frame = TABLE.to_pandas()
    assert list(frame.columns) == ["run", "topics", "base", "top", "decided"]
    assert frame["topics"].dtype == "int64"
    assert frame["base"].tolist()[0] == 0.5
    assert frame["top"].isna().all()
    assert frame["top"].dtype == "float64"
    assert frame["decided"].tolist() == [True, None]


def test_arrow_and_polars_have_nulls() -> None:
    assert TABLE.to_arrow().to_pylist() == ROWS
    pytest.importorskip("polars")
    assert TABLE.to_polars().to_dicts() == ROWS


def test_html_is_escaped_and_has_the_notices() -> None:
    html = TABLE._repr_html_()
    assert "<td>&lt;B&gt;</td><td>2</td><td>–</td>" in html
    assert "<p>one &amp; two</p>" in html
    assert "2 more rows" in Table([ROWS[0]] * 42, ("run",), Row)._repr_html_()


def test_rows_are_copies_and_survive_pickling() -> None:
    TABLE.rows[0]["run"] = "changed"
    assert TABLE[0].run == "A"
    assert [*map(dict, TABLE[:1])] == ROWS[:1]
    assert pickle.loads(pickle.dumps(TABLE[1])) == TABLE[1]
