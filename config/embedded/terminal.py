"""What the supervisor shows: its own words, and the warnings in the logs of web and worker as they come."""

from contextlib import suppress
from pathlib import Path


def say(words: str) -> None:
    # The reader of our words may be gone; that is no reason to stop serving.
    with suppress(OSError):
        print(words, flush=True)


class Follower:
    """Prints a log's new lines; the file stays the record, and nothing blocks when nobody reads."""

    def __init__(self, log: Path, name: str) -> None:
        self._log = log
        self._name = name
        self._offset = log.stat().st_size if log.exists() else 0
        self._rest = ""

    def show_new(self) -> None:
        if not self._log.exists():
            return
        if self._log.stat().st_size < self._offset:
            self._offset = 0
        with self._log.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
            self._offset = file.tell()
        *lines, self._rest = (self._rest + data.decode(errors="replace")).split("\n")
        for line in lines:
            if line.strip():
                say(f"{self._name} | {line}")
