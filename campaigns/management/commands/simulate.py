from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import CommandParser

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.qrels import write_qrels
from campaigns.offline import options as option
from campaigns.offline.command import OfflineCommand, progress_bar
from campaigns.offline.contributing import read_contributing
from campaigns.offline.output import as_csv, as_json, as_table
from campaigns.offline.simulation import Plan, Simulation, simulate
from selection.methods import METHODS


class Command(OfflineCommand):
    help = "Hold a campaign again: known qrels answer, a method asks."

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument("--method", required=True, choices=list(METHODS))
        parser.add_argument("--p", type=option.persistence, default=0.8, help="RBP's persistence")
        parser.add_argument("--scope", choices=["campaign", "topic"], default="campaign")
        parser.add_argument(
            "--batch", type=option.count, default=1, help="make weights anew after N judgments"
        )
        budget = parser.add_mutually_exclusive_group(required=True)
        budget.add_argument("--judgments", type=option.count, metavar="N", help="of the whole campaign")
        budget.add_argument("--per-topic", type=option.count, metavar="N", help="of each topic")
        parser.add_argument(
            "--contributing", type=Path, metavar="FILE", help="names of the runs that choose documents"
        )
        parser.add_argument(
            "--unjudged",
            choices=["nonrelevant", "bypass"],
            default="nonrelevant",
            help="what to do with a document that the qrels do not know: judge it not relevant, or leave "
            "it aside without cost",
        )
        parser.add_argument(
            "--seed", type=int, default=0, help="for methods that draw; pooling, A, B and C draw nothing"
        )
        parser.add_argument(
            "--order-out", type=Path, metavar="FILE", help="topic docno weight, in the order chosen"
        )
        parser.add_argument("--qrels-out", type=Path, metavar="FILE", help="what was judged, as qrels")

    def run(self, options: dict[str, Any]) -> None:
        campaign, grading = self.read(options)
        contributing = read_contributing(options["contributing"], campaign.runs)
        plan = Plan(**{name: options[name] for name in Plan.__dataclass_fields__})
        budget = plan.judgments or (plan.per_topic or 0) * len(campaign.topics)
        with ExitStack() as stack:
            # Opened before the work, so that a wrong name costs no time.
            order, qrels = (_open(stack, options[name]) for name in ("order_out", "qrels_out"))
            with progress_bar("Judging", budget) as advance:
                made = simulate(campaign, plan, contributing, grading, advance)
            if order is not None:
                order.writelines(f"{topic} {docno} {weight:.12g}\n" for topic, docno, weight in made.order())
            if qrels is not None:
                write_qrels(made.qrels(), qrels)
        self._print(made, options["format"])

    def _print(self, made: Simulation, form: str) -> None:
        result = made.as_dict()
        if form == "json":
            self.stdout.write(as_json(result))
        elif form == "csv":
            self.stdout.write(as_csv(result["scores"]))
        else:
            self.stdout.write(as_table(sorted(result.pop("scores"), key=lambda row: -row["base"])))
            self.stdout.write("\n" + as_table([result]))


def _open(stack: ExitStack, file: Path | None) -> TextIO | None:
    if file is None:
        return None
    try:
        return stack.enter_context(file.open("w", encoding="utf-8", newline="\n"))
    except OSError as error:
        raise FormatError(str(file), [LineError(None, (error.strerror or str(error)).lower())]) from error
