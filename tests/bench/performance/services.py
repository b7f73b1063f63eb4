"""A section on services of its own, and a site with several web processes and workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from config.embedded import application
from config.embedded.machine import PROJECT, answers, places_at, take_port
from config.embedded.processes import Child, Program
from config.embedded.supervisor import Services, stop_together
from tests.bench.judging.loop import _environment
from tests.bench.performance.report import Table, circumstances
from tests.bench.performance.second_host import ReachableServices, second_host
from tests.bench.performance.sizes import Sizes
from tests.bench.processor import _of_family


def measured(section: str, sizes: Sizes) -> Iterator[Table]:
    """Start a database and a broker in a folder that is thrown away, and measure in a process that knows
    them; for the section `hosts`, on another host."""
    beside = circumstances()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="assess-bench-"))
        # Where Postgres has to run as the user `nobody`, that user must be able to enter.
        Path(folder).chmod(0o711)
        places = places_at(Path(folder))
        on_host = stack.enter_context(second_host()) if section == "hosts" else []
        services = (ReachableServices if on_host else Services)(places, given={})
        stack.callback(services.stop)
        services.start()
        environment = _environment(places, services)
        manage = [*on_host, sys.executable, str(PROJECT / "manage.py")]
        subprocess.run([*manage, "migrate", "-v", "0"], env=environment, check=True)
        inside = [*on_host, sys.executable, "-m", "tests.bench.performance.inside"]
        command = [*inside, section, folder, json.dumps(asdict(sizes))]
        with subprocess.Popen(
            command, env=environment, cwd=PROJECT, stdout=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout or ():
                yield Table(**json.loads(line), beside=beside)
        if process.returncode:
            raise RuntimeError(f"{section} ended with {process.returncode}")


@dataclass(frozen=True)
class Site:
    port: int
    folder: Path
    webs: list[Child]
    workers: list[Child]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def processor_seconds(self) -> dict[str, float]:
        database = int((self.folder / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        roots = {"web": [one.pid for one in self.webs], "worker": [one.pid for one in self.workers]}
        roots["database"] = [database]
        used = {name: sum(sum(_of_family(pid)) for pid in pids) for name, pids in roots.items()}
        return {**used, "clients": time.process_time()}


@contextmanager
def site(folder: Path, count: int = 1) -> Iterator[Site]:
    """So many web processes on one port, and as many workers."""
    places, environment = places_at(folder), dict(os.environ)
    with ExitStack() as stack:
        listener = stack.enter_context(take_port("127.0.0.1", 0))
        listener.listen(1024)
        web = application.web(listener.fileno(), environment)
        webs = [replace(web, name=f"web{number}") for number in range(count)]
        workers = [
            replace(
                application.worker(places, environment, name=f"worker{number}@%h"),
                name=f"worker{number}",
            )
            for number in range(count)
        ]
        children = [_started(program, folder) for program in (*webs, *workers)]
        stack.callback(stop_together, children, grace=4)
        port = listener.getsockname()[1]
        while answers("127.0.0.1", port) is None:
            if not children[0].running:
                raise RuntimeError(f"the web server did not start:\n{children[0].last_words()}")
        try:
            yield Site(port, folder, children[:count], children[count:])
        except Exception as error:
            # The folder with all logs goes.
            raise RuntimeError(f"the site's last words:\n{children[0].last_words()}") from error


def _started(program: Program, folder: Path) -> Child:
    places = places_at(folder)
    child = Child(program, places.logs / f"{program.name}.log", mark=str(places.data))
    child.start()
    return child
