from __future__ import annotations

import io

import pytest

from campaigns.formats.errors import FormatError
from campaigns.formats.training import TrainingRecord, read_training


def read(text: str) -> list[TrainingRecord]:
    return read_training(io.BytesIO(text.encode()), "items.tsv")


def test_items_in_file_order_with_their_lines() -> None:
    rows = read("topic\tdocno\tgrade\treason\n1\ta\t2\tsays how\n\n2\té b\t0\toff topic\n")
    assert rows == [TrainingRecord("1", "a", 2, "says how", 2), TrainingRecord("2", "é b", 0, "off topic", 4)]


def test_the_columns_need_no_names() -> None:
    assert [row.line for row in read("1\ta\t2\twhy\r\n1\tb\t0\tnot")] == [1, 2]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", None, "no training item"),
        ("topic\tdocno\tgrade\treason\n", None, "no training item"),
        ("1\ta\t2\n", 1, "3 fields between tabs"),
        ("1\ta\t2\twhy\tmore\n", 1, "5 fields between tabs"),
        ("1\ta\t2\twhy\n1\tb\tmuch\twhy\n", 2, "'much'"),
        ("1\ta\t-1\twhy\n", 1, "'-1'"),
        ("1\ta\t٣\twhy\n", 1, "whole number"),
        ("1\t\t1\twhy\n", 1, "the docno is empty"),
        ("1\ta\t1\t\n", 1, "the reason is empty"),
        ("1\ta\t1\twhy\n1\ta\t1\twhy\n", 2, "the first is line 1"),
        ("1\ta\t1\tw\0y\n", 1, "NUL"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int | None, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.errors[0].line == line
    assert says in str(caught.value)
