"""Periodic tasks go out by a clock that cannot be set."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import pytest
from celery import Celery
from django.db.migrations.loader import MigrationLoader

from config.beat import SteadyScheduler
from config.celery import app
from config.embedded.migrations import migrations_on_disk

HOURS = 3 * 3600


class Sent(list[str]):
    """The names of the entries that were sent, in place of a broker."""

    def scheduler(self, monkeypatch: pytest.MonkeyPatch) -> SteadyScheduler:
        scheduler = SteadyScheduler(app)
        monkeypatch.setattr(scheduler, "apply_entry", lambda entry, producer: self.append(entry.name))
        scheduler.producer = None
        return scheduler


@pytest.mark.parametrize("change", [-HOURS, HOURS])
def test_a_clock_that_is_set_changes_nothing(monkeypatch: pytest.MonkeyPatch, change: int) -> None:
    passed = 0.0
    real, now = time.monotonic(), app.now
    monkeypatch.setattr("config.beat.time.monotonic", lambda: real + passed)
    sent = Sent()
    scheduler = sent.scheduler(monkeypatch)
    scheduler.tick()
    assert set(sent) == set(app.conf.beat_schedule)
    monkeypatch.setattr(Celery, "now", lambda self: now() + timedelta(seconds=change))
    counts = []
    for _ in range(2):
        sent.clear()
        scheduler.tick()
        counts.append(sent.count("heartbeat"))
        passed += 3.0
    assert counts == [0, 1]


def test_the_heart_beats_with_every_tick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "heartbeat"
    monkeypatch.setenv("HEARTBEAT_FILE", str(file))
    scheduler = Sent().scheduler(monkeypatch)
    scheduler.tick()
    file.unlink()
    assert 0 <= scheduler.tick() <= 1
    assert file.exists()


def test_the_supervisor_knows_every_migration() -> None:
    assert migrations_on_disk() == set(MigrationLoader(None).disk_migrations)
