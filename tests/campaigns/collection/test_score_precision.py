"""Uploaded runs are ordered by the campaign's score precision, and keep their order until replaced."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from campaigns.formats.errors import FormatError
from campaigns.lab import collections
from campaigns.lab.collections import copy_campaign, known_collection
from campaigns.lab.known_topics import unpacked_names
from campaigns.models import Campaign, Deed, LabCollection, Ranking
from campaigns.models.packed import unpack_ids, unpack_scores
from campaigns.setup.campaigns import change_settings
from campaigns.setup.copies import copy_settings
from campaigns.topic_order.method_input import _topic_lists
from tests.campaigns.exchange.bundles.bundle_copies import contents, copied, forged, packed
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

# The first two scores differ as 64-bit floats only.
CLOSE = b"1 Q0 a 1 0.30000001 close\n1 Q0 b 2 0.3 close\n1 Q0 c 3 0.1 close\n"
DOUBLES, SINGLES = ["a", "b", "c"], ["b", "a", "c"]
LISTS = {"x": {"1": ["c", "b", "a"], "2": ["a"]}}


def small(**settings: Any) -> tuple[Campaign, Api]:
    campaign = make_campaign("Small", LISTS, **settings)
    return campaign, Api(campaign, "Small-ada")


def uploaded(api: Api, content: bytes = CLOSE) -> Any:
    return api.upload("runs/", content, "close.run")


def lists_of(campaign: Campaign, tag: str = "close") -> tuple[list[str], list[float], int]:
    """The docnos and scores of topic 1, and how many bytes each score takes."""
    row = Ranking.objects.get(run__campaign=campaign, run__tag=tag, topic__number="1")
    names = dict(campaign.collection.documents.values_list("id", "docno"))
    ids = unpack_ids(row.documents).tolist()
    scores = unpack_scores(row.scores, len(ids))
    return [names[id] for id in ids], scores.tolist(), scores.itemsize


def precision_in(api: Api, tag: str = "close") -> int:
    (row,) = (row for row in api.get("runs/").json()["results"] if row["run"] == tag)
    return int(row["score_precision"])


def run_page(campaign: Campaign, api: Api) -> str:
    run = campaign.runs.get(tag="close")
    return str(api.client.get(f"/campaigns/small/runs/{run.id}/").content.decode())


def test_runs_are_ordered_by_doubles_by_default() -> None:
    campaign, api = small()
    reply = uploaded(api)
    assert [row["what"] for row in reply.json()["noticed"]] == [
        "neighbours in the other order in trec_eval 9.0.8 and older",
        "topics missing",
    ]
    assert lists_of(campaign) == (DOUBLES, [0.30000001, 0.3, 0.1], 8)
    assert precision_in(api) == 64
    assert "Ordered by scores compared as 64-bit floats, as in trec_eval 10.0." in run_page(campaign, api)


def test_runs_are_ordered_by_32_bit_floats_where_the_campaign_chose_them() -> None:
    campaign, api = small(score_precision=32)
    assert [row["what"] for row in uploaded(api).json()["noticed"]] == [
        "tied scores",
        "scores equal as 32-bit floats",
        "topics missing",
    ]
    single = np.array([0.3, 0.3, 0.1], np.float32)
    assert lists_of(campaign) == (SINGLES, single.tolist(), 4)
    assert precision_in(api) == 32
    said = "Ordered by scores compared as 32-bit floats, as in trec_eval up to 9.0.8."
    assert said in run_page(campaign, api)


def test_runs_keep_their_order_when_the_setting_changes_and_until_their_file_comes_again() -> None:
    campaign, api = small()
    uploaded(api)
    change_settings(campaign=campaign, score_precision=32)
    assert (lists_of(campaign)[0], precision_in(api)) == (DOUBLES, 64)
    before = campaign.configuration
    assert uploaded(api).status_code == 201
    assert (lists_of(campaign)[0], precision_in(api)) == (SINGLES, 32)
    campaign.refresh_from_db()
    assert campaign.configuration == before + 1
    assert [row["what"] for row in campaign.runs.get(tag="close").noticed] == [
        "tied scores",
        "scores equal as 32-bit floats",
        "topics missing",
    ]
    history = api.client.get("/campaigns/small/history/").content.decode()
    assert "loaded one list of the run close again from close.run" in history
    # It is there now as the campaign wants it.
    assert "this very file" in uploaded(api).json()["errors"][0]["detail"]
    # Another file does not take its place.
    assert "another run tagged close" in uploaded(api, CLOSE + b"2 Q0 a 1 5 close\n").content.decode()
    change_settings(campaign=campaign, score_precision=64)
    assert uploaded(api).status_code == 201
    assert lists_of(campaign) == (DOUBLES, [0.30000001, 0.3, 0.1], 8)


def test_run_that_cannot_be_replaced_keeps_its_lists() -> None:
    campaign, api = small()
    large = CLOSE.replace(b"0.1", b"-1e39")
    assert uploaded(api, large).status_code == 201
    before = lists_of(campaign)
    assert before[1] == [0.30000001, 0.3, -1e39]
    change_settings(campaign=campaign, score_precision=32)
    refused = uploaded(api, large)
    assert refused.status_code == 400
    assert refused.json()["errors"] == [
        {
            "line": 3,
            "field": "score",
            "detail": "score '-1e39' is larger than a 32-bit float can hold",
        }
    ]
    assert (lists_of(campaign), precision_in(api)) == (before, 64)


def test_lists_that_went_with_a_topic_come_back_in_the_order_of_the_others() -> None:
    campaign, api = small()
    content = CLOSE + CLOSE.replace(b"1 Q0", b"2 Q0")
    assert uploaded(api, content).status_code == 201
    campaign.topics.get(number="2").delete()
    change_settings(campaign=campaign, score_precision=32)
    assert api.upload("topics/", b"2\ttitle 2\n", "topics.tsv").status_code == 201
    assert uploaded(api, content).status_code == 201
    rows = Ranking.objects.filter(run__tag="close").order_by("topic__number")
    assert len({bytes(row.documents) for row in rows}) == 1
    assert [len(row.scores) for row in rows] == [12, 12]


@pytest.mark.parametrize(
    ("setting", "option", "expected"), [(64, [], 64), (32, [], 32), (64, [32], 32), (32, [64], 64)]
)
def test_import_runs_follows_its_option_or_the_campaign(
    tmp_path: Path, setting: int, option: list[int], expected: int
) -> None:
    campaign, api = small(score_precision=setting)
    (tmp_path / "close.run").write_bytes(CLOSE)
    options = [f"--score-precision={bits}" for bits in option]
    call_command("import_runs", "small", str(tmp_path / "close.run"), *options)
    assert lists_of(campaign)[0] == (DOUBLES if expected == 64 else SINGLES)
    assert precision_in(api) == expected


def test_setting_is_changed_on_its_page_and_in_the_history() -> None:
    campaign, api = small()
    changed = api.client.patch(api.root, {"score_precision": 32}, content_type="application/json")
    assert (changed.status_code, changed.json()["score_precision"]) == (200, 32)
    history = api.client.get("/campaigns/small/history/").content.decode()
    assert "score precision 64 bits, as in trec_eval 10.0 → 32 bits, as in" in history
    page = api.client.get("/campaigns/small/setup/").content.decode()
    assert '<option value="32" selected>' in page
    assert Deed.objects.filter(kind="settings").get().detail["changes"] == {"score_precision": [64, 32]}
    campaign.refresh_from_db()
    copy = copy_settings(campaign=campaign, organiser=User.objects.get(username="Small-ada"), name="Copy")
    assert copy.score_precision == 32


@pytest.mark.parametrize("value", [16, "64", True, 64.0, None])
def test_other_precisions_are_refused(value: Any) -> None:
    campaign, api = small()
    reply = api.client.patch(api.root, {"score_precision": value}, content_type="application/json")
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == "score_precision"
    campaign.refresh_from_db()
    assert campaign.score_precision == 64


LONG = {f"d{n:03}": 100 - n / 1e9 for n in range(20)}


@pytest.mark.parametrize("depth", [3, 20, 50])
def test_lists_of_both_precisions_are_cut_at_their_depth(depth: int) -> None:
    campaign, api = small()
    for tag, bits in (("double", 64), ("single", 32)):
        change_settings(campaign=campaign, score_precision=bits)
        lines = "".join(f"1 Q0 {docno} 1 {score!r} {tag}\n" for docno, score in LONG.items())
        assert api.upload("runs/", lines.encode(), f"{tag}.run").status_code == 201
    topic = campaign.topics.get(number="1").id
    runs = [campaign.runs.get(tag=tag).id for tag in ("double", "single")]
    documents, lists = _topic_lists(topic, runs, depth)
    names = dict(campaign.collection.documents.values_list("id", "docno"))
    double, single = (
        [names[documents[place]] for place in ranking.tolist()]
        for ranking in lists.rankings
        if ranking is not None
    )
    assert double == [*LONG][:depth]
    assert single == sorted(LONG, reverse=True)[:depth]
    assert [None if one is None else one.tolist() for one in lists.scores] == [
        [*LONG.values()][:depth],
        [100.0] * min(depth, 20),
    ]


def mixed() -> tuple[Campaign, Api]:
    """A run of each rule."""
    campaign, api = small(score_precision=32)
    assert uploaded(api, CLOSE.replace(b"close", b"single")).status_code == 201
    change_settings(campaign=campaign, score_precision=64)
    assert api.upload("runs/", CLOSE, "close.run").status_code == 201
    return campaign, api


def test_bundles_carry_runs_of_both_precisions() -> None:
    campaign, _ = mixed()
    content = packed(campaign)
    copy = copied(content)
    for tag, order in (("close", DOUBLES), ("single", SINGLES)):
        assert lists_of(copy, tag) == lists_of(campaign, tag)
        assert lists_of(copy, tag)[0] == order
    assert [*copy.runs.values_list("tag", "score_precision")] == [("x", 64), ("single", 32), ("close", 64)]
    again = contents(packed(copy))
    for entry in ("rankings.jsonl", "runs.jsonl"):
        assert again[entry] == contents(content)[entry]


def of_older_version(content: bytes) -> bytes:
    """As sites wrote bundles that did not know score precisions."""

    def without_column(lines: bytes) -> bytes:
        rows = [json.loads(line) for line in lines.splitlines()]
        for row in rows:
            del row["score_precision"]
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    def without_setting(line: bytes) -> bytes:
        row = json.loads(line)
        del row["campaign"]["score_precision"]
        return json.dumps(row).encode() + b"\n"

    return forged(forged(content, "runs.jsonl", without_column), "campaign.json", without_setting)


def test_bundles_of_older_versions_hold_runs_of_the_older_rule() -> None:
    campaign, api = small(score_precision=32)
    uploaded(api)
    campaign.runs.get(tag="x").delete()
    copy = copied(of_older_version(packed(campaign)))
    assert lists_of(copy) == lists_of(campaign)
    assert copy.runs.get().score_precision == 32
    assert copy.score_precision == 64


def test_bundle_with_scores_of_no_precision_is_refused() -> None:
    campaign, _ = small()

    def shortened(lines: bytes) -> bytes:
        first, *rest = lines.splitlines(keepends=True)
        row = json.loads(first)
        row["scores"] = base64.b64encode(b"\0" * 20).decode()
        return json.dumps(row).encode() + b"\n" + b"".join(rest)

    with pytest.raises(FormatError, match="scores: is cut off in the middle of a number"):
        copied(forged(packed(campaign), "rankings.jsonl", shortened))


def test_lab_copies_have_the_order_of_each_run() -> None:
    campaign, _ = mixed()
    assert Api(campaign, "Small-grace").judge("1", "a", 2).status_code == 201
    ada = User.objects.get(username="Small-ada")
    collection = copy_campaign(owner=ada, name="copy", campaign=campaign)
    said = "run single is ordered by scores compared as 32-bit floats, as in trec_eval up to 9.0.8"
    assert said in collection.notes
    (row,) = collection.packed_topics.all()
    topic = unpacked_names(row)
    ranked = [
        [topic.docnos[place] for place in one.tolist()] for one in topic.known.rankings if one is not None
    ]
    assert ranked == [["c", "b", "a"], SINGLES, DOUBLES]
    exact = [one.tolist() for one in topic.known.scores if one is not None]
    assert exact[2] == [0.30000001, 0.3, 0.1]
    assert exact[1] == np.array([0.3, 0.3, 0.1], np.float32).astype(float).tolist()
    collections._loaded.discard(collection.id)
    assert known_collection(collection.id).fingerprint() == collection.fingerprint


def test_lab_uploads_are_ordered_by_the_chosen_precision() -> None:
    ada = Api(make_campaign("Small", LISTS), "Small-ada").client
    found = {}
    for bits in ("64", "32"):
        files = {
            "runs": SimpleUploadedFile("close.run", CLOSE),
            "qrels": SimpleUploadedFile("q", b"1 0 b 1\n"),
        }
        reply = ada.post("/api/v1/lab/collections/", {"name": bits, "score_precision": bits, **files})
        assert reply.status_code == 201
        found[bits] = reply.json()
        (row,) = LabCollection.objects.get(name=bits).packed_topics.all()
        topic = unpacked_names(row)
        (ranking,) = topic.known.rankings
        assert ranking is not None
        order = [topic.docnos[place] for place in ranking.tolist()]
        assert order == (DOUBLES if bits == "64" else SINGLES)
        assert len(row.scores) == 3 * int(bits) // 8
    assert found["64"]["notes"] == []
    assert found["32"]["notes"] == [
        "run close is ordered by scores compared as 32-bit floats, as in trec_eval up to 9.0.8"
    ]
    wrong = ada.post("/api/v1/lab/collections/", {"name": "x", "score_precision": "16", **files})
    assert wrong.status_code == 400
