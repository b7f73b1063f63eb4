"""A short kill run: whichever process dies, nothing acknowledged is lost, altered or doubled.

The long one, with its figures: `python -m tests.faults`.
"""

from __future__ import annotations

from pathlib import Path

from tests.faults.kill_run import run
from tests.plumbing import header

KILLS, SEED = 20, 14


def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    outcome = run(tmp_path / "data", kills=KILLS, seed=SEED)
    header.really_run += list(outcome.lines())
    assert outcome.faults == []
    assert len(outcome.kills) == KILLS
    assert outcome.judgments > 0
