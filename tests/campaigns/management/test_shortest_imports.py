"""Every command on a campaign in the shortest form of its documentation, with one, two and three files or
topics."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command

from campaigns.models import Campaign, Document
from tests.campaigns.factories import make_campaign

ROOT = Path(__file__).resolve().parents[3]


def collection(n: int) -> str:
    return f'{{"docno": "a{n}", "text": "words"}}\n'


def topics(n: int) -> str:
    return f"{n + 10}\ta new topic\n"


def run(n: int) -> str:
    return f"1 Q0 a 1 2 new{n}\n1 Q0 b 2 1 new{n}\n"


def qrels(n: int) -> str:
    return f"{n} 0 a 1\n"


# A file of each command that imports, and what the campaign has more of.
FILES: dict[str, tuple[str, Callable[[int], str], Callable[[Campaign], int]]] = {
    "import_collection": (".jsonl", collection, lambda campaign: Document.objects.count()),
    "import_topics": (".tsv", topics, lambda campaign: campaign.topics.count()),
    "import_runs": (".txt", run, lambda campaign: campaign.runs.count()),
    "import_qrels": (".txt", qrels, lambda campaign: campaign.judgments.count()),
}


def commands_on_campaigns() -> list[str]:
    """Commands of docs/commands.md whose first argument is a campaign."""
    sections = (ROOT / "docs" / "commands.md").read_text().split("\n### ")[1:]
    return [section.split()[0] for section in sections if "): `CAMPAIGN`" in section]


def test_the_page_has_all_that_import() -> None:
    assert {*FILES, "export_qrels"} == {*commands_on_campaigns()}


@pytest.mark.django_db
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("command", commands_on_campaigns())
def test_the_shortest_form_takes_one_two_and_three_inputs(tmp_path: Path, command: str, count: int) -> None:
    numbers = [str(n) for n in range(1, count + 1)]
    campaign = make_campaign("Small", {"x": {number: ["a", "b"] for number in numbers}})
    paths, out = [], io.StringIO()
    if command in FILES:
        ending, text, counted = FILES[command]
        for n in range(1, count + 1):
            paths.append(tmp_path / f"{n}{ending}")
            paths[-1].write_text(text(n))
        before = counted(campaign)
    call_command(command, "small", *map(str, paths), stdout=out)
    assert command not in FILES or counted(campaign) == before + count
