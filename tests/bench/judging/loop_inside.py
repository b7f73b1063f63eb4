"""What `tests.bench.judging.loop` runs once its services are up."""

from __future__ import annotations

import json
import statistics
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from campaigns.models import Judgment
from tests.bench.judging import loop_data
from tests.bench.judging.loop import site
from tests.bench.report import Figure, Timings, at_most
from tests.bench.watching.visitor import PASSWORD, Visitor

JUDGMENTS = 150


def main(folder: Path, seed: int) -> None:
    campaign = loop_data.load(seed)
    with site(folder) as (port, _, worker):
        ada, grace = Visitor(port), Visitor(port)
        ada.sign_in("ada", PASSWORD)
        grace.sign_in("grace", PASSWORD)
        loop_data.computed(campaign)
        tell(uploaded(ada, loop_data.one_run_text(seed)))
        loop_data.computed(campaign)
        for figure in judging_figures(judge(ada, grace, campaign.id)):
            tell(figure)
        for process, megabytes in resident(worker.pid):
            tell(at_most(f"worker memory, {process}", megabytes, "MB", 300))


def tell(figure: Figure) -> None:
    print(json.dumps(asdict(figure)), flush=True)


@dataclass(frozen=True)
class Measured:
    """Seconds, one of each a judgment."""

    judged: list[float]
    bare: list[float]
    notified: list[float]
    exact: float


def judge(ada: Visitor, grace: Visitor, campaign: int) -> Measured:
    """Judgments, each after its look-ahead is there, in turn with bare inserts on the same server."""
    heard: list[tuple[float, int]] = []
    root = "/api/v1/campaigns/bench/"

    def listen() -> None:
        for kind, data in ada.events(root + "events/"):
            if kind == "intervals":
                heard.append((time.perf_counter(), data["as_of"]))

    threading.Thread(target=listen, daemon=True).start()
    served = grace.get(root + "next/?topic=1")
    # The stream listens a moment after it is open; nothing shows when.
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
    notified = [arrivals[n + 1] - at for n, at in enumerate(sent) if n + 1 in arrivals]
    exact = Judgment.objects.filter(served_exactly=True).count() / JUDGMENTS
    return Measured(judged, bare, notified, exact)


def uploaded(ada: Visitor, text: bytes) -> Figure:
    began = time.perf_counter()
    ada.upload("/api/v1/campaigns/bench/runs/", "late.run", text)
    lines = text.count(b"\n")
    return at_most(
        f"upload of a {lines:,}-line run, stored and answered", time.perf_counter() - began, "s", 1
    )


def judging_figures(measured: Measured) -> Iterator[Figure]:
    judged, bare, notified = map(Timings, (measured.judged, measured.bare, measured.notified))
    yield judged.median_ms("judgment sent, next document in the reply")
    yield judged.p99_ms("judgment sent, next document in the reply")
    yield bare.median_ms("bare view that inserts one row")
    yield bare.p99_ms("bare view that inserts one row")
    ratio = statistics.median(measured.judged) / statistics.median(measured.bare)
    yield at_most("judgment against bare view, ratio of medians", ratio, "times", 2)
    yield notified.median_ms("judgment sent, dashboard notified", 500)
    yield notified.p99_ms("judgment sent, dashboard notified", 500)
    yield Figure("documents served exactly", 100 * measured.exact, "%")


def resident(pid: int) -> Sequence[tuple[str, float]]:
    """Resident memory of the worker's parent and of each child that computes."""
    found = [("parent", megabytes(pid))]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [*found, *((f"child {n}", megabytes(int(child))) for n, child in enumerate(children, 1))]


def megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [resident_line] = [line for line in lines if line.startswith("VmRSS:")]
    return int(resident_line.split()[1]) / 1024
