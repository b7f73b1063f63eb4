"""Many run files at once, each named as its users know it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.opening import plain_name
from campaigns.formats.runs import ParsedRun, read_runs


def read_run_files(
    files: Sequence[Path], *, lenient: bool = False, taken: Callable[[Path], None] | None = None
) -> list[ParsedRun]:
    """The runs of several files, in their order, under names that differ.

    A run is named by its tag; by its file where the file holds several tags or another run has the name;
    and by its folders too, where the files have the same name. `taken` is called after each file.
    """
    runs: list[ParsedRun] = []
    for file in files:
        runs += read_runs(file, str(file), lenient=lenient)
        if taken is not None:
            taken(file)
    names = distinct_names([run.tag for run in runs], [str(file) for file in files])
    return [replace(run, tag=name) for run, name in zip(runs, names, strict=True)]


def distinct_names(tags: Sequence[str], files: Sequence[str]) -> list[str]:
    """For each run its tag, or as much of its file's path as tells it from the others."""
    if repeated := [file for file, count in Counter(files).items() if count > 1]:
        raise FormatError(repeated[0], [LineError(None, "the same file twice")])
    candidates = [_names_of(tag, file) for tag, file in zip(tags, files, strict=True)]
    step = [0] * len(tags)
    while True:
        names = [names[min(at, len(names) - 1)] for names, at in zip(candidates, step, strict=True)]
        counts = Counter(names)
        clashing = [place for place, name in enumerate(names) if counts[name] > 1]
        movable = [place for place in clashing if step[place] < len(candidates[place]) - 1]
        if not clashing:
            return names
        if not movable:
            file = files[clashing[0]]
            raise FormatError(file, [LineError(None, f"two runs cannot both be named {names[clashing[0]]}")])
        for place in movable:
            step[place] += 1


def _names_of(tag: str, file: str) -> list[str]:
    """The names a run may go by, the short one first."""
    *folders, _ = Path(file).parts
    own = plain_name(file)
    return [
        tag,
        *("/".join([*folders[len(folders) - depth :], own]) for depth in range(len(folders) + 1)),
        file,
    ]
