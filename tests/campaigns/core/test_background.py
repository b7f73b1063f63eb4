"""Long computations step back, and only they."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from campaigns.core.background import LOWEST, run_at_low_priority


def priority() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a priority is the whole process's")
def test_only_the_computation_steps_back() -> None:
    before = priority()
    assert run_at_low_priority(priority) == LOWEST
    assert priority() == before


def test_what_goes_wrong_is_told() -> None:
    with pytest.raises(ZeroDivisionError):
        run_at_low_priority(divmod, 1, 0)
    assert run_at_low_priority(divmod, 7, 2) == (3, 1)
