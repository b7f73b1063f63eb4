"""One reader over a folder of run files, alone in its process so that its memory is its own:
`python -m tests.bench.judging.readers NAME FOLDER` prints what it took."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from campaigns.formats.compressed_files import find_files


@dataclass(frozen=True)
class Reading:
    """`processor`: seconds without those in which other programs had the processor. `megabytes`: the
    process at its peak, with all runs held."""

    seconds: float
    processor: float
    megabytes: float
    documents: int


# Reads all files into memory and gives what counts the documents it holds; the imports are made before.
Reader = Callable[[Sequence[Path]], Callable[[], int]]


def _ours() -> Reader:
    from campaigns.formats.runs.files import read_run_files

    def read(files: Sequence[Path]) -> Callable[[], int]:
        runs = read_run_files(files)
        return lambda: sum(len(each.scores) for run in runs for each in run.rankings.values())

    return read


def _cached() -> Reader:
    from campaigns.formats.runs.cache import RunCache
    from campaigns.formats.runs.files import read_and_keep, whole_run
    from campaigns.formats.runs.joined import join_runs

    def read(files: Sequence[Path]) -> Callable[[], int]:
        cache = RunCache.of(files, "score", 64)
        assert cache is not None
        joined = cache.load()
        if joined is None:
            _, runs = read_and_keep(files, whole_run, order="score", score_precision=64, jobs=1, taken=None)
            joined = join_runs(runs)
            if cache.is_writable:
                cache.save(joined)
        lists = [scores for topic in joined.topics for scores in topic.scores if scores is not None]
        return lambda: sum(map(len, lists))

    return read


def _pytrec_eval() -> Reader:
    import pytrec_eval

    def parsed(file: Path) -> dict[str, dict[str, float]]:
        with file.open() as lines:
            run: dict[str, dict[str, float]] = pytrec_eval.parse_run(lines)
            return run

    def read(files: Sequence[Path]) -> Callable[[], int]:
        runs = [parsed(file) for file in files]
        return lambda: sum(len(scores) for run in runs for scores in run.values())

    return read


def _ir_measures() -> Reader:
    import ir_measures

    lines_of: Callable[[str], Iterable[object]] = ir_measures.read_trec_run

    def read(files: Sequence[Path]) -> Callable[[], int]:
        runs = [list(lines_of(str(file))) for file in files]
        return lambda: sum(map(len, runs))

    return read


OURS = "ours"
# The first time, it reads and writes the cache.
CACHED = "cached beside the files"
READERS: dict[str, Callable[[], Reader]] = {
    OURS: _ours,
    CACHED: _cached,
    "pytrec_eval": _pytrec_eval,
    "ir_measures": _ir_measures,
}


def reading(name: str, folder: Path) -> Reading:
    read = READERS[name]()
    files = find_files([folder])
    started, own = time.perf_counter(), time.process_time()
    count = read(files)
    seconds, processor = time.perf_counter() - started, time.process_time() - own
    return Reading(seconds, processor, peak_megabytes(), count())


def peak_megabytes() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        # Of this program alone: what getrusage says begins with the size of the process that started it.
        [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024 / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


if __name__ == "__main__":
    print(json.dumps(asdict(reading(sys.argv[1], Path(sys.argv[2])))), flush=True)
    # Taking a million small objects apart at the end would only keep the next one waiting.
    os._exit(0)
