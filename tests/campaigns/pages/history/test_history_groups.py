"""Neighbouring entries of one kind collapse in the history; the file of it keeps them all."""

from __future__ import annotations

import io
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.judging.topic_closure import close_for_all
from campaigns.models import Campaign, Deed
from tests.campaigns.factories import Api, add_run, make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/history/"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", {"x": {str(n): ["a"] for n in range(1, 5)}})
    Deed.objects.filter(campaign=campaign).delete()
    return campaign


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def summaries(client: Client) -> list[str]:
    page = client.get(PAGE).content.decode()
    found = re.findall(r'<details class="deed"><summary><strong>[^<]*</strong> ([^<]*)</summary>', page)
    return [" ".join(one.split()) for one in found]


def import_runs(campaign: Campaign, *tags: str) -> None:
    for tag in tags:
        add_run(campaign, tag, {"1": ["a", "b"]})


def test_runs_of_one_import_are_one_line(campaign: Campaign, client: Client) -> None:
    import_runs(campaign, *(f"run-{n}" for n in range(16)))
    assert summaries(client) == ["imported 16 runs"]
    # Unfolded, every file is there.
    assert client.get(PAGE).content.decode().count("loaded the run") == 16


def test_judgments_of_one_file_are_one_line_and_others_are_not(campaign: Campaign, client: Client) -> None:
    ada = Api(campaign, "Small-ada")
    for topic in "123":
        ada.judge(topic, "a", 1)
    assert summaries(client) == []
    add_run(campaign, "more", {"1": ["b", "c", "d"]})
    upload = io.BytesIO(b"1 0 b 1\n1 0 c 0\n1 0 d 1\n")
    store_qrels(
        campaign=campaign,
        parsed=read_qrels(upload, "q"),
        user=User.objects.get(username="Small-ada"),
        file="q",
    )
    assert summaries(client) == ["imported 3 judgments"]


def test_two_alike_stay_apart(campaign: Campaign, client: Client) -> None:
    import_runs(campaign, "one", "two")
    assert summaries(client) == []


def test_another_act_between_parts_the_groups(campaign: Campaign, client: Client) -> None:
    import_runs(campaign, "a", "b", "c")
    close_for_all(
        campaign=campaign,
        topic=campaign.topics.get(number="1"),
        organiser=User.objects.get(username="Small-ada"),
    )
    import_runs(campaign, "d", "e", "f", "g")
    assert summaries(client) == ["imported 4 runs", "imported 3 runs"]


def test_a_pause_parts_the_groups(campaign: Campaign, client: Client) -> None:
    import_runs(campaign, *"abcdef")
    earlier = Deed.objects.order_by("id").values_list("id", flat=True)[:3]
    moved = Deed.objects.filter(id__in=list(earlier))
    moved.update(created=moved.first().created - timedelta(minutes=10))  # type: ignore[union-attr]
    assert summaries(client) == ["imported 3 runs"] * 2


def test_closed_topics_are_one_line(campaign: Campaign, client: Client) -> None:
    client.post("/campaigns/small/assign/", {"close": "", "topic": ["1", "2", "3", "4"]})
    assert summaries(client) == ["closed 4 topics"]


def test_the_file_keeps_every_entry(campaign: Campaign, client: Client) -> None:
    import_runs(campaign, *"abcd")
    lines = b"".join(client.get(f"{PAGE}csv/").streaming_content)  # type: ignore[attr-defined]
    assert lines.count(b"loaded the run") == 4


def test_the_system_and_commands_have_german_names(campaign: Campaign, client: Client) -> None:
    import_runs(campaign, "one")
    with acting_as(COMMAND_LINE):
        import_runs(campaign, "two")
    client.cookies["django_language"] = "de"
    with translation.override("en"):
        page = client.get(PAGE).content.decode()
    assert "<strong>das System</strong>" in page
    assert '<option value="the command line">die Kommandozeile</option>' in page
    assert "<strong>the " not in page
