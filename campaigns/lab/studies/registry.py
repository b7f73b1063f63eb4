"""Studies by name: each is a table and a figure of a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from campaigns.lab.studies import topic_figures
from selection.studies.papers.interface import PaperStudy, Point
from selection.studies.papers.topic_selection import GENERAL_MEASURES, TOPIC_STUDIES, paper_study

MARK = "†"


@dataclass(frozen=True)
class Study:
    """A study with its words and its picture.

    title : one sentence without a full stop
    table : the paper's table or figure, and the meaning of a row or mark
    kernel : trials, rows and points
    figure : a Vega-Lite specification of the points
    names : how tables show names that the kernel uses
    """

    title: str
    table: str
    kernel: PaperStudy
    figure: Callable[[Sequence[Point]], dict[str, Any]]
    names: Mapping[str, str] = field(default_factory=dict)


TOPICS = {
    "topic-selection": Study(
        "How well the topics that each method chooses stand for all",
        f"Hosseini and others 2012, Table 1; AP. {MARK}: the interval lies above those of Random and IQP.",
        paper_study(TOPIC_STUDIES["topic-selection"]),
        topic_figures.curves_by_share({"Kendall's τ": "Kendall's τ", "Pearson's r": "Pearson's r"}),
        topic_figures.NAMES,
    ),
    "topic-generalisation": Study(
        "How well they stand for all to runs that took no part in the choice",
        f"Hosseini and others 2012, Table 3; τ. {MARK}: above Random and Adaptive by the paired t-test.",
        paper_study(TOPIC_STUDIES["topic-generalisation"]),
        topic_figures.curves_by_share({measure: f"Kendall's τ, {measure}" for measure in GENERAL_MEASURES}),
        topic_figures.NAMES,
    ),
    "metric-transfer": Study(
        "What τ loses where topics were chosen by another measure",
        f"Hosseini and others 2012, Table 4; rows: chosen by, columns: evaluated by. {MARK}: above all "
        "other rows by the paired t-test.",
        paper_study(TOPIC_STUDIES["metric-transfer"]),
        topic_figures.losses,
        topic_figures.NAMES,
    ),
    "initialisation": Study(
        "How much the first topic matters",
        "Hosseini and others 2012, Figure 3; τ by AP, where each next topic is chosen by true scores.",
        paper_study(TOPIC_STUDIES["initialisation"]),
        topic_figures.beginnings,
        topic_figures.NAMES,
    ),
}
STUDIES: Mapping[str, Study] = {**TOPICS}
