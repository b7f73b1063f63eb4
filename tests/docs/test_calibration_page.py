"""docs/calibration.md has the prose that `calibrate --page` writes, and a summary that counts its rows."""

from __future__ import annotations

import re
from collections import Counter

from campaigns.management.offline.studies.calibration import PAGE
from config.embedded.machine import PROJECT

TEXT = (PROJECT / "docs" / "calibration.md").read_text()


def test_prose_is_that_of_the_command() -> None:
    before, after = PAGE.replace("{picture}", "calibration.svg").split("{summary}")
    assert TEXT.startswith(before)
    assert after in TEXT


def test_summary_counts_the_rows() -> None:
    found: dict[str, Counter[str]] = {}
    for section in TEXT.split("\n## ")[1:]:
        statement, _, table = section.partition("\n")
        found[statement] = Counter(re.findall(r" \| (yes|open|no) \|$", table, re.MULTILINE))
    lines = [f"| {name} | {of['yes']} | {of['open']} | {of['no']} |" for name, of in found.items()]
    assert "\n".join(["| statement | yes | open | no |", "|---|---|---|---|", *lines, ""]) in TEXT
