"""Fill a site with campaigns of a real collection at several moments, judged in the order of Method C.

    python manage.py serve --data /tmp/site --services-only
    set -a; . /tmp/site/environment; export DATA_DIR=/tmp/site
    python -m tests.bench.kernels.replayed $TREC_DATA/trec-covid-r1 --judgments 500 1500 3000 --all

Each moment becomes a campaign named after the collection and the number of its judgments; `--all` adds one
with all qrels. Score ranges, predictions and advice are computed as judging goes on, so that pages show a
history. The organiser is `ada`, with the bench's password if she is new. Documents that the qrels do not know
are left aside, or judged not relevant where the qrels list mostly relevant ones.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

# How often the figures are computed on the way.
STEPS = 12

Grades = dict[str, dict[str, int | float]]


@dataclass(frozen=True)
class Replayed:
    """`order`: (topic, docno) as Method C asked for them, then whatever else the qrels know."""

    folder: Path
    order: Sequence[tuple[str, str]]
    grades: Grades

    def some(self, start: int, stop: int) -> Grades:
        found: Grades = {}
        for topic, docno in self.order[start:stop]:
            found.setdefault(topic, {})[docno] = self.grades[topic][docno]
        return found


def replayed(folder: Path, judgments: int) -> Replayed:
    from django.core.management import call_command

    from campaigns.formats.qrels import read_qrels

    qrels = folder / "qrels.txt"
    grades = read_qrels(qrels, qrels.name).grades
    # Where hardly any other is listed, nearly every judgment would be positive.
    relevant = [grade > 0 for row in grades.values() for grade in row.values()]
    unjudged = "nonrelevant" if 2 * sum(relevant) > len(relevant) else "bypass"
    with TemporaryDirectory() as scratch:
        order, result = Path(scratch) / "order.txt", Path(scratch) / "result.json"
        files = ["--runs", str(folder / "runs"), "--qrels", str(qrels), "--order-out", str(order)]
        with result.open("w") as out:
            call_command(
                "simulate", *files, "--method", "C", "--judgments", str(judgments), "--unjudged", unjudged,
                "--format", "json", stdout=out,
            )  # fmt: skip
        asked = [(topic, docno) for topic, docno, _ in map(str.split, order.read_text().splitlines())]
    for topic, docno in asked:
        grades[topic].setdefault(docno, 0)
    rest = [(topic, docno) for topic, row in grades.items() for docno in row]
    return Replayed(folder, list(dict.fromkeys([*asked, *rest])), grades)


def fill(source: Replayed, name: str, judgments: int) -> None:
    """Make an open campaign with so many judgments."""
    from django.contrib.auth.models import User

    from campaigns.collection import runs, topics
    from campaigns.formats.compressed_files import find_files
    from campaigns.formats.runs.files import read_runs
    from campaigns.formats.topics import read_topics
    from campaigns.setup import campaigns
    from tests.bench.watching.visitor import PASSWORD

    ada = User.objects.filter(username="ada").first() or User.objects.create_user("ada", password=PASSWORD)
    campaign = campaigns.create(organiser=ada, name=name, method="C", p=0.8, budget=len(source.order))
    file = next(path for path in sorted(source.folder.glob("topics*")))
    topics.store_topics(campaign=campaign, user=ada, records=read_topics(file, file.name))
    for path in find_files([source.folder / "runs"]):
        upload = runs.RunSource(user=ada, file=path.name, sha256="", group="")
        runs.store_runs(campaign=campaign, parsed=read_runs(path, path.name), upload=upload)
    campaigns.open_campaign(campaign=campaign)
    for step in range(STEPS):
        bounds = (round(judgments * at / STEPS) for at in (step, step + 1))
        judge(campaign.id, ada.id, source.some(*bounds))


def judge(campaign: int, user: int, grades: Grades) -> None:
    from django.contrib.auth.models import User

    from campaigns.computing import worker
    from campaigns.computing.live import LiveCampaign
    from campaigns.exchange.qrels import store_qrels
    from campaigns.formats.qrels import ParsedQrels, QrelsReport
    from campaigns.models import Campaign
    from campaigns.predictions.computation import write_prediction
    from campaigns.stopping.advice_computation import write_advice

    found = Campaign.objects.get(id=campaign)
    store_qrels(
        campaign=found,
        user=User.objects.get(id=user),
        parsed=ParsedQrels(grades, QrelsReport()),
        file="qrels.txt",
    )
    live = LiveCampaign.from_rows(found)
    worker.bring_up_to_date(live)
    write_prediction(live)
    write_advice(live)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from campaigns.core.actors import COMMAND_LINE, acting_as

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds runs/, qrels.txt and topics")
    parser.add_argument("--judgments", type=int, nargs="+", required=True, help="one campaign each")
    parser.add_argument("--all", action="store_true", help="one more with all qrels")
    asked = parser.parse_args()
    source = replayed(asked.folder, max(asked.judgments))
    counts = [*asked.judgments, *([len(source.order)] if asked.all else [])]
    with acting_as(COMMAND_LINE):
        for count in counts:
            fill(source, f"{asked.folder.name} {count}", count)
            print(f"{asked.folder.name} {count}")


if __name__ == "__main__":
    main()
