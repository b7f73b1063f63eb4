from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress

from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.core.errors import Refusal
from campaigns.exchange.archives.folders import ARCHIVES, Contents
from campaigns.exchange.bundles.writer import rows_in, write_bundle
from campaigns.exchange.exports import CSV, EXPORTS, PARQUET, check_form
from campaigns.formats.tables import FileFormat
from campaigns.log.audit import note
from campaigns.management.loading_command import campaign_named
from campaigns.models import Campaign
from campaigns.models.campaign import Policy

_FOLDERS = ("beir", "huggingface", "ir-datasets")
GOES_WITH = {
    "csv": ("judgments",),
    "pooled": ("qrels",),
    "served": ("qrels",),
    "without_texts": ("bundle", *_FOLDERS),
    "pseudonyms": ("bundle",),
}


class Command(BaseCommand):
    help = (
        "Write a campaign's qrels, gains, prels, strata, judgment log, notes, scores, measures, runs, or "
        "all of it, to standard output."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="slug of the campaign, e.g. news-2026")
        parser.add_argument(
            "--what",
            choices=[
                "qrels",
                "gains",
                "prels",
                "strata",
                "judgments",
                "topic-draws",
                "passages",
                "scores",
                "measures",
                *ARCHIVES,
                "bundle",
            ],
            default="qrels",
            help="export to write: qrels, current judgments in TREC format; gains, the gain of each grade, "
            "for --gains of commands on files; prels, the qrels with inclusion probabilities; strata, the "
            "sampled strata of the pool, unjudged documents as -1; judgments, every log entry; "
            "topic-draws, the topics that assessors were offered and took; passages, marked passages and "
            "notes; scores, the RBP score range of every run in every topic; measures, the mean scores of "
            "every run by the campaign's measures; runs, a zip with a file of each run; beir, huggingface "
            "and ir-datasets, a zip of the whole campaign as a folder that BEIR, Hugging Face datasets or "
            "ir_datasets read; bundle, a zip that import_bundle turns into the same campaign "
            "(default: %(default)s)",
        )
        parser.add_argument(
            "--format",
            choices=[*FileFormat],
            default="",
            help="format of a table, also of those in runs: trec (qrels, gains, prels, strata and runs "
            "alone), csv, jsonl or parquet (default: trec; jsonl for judgments and passages, "
            "csv for scores, measures and topic-draws)",
        )
        parser.add_argument(
            "--policy",
            choices=Policy.values,
            default="",
            help="with --what qrels, prels, strata, beir, huggingface or ir-datasets: aggregation policy "
            "where several assessors judged a document "
            "(default: the campaign's own)",
        )
        parser.add_argument(
            "--csv",
            action="store_true",
            help="with --what judgments: CSV instead of JSON lines",
        )
        parser.add_argument(
            "--pooled",
            action="store_true",
            help="with --what qrels: also list the unjudged documents that random samples are drawn from, "
            "as -1; infAP needs them",
        )
        parser.add_argument(
            "--served",
            action="store_true",
            help="with --what qrels: leave out documents that assessors found by search",
        )

        parser.add_argument(
            "--without-texts",
            action="store_true",
            help="with --what bundle, beir, huggingface or ir-datasets: include docnos of the documents, "
            "in a bundle their checksums, too, but no texts",
        )
        parser.add_argument(
            "--pseudonyms",
            action="store_true",
            help="with --what bundle: replace the names of people by person-1, person-2 …",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        what = options["what"]
        for option, goes_with in GOES_WITH.items():
            if options[option] and what not in goes_with:
                named = option.replace("_", "-")
                raise CommandError(f"--{named} goes with --what {', '.join(goes_with)}", returncode=2)
        if options["pooled"] and options["served"]:
            raise CommandError("--pooled and --served exclude each other", returncode=2)
        campaign = campaign_named(options["campaign"])
        graded = what in _FOLDERS or (what in EXPORTS and EXPORTS[what].graded)
        if options["policy"] and not graded:
            raise CommandError(
                f"--policy goes with --what qrels, prels, strata, {', '.join(_FOLDERS)}", returncode=2
            )
        try:
            if what == "bundle":
                self._bundle(campaign, options)
            elif what in ARCHIVES:
                self._archive(campaign, options)
            else:
                self._table(campaign, options)
        except OSError as error:
            _let_go(sys.stdout)
            why = (error.strerror or str(error)).lower()
            raise CommandError(f"what was written so far is not whole: {why}") from error

    def _table(self, campaign: Campaign, options: dict[str, Any]) -> None:
        kind = "-pooled" if options["pooled"] else "-served" if options["served"] else ""
        export = EXPORTS[options["what"] + kind]
        policy = options["policy"]
        try:
            form = check_form(CSV if options["csv"] else options["format"], export.formats, export.form)
        except Refusal as refused:
            raise CommandError(refused.detail, returncode=2) from refused
        pieces = export.pieces(campaign, policy, form)
        if form is PARQUET:
            self._bytes(pieces)
        else:
            for piece in pieces:
                self.stdout.write(piece.decode(), ending="")
        self._note(campaign, export.file_name(campaign, policy, form=form))

    def _archive(self, campaign: Campaign, options: dict[str, Any]) -> None:
        archive = ARCHIVES[options["what"]]
        try:
            form = archive.check_form(options["format"])
        except Refusal as refused:
            raise CommandError(refused.detail, returncode=2) from refused
        asked = Contents(options["policy"] or campaign.policy, form, not options["without_texts"])
        self._bytes(archive.pieces(campaign, asked))
        self._note(campaign, archive.file_name(campaign, asked))

    def _bytes(self, pieces: Iterable[bytes]) -> None:
        if sys.stdout.isatty():
            raise CommandError("this is a binary file: send it into one, with > FILE", returncode=2)
        for piece in pieces:
            sys.stdout.buffer.write(piece)

    def _bundle(self, campaign: Campaign, options: dict[str, Any]) -> None:
        if options["format"]:
            raise CommandError("--format goes with tables and --what runs", returncode=2)
        bar = Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)
        with bar:
            task = bar.add_task("Packing", total=rows_in(campaign))
            try:
                pieces = write_bundle(
                    campaign,
                    texts=not options["without_texts"],
                    pseudonyms=options["pseudonyms"],
                    progress=lambda rows: bar.advance(task, rows),
                )
            except Refusal as refused:
                raise CommandError(refused.detail) from refused
            self._bytes(pieces)
        self._note(campaign, f"{campaign.slug}.bundle.zip")

    def _note(self, campaign: Campaign, file: str) -> None:
        """In the history, once the last of it is written."""
        sys.stdout.flush()
        self.stdout.flush()
        with acting_as(COMMAND_LINE):
            note(campaign=campaign, kind="exported", file=file)


def _let_go(out: TextIO) -> None:
    """Discard pending output: the end of the program would try to write it again, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
