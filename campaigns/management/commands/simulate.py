from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
from django.core.management.base import CommandError, CommandParser, OutputWrapper

from campaigns.formats.errors import FormatError
from campaigns.formats.prels import format_prel
from campaigns.formats.qrels import write_qrels
from campaigns.management.offline import options as option
from campaigns.management.offline.files import read_contributing
from campaigns.management.offline.method_options import add_method_options, gather_options
from campaigns.management.offline.output import (
    OfflineCommand,
    as_csv,
    as_json,
    as_table,
    atomic_write,
    is_stdout,
    progress_bar,
)
from campaigns.management.offline.simulation import (
    STOP_FORMS,
    STOP_HELP,
    Simulation,
    SimulationPlan,
    simulate,
    stop_condition,
)
from evaluation.arrays import BoolArray
from selection.registry import METHODS
from selection.topics.methods import TOPIC_METHODS

_FILES_OUT = ("order_out", "qrels_out", "prels_out")
PAIRWISE_METHODS = ("mtc", "mtc+statap")
SAMPLING_METHODS = ("statap", "mtc+statap")


class Command(OfflineCommand):
    help = "Replay a campaign: a method chooses documents, known qrels answer."

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument("--method", required=True, choices=list(METHODS))
        parser.add_argument("--p", type=option.persistence, default=0.8, help="RBP's persistence")
        parser.add_argument("--scope", choices=["campaign", "topic"], default="campaign")
        parser.add_argument(
            "--batch",
            type=option.count,
            default=1,
            help="judgments after which the weights of B and C are computed again (1)",
        )
        budget = parser.add_mutually_exclusive_group(required=True)
        budget.add_argument("--judgments", type=option.count, metavar="N", help="total judgments to simulate")
        budget.add_argument("--per-topic", type=option.count, metavar="N", help="judgments of each topic")
        parser.add_argument(
            "--topic-method",
            choices=list(TOPIC_METHODS),
            metavar="M",
            help="release topics one by one in this order, each judged --per-topic N before the next: "
            f"{', '.join(TOPIC_METHODS)}. Without it all are open from the start",
        )
        parser.add_argument(
            "--release",
            type=option.count,
            metavar="N",
            help="how many topics are released (default: all)",
        )
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
        add_method_options(parser, seed_for="for methods that draw; pooling, A, B and C draw nothing")
        parser.add_argument("--until", type=stop_condition, metavar="TEST", help=f"{STOP_FORMS}: {STOP_HELP}")
        parser.add_argument(
            "--test-every",
            type=option.count,
            default=1,
            metavar="N",
            help="ask --until after N judgments each",
        )
        parser.add_argument(
            "--order-out",
            type=Path,
            metavar="FILE",
            help="topic docno weight, in the order chosen; on /dev/stdout, the result goes to stderr",
        )
        parser.add_argument(
            "--qrels-out",
            type=Path,
            metavar="FILE",
            help="what was judged, as qrels; on /dev/stdout, the result goes to stderr",
        )
        parser.add_argument(
            "--prels-out",
            type=Path,
            metavar="FILE",
            help="the same with the probability that each document was drawn, for evaluate --prels; with "
            f"{' and '.join(SAMPLING_METHODS)} only",
        )

    def run(self, options: dict[str, Any]) -> None:
        if options["prels_out"] and options["method"] not in SAMPLING_METHODS:
            raise CommandError(
                f"{options['method']} draws no sample: --prels-out needs {' or '.join(SAMPLING_METHODS)}",
                returncode=2,
            )
        if options["topic_method"] and not options["per_topic"]:
            raise CommandError("--topic-method needs --per-topic N", returncode=2)
        if options["release"] and not options["topic_method"]:
            raise CommandError("--release needs --topic-method M", returncode=2)
        with _usage_errors():
            options["options"] = gather_options(options["method"], options["option"])
        on_stdout = [name for name in _FILES_OUT if options[name] and is_stdout(options[name])]
        if len(on_stdout) > 1:
            names = " and ".join(f"--{name.replace('_', '-')}" for name in on_stdout)
            raise CommandError(f"{names} are stdout: it takes one of them", returncode=2)
        campaign, grading = self.read(options)
        contributing = read_contributing(options["contributing"], campaign.runs)
        plan = SimulationPlan(**{name: options[name] for name in SimulationPlan.__dataclass_fields__})
        self._tell_of_too_few_runs(plan, contributing)
        topics = min(plan.release or len(campaign.topics), len(campaign.topics))
        budget = plan.judgments or (plan.per_topic or 0) * topics
        with ExitStack() as stack, _usage_errors():
            # Opened before the work, so that a wrong name costs no time.
            order, qrels, prels = (
                None if options[name] is None else stack.enter_context(self._opened(options[name]))
                for name in _FILES_OUT
            )
            with progress_bar("Judging", budget) as advance:
                made = simulate(campaign, plan, contributing, grading, advance)
            if order is not None:
                order.writelines(f"{topic} {docno} {weight:.12g}\n" for topic, docno, weight in made.order())
            if qrels is not None:
                write_qrels(made.qrels(), qrels)
            if prels is not None:
                prels.writelines(format_prel(*row) for row in made.prels())
                self._tell_of_unjudged_samples(made)
        self._print(made, options["format"], self.stderr if on_stdout else self.stdout)

    def _opened(self, file: Path) -> AbstractContextManager[TextIO]:
        # Written over, a file that stdout is sent to would lose what comes after.
        return nullcontext(cast(TextIO, self.stdout)) if is_stdout(file) else atomic_write(file)

    def _tell_of_too_few_runs(self, plan: SimulationPlan, contributing: BoolArray) -> None:
        if plan.method in PAIRWISE_METHODS and np.count_nonzero(contributing) < 2:
            self.stderr.write(
                f"{plan.method} compares runs and fewer than two contribute: the pool's order serves in "
                "place of MTC's"
            )

    def _tell_of_unjudged_samples(self, made: Simulation) -> None:
        if left := made.unjudged_in_samples():
            self.stderr.write(
                f"{left} documents were drawn and not judged: the probabilities in --prels-out are too high. "
                "Judge more, or draw less with --option size=N."
            )

    def _print(self, made: Simulation, form: str, out: OutputWrapper) -> None:
        result = made.as_dict()
        if form == "json":
            out.write(as_json(result))
        elif form == "csv":
            out.write(as_csv(result["scores"]))
        else:
            out.write(as_table(sorted(result.pop("scores"), key=lambda row: -row["base"])))
            given, stopped = result.pop("options"), result.pop("stopped", None)
            released = result.pop("released", None)
            out.write("\n" + as_table([result]))
            if released is not None:
                out.write("\nreleased: " + " ".join(released))
            if given:
                out.write("\n" + " ".join(f"{name}={value}" for name, value in given.items()))
            if stopped is not None:
                out.write("\n" + _sentence(made))


def _sentence(made: Simulation) -> str:
    until, judged = made.plan.until, len(made.replay.topics)
    text = "" if until is None else until.text
    return f"{text}: {'passed at' if made.replay.passed else 'not passed after'} {judged} judgments"


@contextmanager
def _usage_errors() -> Iterator[None]:
    """What method, options or stop test refuse about the runs at hand is wrong usage."""
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise CommandError(str(error), returncode=2) from error
