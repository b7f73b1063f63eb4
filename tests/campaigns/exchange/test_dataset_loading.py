"""A data set loaded by the worker: asked for by API or page, its progress, its end, and what may go wrong."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from campaigns.api.client import Client, Problem
from campaigns.core.database import Space
from campaigns.exchange import datasets
from campaigns.exchange.datasets import NEAR
from campaigns.models import Campaign, Deed, Document, DocumentRevision, Judgment, Loading, TokenScope
from campaigns.people import tokens
from campaigns.setup import campaigns
from config.embedded.processes import Child
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.plumbing.idle import wait_for
from tests.plumbing.locks import held_elsewhere

PAGE = "/campaigns/wings/setup/dataset/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def campaign(db: None) -> Campaign:
    return campaigns.create(organiser=make_user("ada"), name="Wings")


@pytest.fixture
def api(campaign: Campaign) -> Api:
    return Api(campaign, "ada")


def ask(api: Api, name: str, **more: Any) -> Any:
    return api.post("collection/", {"ir_dataset": name, **more})


def loaded(campaign: Campaign) -> Loading:
    datasets.run_loading(campaign.id)
    return Loading.objects.get(campaign=campaign)


def test_it_waits_runs_and_is_done(api: Api, campaign: Campaign) -> None:
    reply = ask(api, "own/tiny", qrels=True)
    assert reply.status_code == 202
    assert (reply.json()["state"], reply.json()["ir_dataset"]) == ("waiting", "own/tiny")
    row = loaded(campaign)
    counts = {"documents": 3, "new": 3, "changed": 0, "unchanged": 0}
    assert (row.state, row.taken) == ("done", {**counts, "topics": 2, "revised": 0, "judgments": 3})
    collection = api.get("collection/").json()
    assert (collection["documents"], collection["complete"], collection["loading"]["state"]) == (
        3,
        True,
        "done",
    )
    assert set(Judgment.objects.values_list("assessor__username", flat=True)) == {"ada"}
    assert set(Deed.objects.filter(kind="documents").values_list("actor_name", flat=True)) == {"ada"}
    # Done is done: the task may come twice.
    datasets.run_loading(campaign.id)
    assert Deed.objects.filter(kind="documents").count() == 1


def test_one_at_a_time_and_then_the_next(api: Api, campaign: Campaign) -> None:
    assert ask(api, "own/tiny").status_code == 202
    reply = ask(api, "own/pages-only")
    assert (reply.status_code, reply.json()["code"]) == (409, "loading_already")
    loaded(campaign)
    assert ask(api, "own/pages-only").status_code == 202


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"ir_dataset": "own/tinny"}, 400, "unknown_dataset"),
        ({"ir_dataset": "own/topics-only"}, 400, "no_documents"),
        ({"ir_dataset": "own/pages-only", "qrels": True}, 400, "no_judgments"),
        ({"ir_dataset": ""}, 400, "invalid"),
        ({"ir_dataset": "x" * 201}, 400, "invalid"),
        ({"ir_dataset": 7}, 400, "invalid"),
        ({"ir_dataset": "own/tiny", "qrels": "yes"}, 400, "invalid"),
        ({"ir_dataset": "own/tiny", "topics": True}, 400, "invalid"),
        ([], 400, "invalid"),
    ],
)
def test_what_is_refused_at_once(api: Api, body: Any, status: int, code: str) -> None:
    reply = api.post("collection/", body)
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert not Loading.objects.exists()


def test_near_names_are_proposed(api: Api) -> None:
    detail = ask(api, "own/tinny").json()["detail"]
    assert "there are own/tiny" in detail
    assert detail.count(",") < NEAR


@pytest.mark.parametrize(
    ("name", "code"),
    [("own/far", "no_download"), ("own/lost", "unreadable_dataset"), ("own/blanks", "bad_dataset")],
)
def test_what_is_refused_by_the_worker(api: Api, campaign: Campaign, name: str, code: str) -> None:
    ask(api, name)
    row = loaded(campaign)
    assert row.state == "refused"
    problem = api.get("collection/").json()["loading"]["problem"]
    assert problem["code"] == code
    assert name in problem["detail"]
    assert not Document.objects.exists()


def test_every_error_is_listed(api: Api, campaign: Campaign) -> None:
    ask(api, "own/blanks")
    errors = (loaded(campaign).problem or {})["errors"]
    assert [(error["line"], error["field"]) for error in errors] == [(4, "docno"), (5, "docno")]
    assert errors[1]["detail"] == "docno 'd1' a second time (first in line 1)"


def test_a_worker_that_dies_of_it_tries_again_and_gives_up_in_the_end(api: Api, campaign: Campaign) -> None:
    ask(api, "own/tiny")
    rows = Loading.objects.filter(campaign=campaign)
    long_ago = timezone.now() - 2 * datasets.LOADING_SILENCE
    rows.update(state="running", tries=1, updated=long_ago)
    assert datasets.unfinished_loadings() == [campaign.id]
    rows.update(tries=datasets.MOST_LOADING_TRIES)
    assert loaded(campaign).state == "failed"
    assert datasets.unfinished_loadings() == []
    assert not Document.objects.exists()


def test_two_workers_do_not_load_it_both(api: Api, campaign: Campaign) -> None:
    ask(api, "own/tiny")
    with held_elsewhere(Space.LOADING, campaign.id):
        assert loaded(campaign).state == "waiting"
    assert loaded(campaign).state == "done"


def test_only_organisers(db: None) -> None:
    small = make_campaign("Small")
    make_user("stranger")
    for name, status in (("Small-grace", 403), ("stranger", 404)):
        api = Api(small, name)
        assert api.get("collection/").status_code == status
        assert ask(api, "own/tiny").status_code == status
        assert signed_in(name).post("/campaigns/small/setup/dataset/").status_code == status
    assert not Loading.objects.exists()


class TestPage:
    def test_asked_watched_and_done(self, campaign: Campaign) -> None:
        client = signed_in("ada")
        assert "Name in ir_datasets" in client.get("/campaigns/wings/setup/").content.decode()
        reply = client.post(PAGE, {"ir_dataset": "own/tiny"}, headers=HTMX)
        assert "Waiting for the worker" in reply.content.decode()
        assert "HX-Trigger" not in reply.headers
        Loading.objects.update(state="running", documents=1234, total=5678)
        page = client.get(PAGE, headers=HTMX).content.decode()
        assert "1,234 of 5,678 documents" in page
        assert 'max="5678" value="1234"' in page
        Loading.objects.update(state="waiting")
        loaded(campaign)
        reply = client.get(PAGE, headers=HTMX)
        assert "own/tiny is loaded. 3 documents, 2 new topics</p>" in reply.content.decode()
        assert "changed-topics" in reply.headers["HX-Trigger"]

    def test_refusals_are_shown_with_what_was_typed(self, campaign: Campaign) -> None:
        client = signed_in("ada")
        page = client.post(PAGE, {"ir_dataset": "own/tinny", "qrels": "on"}, headers=HTMX).content.decode()
        assert "there are own/tiny" in page
        assert 'value="own/tinny"' in page
        assert 'name="qrels" checked' in page
        client.post(PAGE, {"ir_dataset": "own/blanks"}, headers=HTMX)
        loaded(campaign)
        page = client.get("/campaigns/wings/setup/").content.decode()
        assert ">5: docno &#x27;d1&#x27; a second time" in page
        Loading.objects.update(state="failed")
        assert "broke off" in client.get(PAGE, headers=HTMX).content.decode()

    def test_without_scripts_it_leads_back(self, campaign: Campaign) -> None:
        client = signed_in("ada")
        place = "/campaigns/wings/setup/?step=collection#dataset-said"
        assert client.post(PAGE, {"ir_dataset": "own/tiny"}).headers["Location"] == place
        page = client.post(PAGE, {"ir_dataset": "no"}, follow=True).content.decode()
        assert "There is no dataset no in ir_datasets" in page

    def test_not_offered_where_it_is_not_installed(
        self, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("campaigns.exchange.datasets.find_spec", lambda name: None)
        assert "ir_datasets" not in signed_in("ada").get("/campaigns/wings/setup/").content.decode()


def test_by_the_real_worker(celery_worker: Child, live_site: str) -> None:
    ada = make_user("ada")
    _, secret = tokens.make(user=ada, name="script", scopes=TokenScope.values)
    campaign = Client(live_site, secret).create("Wings")
    assert campaign.load("own/tiny", qrels=True)["taken"]["documents"] == 3
    with pytest.raises(Problem) as refused:
        campaign.load("own/far")
    assert refused.value.code == "no_download"
    wait_for(lambda: not Loading.objects.filter(state__in=datasets.UNFINISHED_STATES).exists())


def test_judged_texts_are_replaced_only_if_that_is_meant(api: Api, campaign: Campaign) -> None:
    ask(api, "own/tiny", qrels=True)
    loaded(campaign)
    judged = Judgment.objects.values_list("document", flat=True)[0]
    Document.objects.filter(id=judged).update(body="another text")
    ask(api, "own/tiny")
    row = loaded(campaign)
    assert row.problem is not None
    assert (row.state, row.problem["code"]) == ("refused", "judged_documents")
    ask(api, "own/tiny", replace=True)
    row = loaded(campaign)
    assert (row.state, row.taken["changed"], row.taken["unchanged"]) == ("done", 1, 2)
    assert DocumentRevision.objects.get().body == "another text"
