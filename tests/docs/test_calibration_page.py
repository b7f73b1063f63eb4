"""The calibration page has the prose that `calibrate --page` writes, and a summary that counts its rows."""

from __future__ import annotations

import csv
import re
from collections import Counter

from campaigns.management.offline.calibration.page import PAGE
from config.embedded.machine import PROJECT
from selection.simulation.relevance.prior import COEFFICIENTS, TABLE, usual_prior

TEXT = (PROJECT / "docs" / "evidence" / "calibration.md").read_text()


def test_prose_is_that_of_the_command() -> None:
    for part in re.split(r"\{[a-z]+\}", PAGE.read_text()):
        assert part in TEXT


def test_summary_counts_the_rows() -> None:
    found: dict[str, Counter[str]] = {}
    _, *sections = TEXT.split("\n## In short\n")[1].split("\n## ")
    for section in sections:
        statement, _, table = section.partition("\n")
        verdicts = re.findall(r" \| (yes|open|no|seen) \|$", table, re.MULTILINE)
        found[statement] = Counter(verdicts)
    lines = [
        f"| {name} | {of['yes']} | {of['open']} | {of['no']} | {of['seen']} |" for name, of in found.items()
    ]
    assert "\n".join(["| statement | yes | open | no | seen |", "|---|---|---|---|---|", *lines, ""]) in TEXT


def shares(statement: str) -> tuple[int, int]:
    """The lowest and the highest share that came true, of the rows of a statement, in whole percent."""
    section = TEXT.split(f"\n## {statement}\n")[1].split("\n## ")[0]
    found = [float(row.split("|")[4].strip().rstrip("%")) for row in section.splitlines() if "80.0%" in row]
    assert found
    return round(min(found)), round(max(found))


def test_sentences_about_forecasts_have_the_measured_shares() -> None:
    residual = "{}–{}%".format(*shares("80% interval of the judgments until a mean residual is reached"))
    tau = "{}–{}%".format(*shares("80% interval of the judgments until a τ is reached"))
    pair = "{}–{}%".format(*shares("80% interval of the judgments until a pair is decided"))
    planner, advisor = (
        " ".join((PROJECT / path).read_text().split())
        for path in ("templates/campaigns/planner/_planner.html", "docs/advisor.md")
    )
    for text in (planner, advisor):
        assert f"outcome in {residual} of plans for a residual, and in {tau} of those for a τ" in text
    assert f"{pair} of these ranges contained the true number" in advisor


def test_relevance_model_pages_have_the_table_of_collections_and_its_prior() -> None:
    names = ("relevance-model.md", "evidence/prior.md")
    page = "".join((PROJECT / "docs" / name).read_text() for name in names).replace("−", "-")
    with TABLE.open(newline="") as rows:
        for row in csv.DictReader(rows):
            cells = [f"{float(row[name]):.2f}" for name in COEFFICIENTS]
            weight = f"{100 * float(row['unjudged_weight']):.0f}%"
            assert f"| {row['collection']} | {row['family']} | {' | '.join(cells)} | {weight} |" in page
    prior = usual_prior()
    for name, mean, deviation in zip(COEFFICIENTS, prior.means, prior.deviations, strict=True):
        [line] = [line for line in page.splitlines() if line.startswith(f"| {name} | ") and "±" in line]
        assert line.endswith(f"| {mean:.1f} ± {deviation:.1f} |")
