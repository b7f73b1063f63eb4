from __future__ import annotations

from typing import Any

from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.management.offline.files import read_contributing
from campaigns.management.offline.options import seed
from campaigns.management.offline.output import (
    OfflineCommand,
    as_csv,
    as_json,
    as_table,
    progress_bar,
    usage_errors,
)
from campaigns.management.offline.planning import (
    Planner,
    PlanningRequest,
    budget_lines,
    target_lines,
)
from evaluation.measure import RBP
from selection.registry import DEFAULT_PLAN_METHODS, PLANNABLE_METHODS
from selection.simulation.planning import FURTHER_JUDGMENTS, PLAN_DRAWS, PlanTarget


class Command(OfflineCommand):
    help = (
        "Estimate the judgments and hours still to make until the mean residual or the order of the runs "
        "reaches a target, by method and persistence. Each method is simulated from the judgments of --qrels "
        "on, or without them from the first document on, with relevance drawn from a model. The range is "
        "that of the simulations; calibrate --planner measures how often it contains the outcome."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(
            parser, qrels="judgments made so far: plans begin with them, and the model learns from them"
        )
        several = f"selection method; may be repeated (default: {', '.join(DEFAULT_PLAN_METHODS)})"
        parser.add_argument(
            "--method",
            action="append",
            type=option.one_of("method that can be planned with", PLANNABLE_METHODS),
            choices=PLANNABLE_METHODS,
            help=several,
        )
        parser.add_argument(
            "--p",
            action="append",
            type=option.persistence,
            metavar="0.8",
            help="persistence of RBP, inside (0, 1); may be repeated (default: 0.8)",
        )
        parser.add_argument(
            "--residual",
            action="append",
            default=[],
            type=option.share,
            metavar="R",
            help="target mean residual of all runs, in (0, 1]; may be repeated",
        )
        parser.add_argument(
            "--tau",
            action="append",
            default=[],
            type=option.correlation,
            metavar="T",
            help="target Kendall's tau between the order of the runs and the final one, in [-1, 1]; may be "
            "repeated",
        )
        parser.add_argument(
            "--budget",
            type=option.count,
            metavar="N",
            help="maximum number of judgments, those of --qrels included (default: these and "
            f"{FURTHER_JUDGMENTS:,} more)",
        )
        option.add_campaign(parser)
        parser.add_argument(
            "--draws",
            type=option.count,
            default=PLAN_DRAWS,
            help="simulations per method (default: %(default)s)",
        )
        parser.add_argument("--seed", type=seed, default=0, help="random seed (default: %(default)s)")
        parser.add_argument(
            "--minutes-per-topic",
            type=option.amount,
            default=10.0,
            metavar="10",
            help="minutes to develop a topic that has no judgment (default: %(default)s)",
        )
        parser.add_argument(
            "--seconds-per-judgment",
            type=option.amount,
            default=30.0,
            metavar="30",
            help="seconds per judgment (default: %(default)s)",
        )

    def run(self, options: dict[str, Any]) -> None:
        asked = _asked(options)
        if options["qrels"] is None and options["topics"] == "judged":
            raise CommandError("--topics judged asks for --qrels", returncode=2)
        campaign, grading = self.read_all(options)
        contributing = read_contributing(options["contributing"], campaign.runs)
        with usage_errors():
            planner = Planner(campaign, grading, asked, contributing)
        if planner.judged and planner.relevant == planner.judged:
            self.stderr.write(
                "every judged document is relevant, and so will others be: qrels that leave out what was "
                "judged not relevant mislead the plan"
            )
        plans_drawn = len(asked.methods) * len(asked.ps) * asked.draws
        with usage_errors(), progress_bar("Planning", plans_drawn) as advance:
            plans = list(planner.plans(advance))
        wanted, bought = target_lines(plans, asked, planner), budget_lines(plans, asked, planner)
        head = {"runs": len(campaign.runs), "topics": len(campaign.topics), "judged": planner.judged}
        head |= {"budget": planner.budget, "draws": asked.draws, "seed": asked.seed}
        gains = self.gains_used(campaign, grading, [RBP(p).name for p in asked.ps])
        if options["format"] == "json":
            tables = {"wanted": wanted, "bought": bought, "pool": planner.pool()}
            self.stdout.write(as_json(head | gains | tables))
        elif options["format"] == "csv":
            self.stdout.write(as_csv(wanted or bought))
        else:
            parts = [[head], wanted, bought, planner.pool()]
            self.stdout.write("\n\n".join(as_table(lines) for lines in parts if lines))


def _asked(options: dict[str, Any]) -> PlanningRequest:
    targets = [PlanTarget("residual", value) for value in options["residual"]]
    targets += [PlanTarget("tau", value) for value in options["tau"]]
    return PlanningRequest(
        tuple(dict.fromkeys(options["method"] or DEFAULT_PLAN_METHODS)),
        tuple(dict.fromkeys(options["p"] or [0.8])),
        tuple(dict.fromkeys(targets)),
        options["budget"],
        options["draws"],
        options["seed"],
        options["scope"],
        options["minutes_per_topic"],
        options["seconds_per_judgment"],
    )
