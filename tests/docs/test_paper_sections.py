"""Sections of papers that docstrings and docs name exist. The texts at hand of Moffat, Webber and Zobel 2007
and of Ravana and Moffat 2010 have lost their headings, so these two are not compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("evaluation", "selection", "campaigns", "assess", "docs")

# By paper: how it is cited, and its numbered headings.
PAPERS: dict[str, tuple[str, dict[str, str]]] = {
    "Carterette and others 2008": (
        r"Carterette(?:,? (?:and others|et al\.)|, Pavlu, Kanoulas, Aslam and Allan) 2008",
        {
            "1": "Introduction",
            "2": "Incomplete test collections",
            "2.1": "Minimal test collections (MTC)",
            "2.2": "Statistical average precision (statAP)",
            "3": "Experiment",
            "3.1": "Judgments",
            "4": "Results",
            "5": "Analysis",
            "5.1": "Efficiency studies",
            "5.1.1": "ANOVA and generalizability theory",
            "5.1.2": "Ranking stability",
            "5.1.3": "Cost analysis",
            "5.2": "Reusability",
            "5.2.1": "MTC analysis",
            "5.2.2": "statMAP confidence interval",
            "6": "Conclusion",
        },
    ),
    "Hosseini and others 2012": (
        r"Hosseini (?:and others|et al\.) 2012",
        {
            "1": "Introduction",
            "2": "Related work",
            "3": "Query selection",
            "4": "Uncertainty-aware selection",
            "5": "Adaptive query selection",
            "6": "Evaluation settings",
            "7": "Experimental results",
            "7.1": "Results of the Web data",
            "7.2": "Effects of initialization",
            "8": "Generalization",
            "8.1": "Evaluation of new systems",
            "8.2": "Use of alternative performance metrics",
            "9": "Discussion",
            "10": "Conclusion",
        },
    ),
    "Moffat and Zobel 2008": (
        r"Moffat and Zobel 2008",
        {
            "1": "Introduction",
            "2": "Recall and precision",
            "3": "Composite measures of effectiveness",
            "3.1": "Average precision",
            "3.2": "Precision-at-depth, R-precision, and reciprocal rank",
            "3.3": "Other measures of effectiveness",
            "4": "Rank-biased precision",
            "4.1": "Patient and impatient users",
            "4.2": "Rank-biased precision",
            "4.3": "User models",
            "4.4": "Bounding the residual error",
            "4.5": "Choosing a value for p",
            "4.6": "Discounted cumulative gain",
            "4.7": "Other extensions",
            "5": "RBP versus AP in retrieval experiments",
            "6": "Conclusion",
        },
    ),
}
NUMBER = r"\d+(?:\.\d+)*"
SECTIONS = rf",? \(?(?:§§? ?|[Ss]ections? )({NUMBER}(?:(?:, §?| and §?){NUMBER})*)"
# What is cited for what: the word in the docstring or row, and a word of the heading that it must lead to.
SUBJECTS = (
    ("evaluation/estimation/mtc.py", "2.1", "Minimal test collections"),
    ("evaluation/estimation/statap.py", "2.2", "statAP"),
    ("selection/methods/statap.py", "2.2", "statAP"),
    ("evaluation/comparison/variance.py", "5.1.1", "generalizability"),
    ("selection/studies/thousands_of_queries.py", "5.2", "Reusability"),
    ("selection/studies/topics/topic_trials.py", "7.2", "initialization"),
    ("evaluation/measures/rbp.py", "4.7", "extensions"),
    ("evaluation/measures/bounds.py", "4.4", "residual"),
)


def cited_sections(text: str) -> Iterator[tuple[str, str]]:
    """Paper and section of each reference, wherever its lines break."""
    flat = re.sub(r"\s+(?:#\s+)?", " ", text)
    for paper, (citation, _) in PAPERS.items():
        for found in re.finditer(citation + SECTIONS, flat):
            for number in re.findall(NUMBER, found[1]):
                yield paper, number
        for found in re.finditer(r"[Ss]ections? (" + NUMBER + r") of " + citation, flat):
            yield paper, found[1]


def texts() -> list[Path]:
    named = [
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md")
    ]
    return sorted([*named, ROOT / "README.md"])


def test_cited_sections_are_in_the_paper() -> None:
    cited = [(path, *one) for path in texts() for one in cited_sections(path.read_text())]
    assert len(cited) > 30
    assert {paper for _, paper, _ in cited} == set(PAPERS)
    wrong = [
        f"{path.relative_to(ROOT)}: {paper} has no section {number}"
        for path, paper, number in cited
        if number not in PAPERS[paper][1]
    ]
    assert not wrong


@pytest.mark.parametrize(("file", "number", "heading"), SUBJECTS)
def test_a_subject_is_cited_by_its_section(file: str, number: str, heading: str) -> None:
    papers = {paper for paper, cited in cited_sections((ROOT / file).read_text()) if cited == number}
    assert any(heading.lower() in PAPERS[paper][1][number].lower() for paper in papers)


def test_a_wrong_section_is_found() -> None:
    text = "Carterette, Pavlu, Kanoulas,\n    Aslam and Allan 2008, section 3.2; Moffat and Zobel 2008, §4.7"
    assert list(cited_sections(text)) == [
        ("Carterette and others 2008", "3.2"),
        ("Moffat and Zobel 2008", "4.7"),
    ]
