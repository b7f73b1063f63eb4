"""Pulls: from a configuration to a run, with pauses, failures, killed workers and a changing index."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.collection import runs
from campaigns.collection.topics import remove_topics, store_topics
from campaigns.core.database import Space
from campaigns.core.errors import Refusal
from campaigns.engines import connections, pulling, pulls, tasks
from campaigns.engines.pulled_runs import ranking_scores
from campaigns.formats.topics import TopicRecord
from campaigns.models import (
    Campaign,
    Deed,
    Document,
    EngineAnswer,
    EngineConnection,
    EnginePull,
    EngineVersion,
    Ranking,
    Run,
)
from campaigns.models.packed import unpack_ids
from config.embedded.processes import Child
from tests.campaigns.engines.conftest import TITLES
from tests.campaigns.engines.fake_engines import (
    INDEX,
    FakeEngine,
    Handler,
    elasticsearch,
    ranked,
    saying,
    sending,
)
from tests.campaigns.engines.queries import connected, pulled, saved, started
from tests.plumbing.idle import forget_tasks, wait_for
from tests.plumbing.locks import held_elsewhere
from tests.plumbing.servers.live import at_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def connection(campaign: Campaign, engine: FakeEngine) -> EngineConnection:
    return connected(campaign, engine)


@pytest.fixture
def version(connection: EngineConnection) -> EngineVersion:
    return saved(connection)


def lists(run: Run) -> dict[str, list[str]]:
    names = dict(Document.objects.values_list("id", "docno"))
    return {
        row.topic.number: [names[id] for id in unpack_ids(row.documents).tolist()]
        for row in Ranking.objects.filter(run=run).select_related("topic")
    }


EXPECTED = {str(n): [id for id, _, _ in ranked(title, 5)] for n, title in enumerate(TITLES, start=1)}


def test_a_pull_makes_a_run_with_its_documents(campaign: Campaign, version: EngineVersion) -> None:
    pull = pulled(version, group="ours", contributes=False)
    assert (pull.state, pull.tag, pull.engine_version, pull.problem) == ("done", "BM25-v1", "9.1.0", None)
    run = campaign.runs.get()
    assert (pull.run, run.tag, run.file_name, run.group, run.contributes_to_pool) == (
        run,
        "BM25-v1",
        "Engine: BM25 v1",
        "ours",
        False,
    )
    assert lists(run) == EXPECTED
    found = {row.docno: (row.title, row.body) for row in Document.objects.all()}
    ids = {id for docnos in EXPECTED.values() for id in docnos}
    assert found == {id: (INDEX[id]["title"], INDEX[id]["body"]) for id in ids}
    assert set(EngineAnswer.objects.values_list("hits", "count")) == {(None, 5)}
    assert pulls.progress_of_pull(pull, 9).topics == 4
    kinds = list(Deed.objects.order_by("id").values_list("kind", flat=True))
    assert kinds[-5:] == ["engine added", "query saved", "pull started", "runs", "documents"]
    # The worker acts for the organiser who asked.
    assert Deed.objects.get(kind="runs").actor_name == "ada"


def test_texts_that_the_campaign_has_stay_whatever_the_index_holds(
    campaign: Campaign, version: EngineVersion, engine: FakeEngine
) -> None:
    pulled(version)
    before = list(Document.objects.order_by("id").values())
    first = EXPECTED["1"][0]
    changed = elasticsearch("/n/_search", {"query": {"match": {"body": "wings"}}, "size": 5})
    for hit in changed["hits"]["hits"]:
        hit["_source"] = {"title": "other", "body": "another text"}
    changed["hits"]["hits"][-1]["_id"] = "new"
    engine.misbehave = saying(200, changed)
    again = pulled(version)
    assert (again.state, again.tag) == ("done", "BM25-v1-2")
    assert list(Document.objects.exclude(docno="new").order_by("id").values()) == before
    assert Document.objects.get(docno="new").body == "another text"
    assert again.run is not None
    assert lists(again.run)["1"][0] == first


def test_further_fields_are_stored_and_texts_may_be_left_out(
    campaign: Campaign, connection: EngineConnection
) -> None:
    version = saved(connection, mapping={"title": "_source.title", "fields": ["_source.year"]})
    pulled(version)
    row = Document.objects.get(docno=EXPECTED["1"][0])
    assert row.metadata == {"year": INDEX[row.docno]["year"]}
    other = saved(connection, "ids only", depth=6)
    problem = pulled(other, documents=False).problem
    assert problem is not None
    assert problem["code"] == "bad_run"
    assert campaign.runs.count() == 1


def test_versions_are_appended_and_pulled_as_new_runs(
    campaign: Campaign, connection: EngineConnection, version: EngineVersion
) -> None:
    pulled(version)
    with pytest.raises(Refusal, match="latest version is the same"):
        saved(connection)
    second = saved(connection, depth=3)
    assert (second.number, second.configuration) == (2, version.configuration)
    assert pulled(second).tag == "BM25-v2"
    assert list(version.configuration.versions.values_list("number", "depth")) == [(1, 5), (2, 3)]
    assert {len(docnos) for docnos in lists(campaign.runs.get(tag="BM25-v2")).values()} == {3}


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([3.0, 2.0, 1.0], [3.0, 2.0, 1.0]),
        ([3.0, 3.0, 1.0], [3.0, 2.0, 1.0]),
        ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]),
        ([9.0, None, 1.0], [3.0, 2.0, 1.0]),
        ([], []),
        ([1.0 + 1e-9, 1.0], [2.0, 1.0]),
        ([1e60, 1.0], [2.0, 1.0]),
    ],
)
def test_scores_keep_the_engines_order(scores: list[Any], kept: list[float]) -> None:
    hits = [{"id": str(place), "score": score} for place, score in enumerate(scores)]
    assert ranking_scores(hits, "float32")[0] == kept


def test_tied_and_missing_hits_are_noticed(
    campaign: Campaign, version: EngineVersion, engine: FakeEngine
) -> None:
    rows = [{"_id": id, "_score": 1.0, "_source": {"title": id}} for id in ("b", "a", "b")]
    tied = saying(200, {"hits": {"hits": rows}})
    nothing = saying(200, {"hits": {"hits": []}})
    engine.once, engine.misbehave = [tied, nothing], tied
    pull = pulled(version)
    assert pull.run is not None
    assert lists(pull.run) == {number: ["b", "a"] for number in ("1", "3", "4")}
    noticed = {row["what"]: row["count"] for row in pull.run.noticed}
    assert noticed["engine order kept"] == 3
    assert noticed["nothing found"] == 1
    assert pulls.progress_of_pull(pull, 4).duplicates == 3


def test_passing_trouble_is_tried_again(version: EngineVersion, engine: FakeEngine) -> None:
    engine.once = [saying(503, {}), saying(429, {}), None]
    pull = pulled(version)
    assert (pull.state, pull.retries) == ("done", 2)


def test_a_failed_pull_keeps_its_answers_and_is_resumed(
    campaign: Campaign, version: EngineVersion, engine: FakeEngine
) -> None:
    refused = saying(401, {"error": {"reason": "key expired"}})
    engine.once, engine.misbehave = [None, None], refused
    pull = pulled(version)
    assert (pull.state, pull.problem) == (
        "failed",
        {
            "code": "engine_trouble",
            "detail": "topic 3: the engine refused the credentials (401): key expired",
        },
    )
    assert pull.answers.count() == 2
    assert not Run.objects.exists()
    assert not Document.objects.exists()
    engine.misbehave = None
    asked = len(engine.asked)
    pulls.resume_pull(pull=pull)
    assert not pulling.run_pull(pull.id)
    assert len(engine.asked) == asked + 2
    assert lists(campaign.runs.get()) == EXPECTED


def test_a_paused_pull_asks_nothing_more(version: EngineVersion, engine: FakeEngine) -> None:
    pull = started(version)
    engine.once = [None, lambda handler: (pulls.pause_pull(pull=pull), sending(503, b"")(handler))]
    EnginePull.objects.filter(id=pull.id).update(state="paused")
    assert not pulling.run_pull(pull.id)
    assert engine.asked[1:] == []
    with pytest.raises(Refusal, match="the pull is paused"):
        pulls.pause_pull(pull=pull)
    engine.once = []
    pulls.resume_pull(pull=pull)
    assert not pulling.run_pull(pull.id)
    assert EnginePull.objects.get().state == "done"
    with pytest.raises(Refusal, match="the pull is done"):
        pulls.resume_pull(pull=pull)


def test_work_comes_in_slices(
    version: EngineVersion, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulling, "SLICE_SECONDS", -1.0)
    pull = started(version)
    slices = 0
    while pulling.run_pull(pull.id):
        slices += 1
        assert pull.answers.count() == slices
    assert slices == len(TITLES)
    assert EnginePull.objects.get().state == "done"


def test_nothing_found_is_no_run(version: EngineVersion, engine: FakeEngine) -> None:
    engine.misbehave = saying(200, {"hits": {"hits": []}})
    pull = pulled(version)
    assert pull.problem is not None
    assert (pull.state, pull.problem["code"]) == ("failed", "no_hits")


def test_bad_document_ids_are_named(version: EngineVersion, engine: FakeEngine) -> None:
    engine.misbehave = saying(200, {"hits": {"hits": [{"_id": "fine"}, {"_id": "two words"}]}})
    pull = pulled(version)
    assert pull.problem is not None
    assert "topic 1, hit 2: a docno is one word" in pull.problem["detail"]


def test_a_taken_tag_fails_the_pull_and_a_free_one_is_found(
    campaign: Campaign, version: EngineVersion
) -> None:
    pull = started(version, tag="mine")
    with pytest.raises(Refusal, match="another run tagged mine"):
        started(version, tag="mine")
    assert started(version).tag == "BM25-v1"
    assert started(version).tag == "BM25-v1-2"
    with pytest.raises(Refusal, match="one word"):
        started(version, tag="two words")
    EnginePull.objects.exclude(id=pull.id).update(state="paused")
    pulling.run_pull(pull.id)
    assert campaign.runs.get().tag == "mine"


def test_topics_without_the_named_field_are_refused_at_the_start(
    campaign: Campaign, connection: EngineConnection
) -> None:
    text = {"match": {"body": "{{topic.description}}"}}
    with pytest.raises(Refusal, match="topic 1 has no description"):
        saved(connection, "long", template={"query": text})
    version = saved(
        connection,
        "long",
        template={"query": text},
        mapping={"title": "_source.title", "text": "_source.body"},
    )
    with pytest.raises(Refusal, match="topic 1 has no description"):
        started(version)


def test_topics_that_come_or_go_meanwhile(
    campaign: Campaign, version: EngineVersion, engine: FakeEngine
) -> None:
    engine.once, engine.misbehave = [None, None], saying(401, {})
    pull = pulled(version)
    remove_topics(campaign=campaign, numbers=["2"])
    ada = User.objects.get(username="ada")
    store_topics(campaign=campaign, user=ada, records=[TopicRecord("9", "wings", "", "")])
    engine.misbehave = None
    pulls.resume_pull(pull=pull)
    pulling.run_pull(pull.id)
    assert set(lists(campaign.runs.get())) == {"1", "3", "4", "9"}


def test_one_pull_of_an_engine_works_at_a_time(version: EngineVersion) -> None:
    pull = started(version)
    with held_elsewhere(Space.PULLING, version.configuration.connection_id):
        assert not pulling.run_pull(pull.id)
    assert not pull.answers.exists()
    assert pulls.silent_pulls() == []
    EnginePull.objects.update(updated=timezone.now() - pulls.PULL_SILENCE * 2)
    assert pulls.silent_pulls() == [pull.id]


def test_a_pull_over_which_workers_die_fails_in_the_end(version: EngineVersion) -> None:
    pull = started(version)
    EnginePull.objects.update(tries=pulling.MOST_PULL_TRIES)
    assert not pulling.run_pull(pull.id)
    pull.refresh_from_db()
    assert pull.problem is not None
    assert (pull.state, pull.problem["code"]) == ("failed", "worker_died")


def test_removal_keeps_runs_and_waits_for_running_pulls(
    campaign: Campaign, connection: EngineConnection, version: EngineVersion
) -> None:
    done, running = pulled(version), started(version)
    with pytest.raises(Refusal, match="pause it first"):
        pulls.remove_pull(pull=running)
    with pytest.raises(Refusal, match="pause it first"):
        connections.remove_connection(connection=connection)
    pulls.remove_pull(pull=done)
    assert campaign.runs.count() == 1
    pulls.pause_pull(pull=running)
    connections.remove_connection(connection=connection)
    assert not EnginePull.objects.exists()
    assert campaign.runs.count() == 1


def test_a_removed_run_leaves_its_pull(campaign: Campaign, version: EngineVersion) -> None:
    pull = pulled(version)
    runs.remove_run(run=campaign.runs.get())
    pull.refresh_from_db()
    assert (pull.run, pull.state) == (None, "done")


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_costs_one_request_and_the_run_is_the_same(
    celery_worker: Child, campaign: Campaign, engine: FakeEngine
) -> None:
    version = saved(connected(campaign, engine))
    # The worker alone works on both: a task of it and a call from here would take turns.
    with at_work(celery_worker):
        undisturbed = started(version, tag="undisturbed")
        wait_for(lambda: EnginePull.objects.get(id=undisturbed.id).state == "done")
    over = threading.Event()

    def stuck(_: Handler) -> None:
        over.wait(60)

    pull = None
    for kill in (1, 2, 3):
        engine.once = [None, stuck]
        with at_work(celery_worker):
            if pull is None:
                pull = started(version, tag="killed")
            else:
                tasks.pull.delay(pull.id)
            wait_for(lambda: not engine.once)
            celery_worker.kill_group()
            forget_tasks()
        assert pull.answers.count() == kill
        assert not Run.objects.filter(tag="killed").exists()
    over.set()
    assert pull is not None
    with at_work(celery_worker):
        EnginePull.objects.update(updated=timezone.now() - pulls.PULL_SILENCE * 2)
        tasks.pull_where_due.delay()
        wait_for(lambda: EnginePull.objects.get(id=pull.id).state == "done")
    first, second = Run.objects.get(tag="undisturbed"), Run.objects.get(tag="killed")
    assert lists(second) == lists(first) == EXPECTED
    assert second.sha256 == first.sha256
    undisturbed.refresh_from_db()
    assert undisturbed.run == first
