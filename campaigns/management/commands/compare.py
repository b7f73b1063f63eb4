from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import CommandError, CommandParser

from campaigns.management.offline import options as option
from campaigns.management.offline.comparison import (
    Comparison,
    Contrast,
    MeasureScores,
    compare,
    gather,
    order_agreement,
    pair_confidences,
    variance_line,
)
from campaigns.management.offline.files import read_order
from campaigns.management.offline.output import OfflineCommand, as_csv, as_json, as_table, progress_bar
from campaigns.management.offline.scoring import score_runs
from evaluation.arrays import IntArray
from evaluation.comparison.pairs import Rule
from evaluation.comparison.significance import CORRECTIONS, TESTS
from evaluation.measure import RBP

# One line, or several.
Table = dict[str, Any] | list[dict[str, Any]]
Tables = dict[str, Table]


class Command(OfflineCommand):
    help = (
        "Test every pair of the best runs: is the base score of the better significantly above the base, the "
        "top and the projected score of the other? For EAP also how sure the judgments make it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument(
            "--measure", type=option.measure, action="append", metavar="M", help="RBP(p=0.8) if not given"
        )
        parser.add_argument("--test", choices=TESTS, default="wilcoxon", help="paired, over topics")
        parser.add_argument("--alpha", type=option.persistence, default=0.05, metavar="0.05")
        parser.add_argument(
            "--tails", type=int, choices=[1, 2], default=1, help="1: is it better? 2: does it differ?"
        )
        parser.add_argument(
            "--top-share",
            type=option.share,
            default=0.333,
            metavar="0.333",
            help="compare the best of the runs only: this share of them, by base score",
        )
        parser.add_argument(
            "--correction", choices=CORRECTIONS, default="none", help="for the number of pairs"
        )
        parser.add_argument(
            "--pessimistic",
            action="store_true",
            help="also test the gaps between the two runs' score ranges; topics where they overlap count 0",
        )
        parser.add_argument(
            "--orders",
            type=Path,
            metavar="FILE",
            help="a given order of the runs, best first, one tag a line: shows how the order by mean score "
            "agrees with it (Kendall's tau, AP correlation, Spearman's rho, rank-biased overlap, and the "
            "overlap of the top share), over the runs that the file names; as csv, this table alone",
        )
        parser.add_argument(
            "--variance",
            action="store_true",
            help="variance components of all runs' scores, the stability of their differences, and the "
            "topics needed for a stability of 0.95; as csv, this table alone",
        )
        parser.add_argument(
            "--seed", type=int, default=0, help="of the randomisation test, and of the intervals of --orders"
        )
        option.add_relevance(parser)

    def run(self, options: dict[str, Any]) -> None:
        campaign, grading = self.read(options)
        if options["format"] == "csv" and options["orders"] and options["variance"]:
            raise CommandError("csv holds one table: give --orders or --variance", returncode=2)
        measure = (options["measure"] or [RBP(0.8)])[0]
        names = ("test", "tails", "alpha", "correction", "seed")
        relevance = options["relevance"]
        # Before the scoring, so that an error in the file does not take long to show.
        order = options["orders"] and read_order(options["orders"], campaign.runs)
        with progress_bar("Scoring", len(campaign.topics) + 1) as advance:
            outcome = score_runs(campaign, [measure], grading, advance, relevance)
            try:
                rule = Rule(**{name: options[name] for name in names})
                scores = gather(outcome)
                compared = compare(scores, rule, options["top_share"], options["pessimistic"])
                tables = self._tables(scores, order, options)
            except ValueError as error:
                raise CommandError(str(error), returncode=2) from error
        if measure.needs == "expected":
            with progress_bar("Confidence", len(campaign.topics)) as advance:
                found = pair_confidences(campaign, compared.kept, grading, relevance, advance)
            compared = replace(compared, confidences=found)
        self._tell_of_topics_left_out(len(campaign.topics), len(compared.scores.topics))
        head = {"topics": len(compared.scores.topics), "judged": campaign.judged, "measure": measure.name}
        head |= {name: options[name] for name in names if name != "seed"}
        self.stdout.write(_written(head, compared, tables, options["format"]))

    def _tables(self, scores: MeasureScores, order: IntArray | None, options: dict[str, Any]) -> Tables:
        """By name, what is shown beside the pairs."""
        tables: Tables = {}
        if order is not None:
            if missing := len(scores.runs) - len(order):
                text = f"{missing} of {len(scores.runs)} runs are not in {options['orders']} and are left out"
                self.stderr.write(f"{text} of the agreement")
            tables["agreement"] = order_agreement(scores, order, options["top_share"], options["seed"])
        if options["variance"]:
            tables["variance"] = variance_line(scores)
        return tables

    def _tell_of_topics_left_out(self, given: int, kept: int) -> None:
        if kept < given:
            self.stderr.write(f"{given - kept} of {given} topics have no value for some run and are left out")


def _written(head: dict[str, Any], compared: Comparison, tables: Tables, form: str) -> str:
    sizes = {"runs": len(compared.kept), "pairs": len(compared.better)}
    lines = compared.pairs()
    if form == "json":
        return as_json(head | sizes | {"fractions": compared.fractions, "comparisons": lines} | tables)
    if form == "csv":
        return as_csv(_lines(next(iter(tables.values()), lines)))
    summary = {"judgments": head["judged"], "measure": head["measure"], **sizes, **compared.fractions}
    parts = [[summary], [_narrow(line) for line in lines], *map(_lines, tables.values())]
    return "\n\n".join(as_table(part) for part in parts)


def _lines(table: Table) -> list[dict[str, Any]]:
    return table if isinstance(table, list) else [table]


def _narrow(line: dict[str, Any]) -> dict[str, Any]:
    """What fits on a screen: the p-values, with a star where significant."""
    shown = {name: line[name] for name in ("better", "worse", "base")}
    for name in get_args(Contrast):
        if f"{name}_p" in line:
            p = line[f"{name}_p"]
            star = "*" if line[f"{name}_significant"] else " "
            heading = "p pessimistic" if name == "pessimistic" else f"p vs {name}"
            shown[heading] = "–" if p is None else f"{p:.4f}{star}"
    shown |= {"d": line["cohen_d"], "superiority": _with_interval(line, "superiority")}
    shown |= {"rank-biserial": _with_interval(line, "rank_biserial")}
    if "confidence" in line:
        shown |= {"E": line["expected"], "sd": line["deviation"], "confidence": line["confidence"]}
    return shown


def _with_interval(line: dict[str, Any], name: str) -> str:
    value, low, high = (line[key] for key in (name, f"{name}_low", f"{name}_high"))
    return "–" if value is None else f"{value:.2f} [{low:.2f}, {high:.2f}]"
