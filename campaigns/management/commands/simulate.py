from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from campaigns.formats.prels import format_prel, format_stratum
from campaigns.formats.qrels import write_qrels
from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandError, CommandParser, Output
from campaigns.management.offline.files import read_contributing, read_groups
from campaigns.management.offline.method_options import add_method_options, gather_options
from campaigns.management.offline.output import (
    OfflineCommand,
    as_csv,
    as_json,
    as_table,
    atomic_write,
    is_stdout,
    progress_bar,
    usage_errors,
)
from campaigns.management.offline.repetitions import (
    checkpoint_rows,
    long_rows,
    replay_seeds,
    score_rows,
    seed_rows,
    summary,
)
from campaigns.management.offline.simulation import Simulation, SimulationPlan, Simulator
from campaigns.management.offline.stop_conditions import STOP_FORMS, STOP_HELP, stop_condition
from evaluation.arrays import BoolArray
from evaluation.measure import RBP
from selection.registry import METHODS
from selection.simulation.assessor_errors import NO_ERRORS
from selection.topics.methods import TOPIC_METHODS

_FILES_OUT = ("order_out", "qrels_out", "prels_out", "strata_out")
PAIRWISE_METHODS = ("mtc", "mtc+statap")
SAMPLING_METHODS = ("statap", "mtc+statap", "sample", "strata")


class Command(OfflineCommand):
    help = "Replay a campaign: a method chooses documents, known qrels answer."

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument(
            "--method",
            required=True,
            type=option.one_of("method", METHODS),
            choices=list(METHODS),
            help="selection method to replay",
        )
        parser.add_argument(
            "--p",
            type=option.persistence,
            default=0.8,
            help="persistence of RBP, inside (0, 1) (default: %(default)s)",
        )
        option.add_campaign(parser)
        option.add_groups(parser, also="; for --option run_weights=team")
        parser.add_argument(
            "--batch",
            type=option.count,
            default=1,
            help="judgments after which the weights of B and C are computed again (default: %(default)s)",
        )
        budget = parser.add_mutually_exclusive_group(required=True)
        budget.add_argument("--judgments", type=option.count, metavar="N", help="total judgments to simulate")
        budget.add_argument(
            "--per-topic", type=option.count, metavar="N", help="judgments to simulate in each topic"
        )
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
            help="number of topics to release (default: all)",
        )
        parser.add_argument(
            "--unjudged",
            choices=["nonrelevant", "bypass"],
            default="nonrelevant",
            help="treatment of documents that the qrels do not know: judge them not relevant, or bypass them "
            "without cost (default: %(default)s)",
        )
        add_method_options(
            parser,
            seed_for="of samples and assessor errors; pooling, A, B and C draw "
            "nothing by themselves. Several, as 0,1,2 or 0-9, give each result, their mean and standard "
            "deviation",
            several_seeds=True,
        )
        parser.add_argument(
            "--jobs",
            type=option.count,
            default=1,
            metavar="N",
            help="processes that read run files and replay seeds (default: %(default)s)",
        )
        parser.add_argument(
            "--checkpoints",
            type=option.checkpoints,
            default=(),
            metavar="N,N…",
            help="numbers of judgments within the budget after which to give counts and scores, too "
            "(default: only the end). json and csv have every run's scores there",
        )
        parser.add_argument(
            "--assessor-errors",
            type=option.assessor_errors,
            default=NO_ERRORS,
            metavar="MISSED,FALSE",
            help="share of the qrels' relevant documents that the assessor grades not relevant, and of the "
            "others that the assessor grades relevant, with the lowest relevant grade (default: 0,0). "
            "Drawn by document, whatever the order of judging",
        )
        parser.add_argument("--until", type=stop_condition, metavar="TEST", help=f"{STOP_FORMS}: {STOP_HELP}")
        parser.add_argument(
            "--test-every",
            type=option.count,
            default=1,
            metavar="N",
            help="number of judgments between two checks of --until (default: %(default)s)",
        )
        parser.add_argument(
            "--order-out",
            type=Path,
            metavar="FILE",
            help="file for the judged documents in order: topic, docno, weight; on /dev/stdout, the result "
            "goes to stderr",
        )
        parser.add_argument(
            "--qrels-out",
            type=Path,
            metavar="FILE",
            help="file for the judged documents as qrels; on /dev/stdout, the result goes to stderr",
        )
        parser.add_argument(
            "--prels-out",
            type=Path,
            metavar="FILE",
            help="file for the judged documents as prels, each with its sampling probability, for evaluate "
            f"--prels; with {', '.join(SAMPLING_METHODS)} only",
        )
        parser.add_argument(
            "--strata-out",
            type=Path,
            metavar="FILE",
            help="file for the pool with its strata, unjudged documents as -1, for evaluate --strata; with "
            "strata only",
        )

    def run(self, options: dict[str, Any]) -> None:
        _check_usage(options)
        with usage_errors():
            options["options"] = gather_options(options["method"], options["option"])
        campaign, grading = self.read(options)
        contributing = read_contributing(options["contributing"], campaign.runs)
        seeds = options["seed"]
        given = options | {"seed": seeds[0]}
        plan = SimulationPlan(**{name: given[name] for name in SimulationPlan.__dataclass_fields__})
        with usage_errors():
            plan.check(len(campaign.topics), grading)
        self._tell_of_too_few_runs(plan, contributing)
        gains = self.gains_used(campaign, grading, [RBP(plan.p).name])
        groups = None if options["groups"] is None else read_groups(options["groups"], campaign.runs)
        simulator = Simulator(campaign, plan, contributing, grading, groups)
        if len(seeds) > 1:
            self._replay_seeds(simulator, options, gains)
        else:
            self._replay(simulator, options, gains)

    def _replay(self, simulator: Simulator, options: dict[str, Any], gains: dict[str, Any]) -> None:
        plan, campaign = simulator.plan, simulator.campaign
        with ExitStack() as stack, usage_errors():
            # Opened before the work, so that a wrong name costs no time.
            order, qrels, prels, strata = (
                None if options[name] is None else stack.enter_context(self._opened(options[name]))
                for name in _FILES_OUT
            )
            with progress_bar("Judging", plan.budget(len(campaign.topics))) as advance:
                simulation = simulator.run(plan.seed, advance)
            if order is not None:
                order.writelines(
                    f"{topic} {docno} {weight:.12g}\n" for topic, docno, weight in simulation.order()
                )
            if qrels is not None:
                write_qrels(simulation.qrels(), qrels)
            if strata is not None:
                strata.writelines(format_stratum(*row) for row in simulation.strata())
            if prels is not None:
                prels.writelines(format_prel(*row) for row in simulation.prels())
                self._tell_of_unjudged_samples(simulation)
        for notice in simulation.notices():
            self.stderr.write(notice)
        on_stdout = any(options[name] and is_stdout(options[name]) for name in _FILES_OUT)
        result = simulation.as_dict() | gains
        self._print(result, options["format"], self.stderr if on_stdout else self.stdout)

    def _replay_seeds(self, simulator: Simulator, options: dict[str, Any], gains: dict[str, Any]) -> None:
        seeds = options["seed"]
        with usage_errors(), progress_bar("Replaying seeds", len(seeds)) as advance:
            replays = replay_seeds(simulator, seeds, jobs=options["jobs"], progress=advance)
        for seed, (_, notices) in zip(seeds, replays, strict=True):
            for notice in notices:
                self.stderr.write(f"seed {seed}: {notice}")
        result = summary([one for one, _ in replays]) | gains
        if all(one["scores"] == replays[0][0]["scores"] for one, _ in replays):
            self.stderr.write("every seed gives the same scores: nothing that counts was drawn")
        self._print(result, options["format"], self.stdout)

    def _opened(self, file: Path) -> AbstractContextManager[TextIO]:
        # Written over, a file that stdout is sent to would lose what comes after.
        return nullcontext(self.stdout.stream) if is_stdout(file) else atomic_write(file)

    def _tell_of_too_few_runs(self, plan: SimulationPlan, contributing: BoolArray) -> None:
        if plan.method in PAIRWISE_METHODS and np.count_nonzero(contributing) < 2:
            self.stderr.write(
                f"{plan.method} compares runs and fewer than two contribute: the pool's order serves in "
                "place of MTC's"
            )

    def _tell_of_unjudged_samples(self, simulation: Simulation) -> None:
        if left := simulation.unjudged_in_samples():
            self.stderr.write(
                f"{left} documents were drawn and not judged: the probabilities in --prels-out are too high. "
                "Judge more, or draw less with --option size=N."
            )

    def _print(self, result: dict[str, Any], form: str, out: Output) -> None:
        if form == "json":
            out.write(as_json(result))
        elif form == "csv":
            out.write(as_csv(long_rows(result)))
        else:
            out.write("\n\n".join(_tables(result)))


def _tables(result: dict[str, Any]) -> Iterator[str]:
    """Tables for a person, part by part."""
    yield as_table(score_rows(result))
    yield as_table([{name: value for name, value in result.items() if not isinstance(value, dict | list)}])
    if "each" in result:
        yield as_table(seed_rows(result))
    if "checkpoints" in result or "checkpoints" in result.get("mean", ()):
        yield as_table(checkpoint_rows(result))
    if "released" in result:
        yield "released: " + " ".join(result["released"])
    for named in ("options", "assessor_errors"):
        if result.get(named):
            yield " ".join(f"{name}={value}" for name, value in result[named].items())
    if stopped := result.get("stopped"):
        passed = "passed at" if stopped["passed"] else "not passed after"
        yield f"{stopped['until']}: {passed} {result['judged']} judgments"


def _check_usage(options: dict[str, Any]) -> None:
    """Refuse options that contradict each other, before any file is read."""
    if options["prels_out"] and options["method"] not in SAMPLING_METHODS:
        raise _wrong(
            f"{options['method']} draws no sample: --prels-out needs one of {', '.join(SAMPLING_METHODS)}"
        )
    if options["strata_out"] and options["method"] != "strata":
        raise _wrong(f"{options['method']} has no strata: --strata-out needs --method strata")
    by_team = ("run_weights", "team") in options["option"]
    if by_team and not options["groups"]:
        raise _wrong("--option run_weights=team needs --groups FILE")
    if options["groups"] and not by_team:
        raise _wrong("--groups is read with --option run_weights=team only")
    if options["topic_method"] and not options["per_topic"]:
        raise _wrong("--topic-method needs --per-topic N")
    if options["release"] and not options["topic_method"]:
        raise _wrong("--release needs --topic-method M")
    files = [name for name in _FILES_OUT if options[name]]
    on_stdout = [name for name in files if is_stdout(options[name])]
    if len(on_stdout) > 1:
        raise _wrong(f"{' and '.join(map(_flag, on_stdout))} are stdout: it takes one of them")
    if files and len(options["seed"]) > 1:
        raise _wrong(f"{_flag(files[0])} holds one replay: give one seed")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _wrong(message: str) -> CommandError:
    return CommandError(message, returncode=2)
