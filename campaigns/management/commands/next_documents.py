from __future__ import annotations

from pathlib import Path
from typing import Any

from campaigns.formats.qrels import NOT_JUDGED, write_qrels
from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.management.offline.files import read_contributing, read_groups
from campaigns.management.offline.method_options import add_method_options, gather_options
from campaigns.management.offline.output import (
    OfflineCommand,
    as_csv,
    as_json,
    as_table,
    atomic_write,
    usage_errors,
)
from campaigns.scoring.selection_state import Selection, SelectionPlan, ServedDocument
from evaluation.measure import RBP
from selection.registry import METHODS

USUAL_NUMBER = 100


class Command(OfflineCommand):
    help = "Show which documents to judge next, given runs and what is judged of them so far."

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser, qrels="the judgments so far (default: none)", average=False)
        parser.add_argument(
            "--method",
            default="C",
            type=option.one_of("method", METHODS),
            choices=list(METHODS),
            help="selection method (default: %(default)s)",
        )
        parser.add_argument(
            "--p",
            type=option.persistence,
            default=0.8,
            help="persistence of RBP, inside (0, 1) (default: %(default)s)",
        )
        option.add_campaign(parser)
        option.add_groups(parser, also="; for --option run_weights=team")
        number = parser.add_mutually_exclusive_group()
        number.add_argument(
            "--number",
            type=option.count,
            default=USUAL_NUMBER,
            metavar="N",
            help="number of documents, of all topics together, in their order (default: %(default)s)",
        )
        number.add_argument(
            "--per-topic", type=option.count, metavar="N", help="number of documents of each topic instead"
        )
        parser.add_argument(
            "--topic",
            action="append",
            metavar="TOPIC",
            help="topic to serve; may be repeated (default: all topics)",
        )
        add_method_options(parser, seed_for="of samples")
        parser.add_argument(
            "--qrels-out",
            type=Path,
            metavar="FILE",
            help="also write the documents as qrels with grade -1 (not judged), for grades to be filled in",
        )

    def run(self, options: dict[str, Any]) -> None:
        method = options["method"]
        with usage_errors():
            given = gather_options(method, options["option"])
            plan = SelectionPlan(method, options["p"], options["scope"], given, options["seed"])
        if (given.get("run_weights") == "team") != (options["groups"] is not None):
            raise CommandError("--groups FILE and --option run_weights=team need each other", returncode=2)
        collection, grading = self.read_all(options)
        contributing = read_contributing(options["contributing"], collection.runs)
        groups = None if options["groups"] is None else read_groups(options["groups"], collection.runs)
        gains = self.gains_used(collection, grading, [RBP(options["p"]).name])
        with usage_errors():
            selection = Selection(collection, grading, plan, contributing, groups)
            chosen = selection.next(options["number"], options["per_topic"], options["topic"] or ())
        if file := options["qrels_out"]:
            with atomic_write(file) as out:
                write_qrels(((one.topic, one.docno, NOT_JUDGED) for one in chosen), out)
        if not chosen:
            self.stderr.write(f"{method} has no document left")
        head = {"method": method, "p": plan.p, "scope": plan.scope, "options": dict(plan.options)}
        head |= {"seed": plan.seed, "judged": collection.judged} | gains
        self.stdout.write(_written(head, chosen, options["format"]))


def _written(head: dict[str, Any], chosen: list[ServedDocument], form: str) -> str:
    lines = [{"place": place, **document._asdict()} for place, document in enumerate(chosen, 1)]
    if form == "json":
        return as_json(head | {"documents": lines})
    return as_csv(lines) if form == "csv" else as_table(lines)
