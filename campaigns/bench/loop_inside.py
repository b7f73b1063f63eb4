"""What `campaigns.bench.loop` runs once its services are up: `python -m campaigns.bench.loop_inside DIR`."""

from __future__ import annotations

import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import django

from campaigns.bench.loop import site
from campaigns.bench.visitor import Visitor

JUDGMENTS = 150
PASSWORD = "only for the bench"  # noqa: S105 — its database is thrown away


def main(folder: Path) -> None:
    django.setup()
    from campaigns.bench import loop_data
    from campaigns.models import Campaign

    say("loading 129 runs × 50 topics × 1000 documents …")
    campaign: Campaign = loop_data.load()
    with site(folder) as (port, worker):
        ada, grace = Visitor(port), Visitor(port)
        ada.sign_in("ada", PASSWORD)
        grace.sign_in("grace", PASSWORD)
        loop_data.computed(campaign)
        report_upload(ada, loop_data.one_run_text())
        loop_data.computed(campaign)
        timings = judge(ada, grace, campaign.id)
        report_judging(timings)
        report_memory(worker.pid)


@dataclass(frozen=True)
class Timings:
    """Seconds, one of each a judgment."""

    judged: list[float]
    bare: list[float]
    told: list[float]
    exact: float


def judge(ada: Visitor, grace: Visitor, campaign: int) -> Timings:
    """Judgments, each after its look-ahead is there, in turn with bare inserts on the same server."""
    from campaigns.bench import loop_data
    from campaigns.models import Judgment

    heard: list[tuple[float, int]] = []
    root = "/api/v1/campaigns/bench/"

    def listen() -> None:
        for kind, data in ada.events(root + "events/"):
            if kind == "intervals":
                heard.append((time.perf_counter(), data["as_of"]))

    threading.Thread(target=listen, daemon=True).start()
    served = grace.get(root + "next/?topic=1")
    time.sleep(1)
    judged: list[float] = []
    bare: list[float] = []
    sent: list[float] = []
    for number in range(JUDGMENTS):
        loop_data.foreseen(number)
        docno = served["document"]["docno"]
        act = {"id": str(uuid.uuid4()), "topic": "1", "docno": docno, "grade": number % 2}
        sent.append(time.perf_counter())
        served = grace.post(root + "judgments/", act)["next"]
        judged.append(time.perf_counter() - sent[-1])
        loop_data.foreseen(number + 1)
        began = time.perf_counter()
        grace.form("/bare/", {"campaign": str(campaign)})
        bare.append(time.perf_counter() - began)
    arrivals = {as_of: at for at, as_of in reversed(heard)}
    told = [arrivals[n + 1] - at for n, at in enumerate(sent) if n + 1 in arrivals]
    exact = Judgment.objects.filter(served_exactly=True).count() / JUDGMENTS
    return Timings(judged, bare, told, exact)


def report_upload(ada: Visitor, text: bytes) -> None:
    began = time.perf_counter()
    ada.upload("/api/v1/campaigns/bench/runs/", "late.run", text)
    lines = text.count(b"\n")
    say(f"upload of a {lines:,}-line run, stored and answered: {time.perf_counter() - began:.2f} s")


def report_judging(timings: Timings) -> None:
    judged, bare = statistics.median(timings.judged), statistics.median(timings.bare)
    say(f"judgment POST → next document in the reply: {spread(timings.judged)}")
    say(f"bare view that inserts one row: {spread(timings.bare)}")
    say(f"ratio of the medians: {judged / bare:.2f} (reach: ≤ 2)")
    say(f"judgment sent → dashboard told: {spread(timings.told)} (reach: < 500 ms)")
    say(f"served exactly: {timings.exact:.1%}")


def report_memory(pid: int) -> None:
    for name, megabytes in resident(pid):
        say(f"worker memory, {name}: {megabytes:.0f} MB (reach: < 300 MB)")


def resident(pid: int) -> Sequence[tuple[str, float]]:
    """Resident memory of the worker's parent and of each child that computes."""
    found = [("parent", _megabytes(pid))]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [*found, *((f"child {n}", _megabytes(int(child))) for n, child in enumerate(children, 1))]


def _megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [resident_line] = [line for line in lines if line.startswith("VmRSS:")]
    return int(resident_line.split()[1]) / 1024


def spread(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    return f"median {1000 * statistics.median(ordered):.1f} ms, p95 {1000 * p95:.1f} ms"


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError("the worker did not catch up")
        time.sleep(0.005)


def say(line: str) -> None:
    print(f"  {line}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
