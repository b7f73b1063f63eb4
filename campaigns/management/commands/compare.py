from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.management.offline.comparison import (
    TOP_SHARE,
    Comparison,
    Contrast,
    MeasureScores,
    TestedScore,
    compare,
    components_line,
    gather,
)
from campaigns.management.offline.files import read_order
from campaigns.management.offline.orders import RunOrder, agreements, shared_topics
from campaigns.management.offline.output import (
    OfflineCommand,
    as_csv,
    as_json,
    as_table,
    progress_bar,
    usage_errors,
)
from campaigns.scoring.measured_rankings import Relevance
from campaigns.scoring.pair_confidences import pair_confidences
from campaigns.scoring.score_tables import score_runs
from evaluation.comparison.pairs import Rule
from evaluation.comparison.significance import CORRECTIONS, TESTS
from evaluation.measure import RBP

# One line, or several.
Table = dict[str, Any] | list[dict[str, Any]]
Tables = dict[str, Table]


class Command(OfflineCommand):
    help = (
        "Test every pair of the best runs: is the base score of the better significantly above the base, the "
        "top and the projected score of the other? For EAP also how sure the judgments make it, by the "
        "calibrated and by a published model."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser, several_qrels=True)
        parser.add_argument(
            "--measure",
            type=option.measure,
            action="append",
            metavar="M",
            help="measure, such as RBP(p=0.8), AP or nDCG@10; may be repeated (default: RBP(p=0.8)). The "
            "first measure and the first qrels test the pairs; with several, the agreement of the "
            "orders is shown",
        )
        parser.add_argument(
            "--on",
            choices=get_args(TestedScore),
            default="score",
            help="score to test: score sets the better run's against the other's base, top and projection; "
            "the others are estimates of both runs' scores, made by topic (default: %(default)s)",
        )
        _add_test(parser)
        parser.add_argument(
            "--top-share",
            type=option.share,
            metavar="0.333",
            help=f"share of the runs to compare, the best by --top-by (default: {TOP_SHARE}, or all runs "
            "where that leaves fewer than two)",
        )
        parser.add_argument(
            "--top-by",
            type=option.measure,
            metavar="M",
            help="measure that chooses the best runs (default: the tested score)",
        )
        parser.add_argument(
            "--pessimistic",
            action="store_true",
            help="also test the gaps between the two runs' score ranges; topics where they overlap count 0",
        )
        parser.add_argument(
            "--orders",
            type=Path,
            nargs="+",
            default=[],
            metavar="FILE",
            help="files of given orders of the runs, best first, one tag a line: shows how the orders by "
            "mean score agree with them (Kendall's tau, AP correlation, Spearman's rho, rank-biased "
            "overlap, and the overlap of the top share), over the runs that the files name; as csv, "
            "this table alone",
        )
        parser.add_argument(
            "--components",
            action="store_true",
            help="also show the variance components of all runs' scores, the stability of their "
            "differences, and the topics needed for a stability of 0.95; as csv, this table alone",
        )
        option.add_cuts(parser)
        option.add_relevance(parser)

    def run(self, options: dict[str, Any]) -> None:
        measures = list({each.name: each for each in options["measure"] or [RBP(0.8)]}.values())
        several = len(measures) + len(options["qrels"]) + len(options["orders"]) > 2
        if options["format"] == "csv" and several and options["components"]:
            raise CommandError("csv holds one table: give several orders or --components", returncode=2)
        chosen_by = options["top_by"] or measures[0]
        asked = list({each.name: each for each in (*measures, chosen_by)}.values())
        option.check_relevance(asked, options["relevance"])
        campaigns = [self.read(options | {"qrels": file, "measure": asked}) for file in options["qrels"]]
        campaign, grading = campaigns[0]
        # Before the scoring, so that an error in a file does not take long to show.
        given = [RunOrder(file.name, given=read_order(file, campaign.runs)) for file in options["orders"]]
        names = ("test", "tails", "alpha", "correction", "seed")
        with progress_bar("Scoring", sum(len(one.topics) for one, _ in campaigns)) as advance:
            relevance: Relevance = options["relevance"]
            outcomes = [score_runs(one, asked, of, advance, relevance) for one, of in campaigns[1:]]
            if any(each.needs == "expected" for each in asked):
                # Scores and confidences share one fit.
                relevance = relevance.fit(campaign, grading)
            outcomes.insert(0, score_runs(campaign, asked, grading, advance, relevance))
        with usage_errors():
            rule = Rule(**{name: options[name] for name in names})
            scores = [gather(outcome, each.name) for outcome in outcomes for each in measures]
            best = None if options["top_by"] is None else gather(outcomes[0], chosen_by.name).base
            how = {"on": options["on"], "pessimistic": options["pessimistic"], "chosen_by": best}
            compared = compare(scores[0], rule, options["top_share"], **how)
            tables: Tables = {}
            if several:
                tables["agreement"] = self._agreement(given, scores, options)
            if options["components"]:
                tables["components"] = components_line(scores[0])
        if measures[0].needs == "expected":
            with progress_bar("Confidence", 2 * len(campaign.topics)) as advance:
                confidences = pair_confidences(campaign, compared.runs, grading, relevance, advance)
            compared = replace(compared, confidences=confidences)
        for notice in compared.notices(len(campaign.topics)):
            self.stderr.write(notice)
        head: dict[str, Any] = {"topics": len(compared.scores.topics), "judged": campaign.judged}
        head |= {"measure": measures[0].name} | {name: options[name] for name in names if name != "seed"}
        head |= self.gains_used(campaign, grading, [one.name for one in asked if one.reads_gains])
        head |= {} if options["on"] == "score" else {"on": options["on"]}
        head |= {} if options["top_by"] is None else {"top_by": chosen_by.name}
        head |= {} if compared.confidences is None else {"published": relevance.published.source}
        self.stdout.write(_written(head, compared, tables, options["format"]))

    def _agreement(
        self, given: list[RunOrder], scores: list[MeasureScores], options: dict[str, Any]
    ) -> list[dict[str, Any]]:
        files = options["qrels"]
        are_named_apart = len({file.name for file in files}) == len(files)
        labels = [f", {file.name if are_named_apart else file}" if len(files) > 1 else "" for file in files]
        each = len(scores) // len(files)
        by_scores = [RunOrder(f"{of.measure}{labels[n // each]}", of) for n, of in enumerate(scores)]
        for order, file in zip(given, options["orders"], strict=True):
            if order.given is not None and (missing := len(scores[0].runs) - len(order.given)):
                text = f"{missing} of {len(scores[0].runs)} runs are not in {file} and are left out"
                self.stderr.write(f"{text} of the agreement")
        orders = [*given, *by_scores]
        if any(len(of.topics) > len(shared_topics(by_scores)) for of in scores):
            self.stderr.write("Some topics are not in all orders; each pair is compared on those in both")
        with progress_bar("Comparing orders", len(orders) * (len(orders) - 1) // 2) as advance:
            return agreements(orders, options["top_share"] or TOP_SHARE, options["seed"], advance)


def _add_test(parser: CommandParser) -> None:
    parser.add_argument(
        "--test", choices=TESTS, default="wilcoxon", help="paired test over topics (default: %(default)s)"
    )
    parser.add_argument(
        "--alpha",
        type=option.persistence,
        default=0.05,
        metavar="0.05",
        help="significance level, inside (0, 1) (default: %(default)s)",
    )
    parser.add_argument(
        "--tails",
        type=int,
        choices=[1, 2],
        default=1,
        help="tails of the test: 1 for whether a run is better, 2 for whether they differ (default: "
        "%(default)s)",
    )
    parser.add_argument(
        "--correction",
        choices=CORRECTIONS,
        default="none",
        help="correction for the number of pairs (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="random seed of the randomisation test and of the intervals of --orders (default: %(default)s)",
    )


def _written(head: dict[str, Any], compared: Comparison, tables: Tables, form: str) -> str:
    of_runs = len(compared.scores.runs)
    sizes = {"runs": len(compared.runs), "of_runs": of_runs, "pairs": len(compared.better)}
    lines = compared.pairs()
    if form == "json":
        return as_json(head | sizes | {"fractions": compared.fractions, "comparisons": lines} | tables)
    if form == "csv":
        return as_csv(_lines(next(iter(tables.values()), lines)))
    summary = {"judgments": head["judged"], "measure": head["measure"]}
    summary |= {"runs": f"{len(compared.runs)} of {of_runs}", "pairs": len(compared.better)}
    summary |= compared.fractions
    parts = [[summary], [_narrow(line, head.get("published", "")) for line in lines]]
    for name, table in tables.items():
        parts.append(_wide(_lines(table)) if name == "agreement" else _lines(table))
    return "\n\n".join(as_table(part) for part in parts)


def _lines(table: Table) -> list[dict[str, Any]]:
    return table if isinstance(table, list) else [table]


def _narrow(line: dict[str, Any], published: str) -> dict[str, Any]:
    """Row that fits on a screen: the p-values, with a star where significant. `published`: the basis of the
    published confidence."""
    tested = next(name for name in get_args(Contrast) if name in line)
    shown = {name: line[name] for name in ("better", "worse", tested)}
    for name in get_args(Contrast):
        if f"{name}_p" in line:
            p = line[f"{name}_p"]
            star = "*" if line[f"{name}_significant"] else " "
            heading = "p pessimistic" if name == "pessimistic" else f"p vs {name}"
            shown[heading] = "–" if p is None else f"{p:.4f}{star}"
    shown |= {"d": line["cohen_d"]}
    for heading, name in (("superiority", "superiority"), ("rank-biserial", "rank_biserial")):
        shown[heading] = _with_interval(line[name], line[f"{name}_low"], line[f"{name}_high"])
    if "confidence" in line:
        shown |= {"E": line["expected"], "sd": line["deviation"]}
        shown |= {"calibrated confidence": line["confidence"], published: line["published_confidence"]}
    return shown


def _wide(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A line for each pair of orders, with its coefficients side by side."""
    shown: dict[tuple[str, str], dict[str, Any]] = {}
    for line in lines:
        names = {"first": line["first"], "second": line["second"]}
        row = shown.setdefault((line["first"], line["second"]), names)
        row[line["coefficient"]] = _with_interval(line["value"], line["low"], line["high"])
    return list(shown.values())


def _with_interval(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} [{low:.2f}, {high:.2f}]"
