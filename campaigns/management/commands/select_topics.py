from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.management.offline.method_options import add_method_options, gather_options
from campaigns.management.offline.output import OfflineCommand, as_csv, as_json, as_table, usage_errors
from campaigns.management.offline.topic_lists import known_relevance, topic_setting
from campaigns.scoring.judged_collection import JudgedCollection
from selection.topics.lists import POOL_DEPTH
from selection.topics.measures import FORMS
from selection.topics.methods import (
    TOPIC_METHODS,
    Judged,
    TopicChoice,
    TopicMethod,
    check_topic_options,
    make_topic_method,
    order_topics,
)
from selection.topics.performance import TopicSetting
from selection.topics.subset import FEWEST_RUNS


class Command(OfflineCommand):
    help = (
        "Order topics by how much judging each helps to rank the runs as all topics would (Hosseini and "
        "others 2012), with the reasons for each."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(
            parser, qrels="the answers of the assessors, or with --next their judgments so far", average=False
        )
        parser.add_argument(
            "--method",
            required=True,
            type=_method,
            choices=list(TOPIC_METHODS),
            help="method that orders the topics",
        )
        parser.add_argument(
            "--topics", type=option.count, required=True, metavar="N", help="number of topics to choose"
        )
        parser.add_argument(
            "--measure",
            action="append",
            dest="measures",
            metavar="M",
            help=f"measure that compares the runs: {FORMS}; may be repeated with adaptive* (default: AP)",
        )
        parser.add_argument(
            "--next",
            action="store_true",
            help="take the topics that the qrels judge as chosen, and print those to judge next; without it, "
            "each topic is judged by the qrels once it is chosen",
        )
        parser.add_argument(
            "--at-once",
            type=option.count,
            default=1,
            metavar="K",
            help="number of topics chosen before the method learns from their judgments (default: "
            "%(default)s)",
        )
        parser.add_argument(
            "--depth",
            type=option.count,
            default=POOL_DEPTH,
            metavar="N",
            help="documents of each run and topic that would be judged (default: %(default)s)",
        )
        add_method_options(parser, TOPIC_METHODS, seed_for="for methods that draw")

    def run(self, options: dict[str, Any]) -> None:
        if options["next"] and options["method"] == "oracle":
            raise CommandError("the oracle chooses from complete judgments, not with --next", returncode=2)
        setting, judged, gains = self._read(options)
        with usage_errors():
            given = gather_options(options["method"], options["option"], check_topic_options)
            method = make_topic_method(options["method"], setting, given)
            choices = _chosen(method, judged, options)
        if len(choices) < options["topics"]:
            left = f"{len(choices)} of {len(setting.topics)} topics"
            self.stderr.write(f"{options['topics']} topics were wanted, and there are {left} to choose")
        self._print(setting, judged, choices, {**options, "option": given}, gains)

    def _read(self, options: dict[str, Any]) -> tuple[TopicSetting, Judged, dict[str, Any]]:
        """The topics, what is judged of them, and the gains used as the head of the output has them."""
        measures = tuple(options["measures"] or ["AP"])
        if len(measures) > 1 and not TOPIC_METHODS[options["method"]].several:
            raise CommandError(f"{options['method']} takes one measure, adaptive* several", returncode=2)
        campaign, grading = self.read_all(options)
        if len(campaign.runs) < FEWEST_RUNS:
            why = f"{len(campaign.runs)} runs: topics are chosen with {FEWEST_RUNS} or more"
            raise FormatError(str(options["runs"][0]), [LineError(None, why)])
        depth = options["depth"]
        with usage_errors():
            setting = topic_setting(campaign, measures=measures, depth=depth, seed=options["seed"])
        known = known_relevance(campaign, grading, depth)
        # In a replay, what the qrels do not know is judged not relevant; otherwise it is not judged yet.
        judged = known if options["next"] else {n: np.nan_to_num(one) for n, one in known.items()}
        return setting, judged, self._relevance_used(campaign, grading, measures)

    def _relevance_used(
        self, campaign: JudgedCollection, grading: Grading, measures: Sequence[str]
    ) -> dict[str, Any]:
        """Gains as in `gains_used`: topics are chosen by relevance, so RBP, too, has gains of 0 and 1
        only."""
        scaled = [name for name in measures if name.startswith("RBP")]
        if not scaled or not campaign.grades or campaign.grades[-1] <= 1:
            return {}
        self.stderr.write(f"Topics are chosen by relevance: {scaled[0]} has gain 1 for every relevant grade.")
        return {"gains": {str(grade): float(grading.gain(grade) > 0) for grade in campaign.grades}}

    def _print(
        self,
        setting: TopicSetting,
        judged: Judged,
        choices: list[TopicChoice],
        options: dict[str, Any],
        gains: dict[str, Any],
    ) -> None:
        rows = [
            {
                "place": place,
                "topic": setting.numbers[choice.topic],
                "judged": choice.topic in judged,
                **{name: value for name, value in asdict(choice).items() if name != "topic"},
            }
            for place, choice in enumerate(choices, 1)
        ]
        if options["format"] == "json":
            about = {name: options[name] for name in ("method", "seed", "depth", "at_once", "next")}
            chosen = {"measures": setting.measures, **gains, "options": options["option"], "topics": rows}
            self.stdout.write(as_json(about | chosen))
        elif options["format"] == "csv":
            self.stdout.write(as_csv(rows))
        else:
            self.stdout.write(as_table(rows))


def _method(name: str) -> str:
    """Among methods for topics, `random` can only mean topics."""
    return option.one_of("method that chooses topics", TOPIC_METHODS)(
        "random-topics" if name == "random" else name
    )


def _chosen(method: TopicMethod, judged: Judged, options: dict[str, Any]) -> list[TopicChoice]:
    if options["next"]:
        return method.choose(sorted(judged), judged, options["topics"])
    return order_topics(method, judged, options["topics"], at_once=options["at_once"])
