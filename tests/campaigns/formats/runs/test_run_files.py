from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.formats.errors import FormatError
from campaigns.formats.runs.files import distinct_names, read_run_files


@pytest.mark.parametrize(
    ("tags", "files", "names"),
    [
        (["a", "b"], ["x.gz", "y"], ["a", "b"]),
        (["a", "a", "b"], ["x.gz", "d/y.xz", "z"], ["x", "y", "b"]),
        (["a", "a"], ["one/run.gz", "two/run.gz"], ["one/run", "two/run"]),
        (["a", "a"], ["run.gz", "run.xz"], ["run.gz", "run.xz"]),
        # A name taken from a file may be another run's tag: then neither keeps it.
        (["a", "a", "y"], ["x", "d/y", "z"], ["x", "d/y", "z"]),
    ],
)
def test_runs_get_names_that_differ(tags: list[str], files: list[str], names: list[str]) -> None:
    assert distinct_names(tags, files) == names


def test_the_same_file_twice_is_an_error() -> None:
    with pytest.raises(FormatError, match="x: the same file twice"):
        distinct_names(["a", "a"], ["x", "x"])


def test_files_are_read_in_order_under_their_names(tmp_path: Path) -> None:
    files = []
    for name, tag in (("one", "t"), ("two", "u"), ("three", "t")):
        files.append(tmp_path / name)
        files[-1].write_text(f"1 Q0 {name} 1 1 {tag}\n")
    taken: list[Path] = []
    runs = read_run_files(files, taken=taken.append)
    assert [(run.tag, run.rankings["1"].docnos) for run in runs] == [
        ("one", ["one"]),
        ("u", ["two"]),
        ("three", ["three"]),
    ]
    assert taken == files


def test_errors_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("1 Q0 d 1 x t\n")
    with pytest.raises(FormatError) as caught:
        read_run_files([tmp_path / "bad"])
    assert str(caught.value) == f"{tmp_path / 'bad'}:1: score 'x' is not a decimal number"
