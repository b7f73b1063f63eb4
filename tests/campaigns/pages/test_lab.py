"""The Lab's pages: from an upload to a result, with errors on the page, and only one's own things."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns.lab.studies.registry import STUDIES
from campaigns.models import LabCollection, LabJob
from campaigns.pages.lab.jobs import paper_groups
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.campaigns.lab.lab_files import do_all, make_collection, make_job, qrels_file, run_files

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> LabCollection:
    return make_collection(make_user("ada"))


@pytest.fixture
def ada(collection: LabCollection) -> Client:
    return signed_in("ada")


def words(reply: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", reply.content.decode()))


def new(client: Client, collection: LabCollection, study: str, **typed: Any) -> Any:
    return client.post("/lab/new/", {"collection": collection.id, "study": study, **typed})


def test_upload_leads_to_the_collection() -> None:
    make_user("ada")
    client = signed_in("ada")
    assert "No collection yet" in words(client.get("/lab/"))
    form = {"name": "Mine", "runs": run_files(), "qrels": qrels_file()}
    reply = client.post("/lab/", form)
    row = LabCollection.objects.get()
    assert (reply.status_code, reply["Location"]) == (302, f"/lab/collections/{row.id}/")
    assert "6 runs · 6 topics · 180 judged documents · 180 pooled documents" in words(
        client.get(reply["Location"])
    )
    assert "Mine" in words(client.get("/lab/"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"runs": []}, "Choose run files and a qrels file"),
        ({"name": ""}, "A name has 1 to 200 characters"),
        ({"gains": "9"}, "Gains are numbers from 0 to 1"),
        ({"qrels": SimpleUploadedFile("q.txt", b"1 0 d1\n")}, "Q.txt:1:"),
    ],
)
def test_wrong_uploads_say_so_on_the_page(fields: dict[str, Any], said: str) -> None:
    make_user("ada")
    form = {"name": "Mine", "runs": run_files(), "qrels": qrels_file(), **fields}
    reply = signed_in("ada").post("/lab/", form)
    assert reply.status_code == 400
    assert said in words(reply)
    assert not LabCollection.objects.exists()


def test_campaign_is_copied_from_its_results() -> None:
    campaign = make_campaign("Small")
    Api(campaign, "Small-grace").judge("1", "a", 1)
    organiser = signed_in("Small-ada")
    link = f"/lab/?campaign={campaign.slug}"
    assert link in organiser.get(f"/campaigns/{campaign.slug}/exports/").content.decode()
    assert f'<option value="{campaign.slug}" selected>' in organiser.get(link).content.decode()
    reply = organiser.post("/lab/", {"campaign": campaign.slug})
    assert "Copied from Small after 1 log entries" in words(organiser.get(reply["Location"]))
    assert signed_in("Small-grace").post("/lab/", {"campaign": campaign.slug}).status_code == 404


def test_new_job_offers_each_study_and_only_the_settings_it_reads(
    ada: Client, collection: LabCollection
) -> None:
    page = ada.get(f"/lab/new/?collection={collection.id}").content.decode()
    for study, one in STUDIES.items():
        assert f"study={study}" in page
        form = ada.get(f"/lab/new/?collection={collection.id}&study={study}").content.decode()
        (fields,) = re.findall(r'<form method="post" class="lab-settings">.*?</form>', form, re.DOTALL)
        named = set(re.findall(r'name="(\w+)"', fields)) - {"collection", "study", "csrfmiddlewaretoken"}
        assert named == set(one.kernel.uses)


def test_studies_stand_below_their_papers_with_a_thumbnail(ada: Client, collection: LabCollection) -> None:
    page = ada.get("/lab/new/", {"collection": collection.id})
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page.content.decode())
    assert headings == [
        "Studies of this project",
        "Moffat, Webber and Zobel 2007",
        "Moffat and Zobel 2008",
        "Hosseini and others 2012",
        "Ravana and Moffat 2010",
        "Carterette and others 2008",
    ]
    assert sum(len(group.studies) for group in paper_groups()) == len(STUDIES)
    pictures = re.findall(r'<img src="([^"]+)"', page.content.decode())
    # Only these have no figure on Cranfield.
    assert [one.name for group in paper_groups() for one in group.studies if not one.picture] == [
        "replay",
        "topic-selection-p100",
    ]
    for address in pictures:
        assert Client().get(address).headers["Content-Type"] == "image/svg+xml"


def test_titles_of_studies_are_in_the_readers_language(ada: Client, collection: LabCollection) -> None:
    page = ada.get("/lab/new/", {"collection": collection.id}, headers={"Accept-Language": "de"})
    assert "Einfluss des ersten Themas" in words(page)
    assert "Influence of the first topic" not in words(page)


def test_typed_settings_are_the_jobs(ada: Client, collection: LabCollection) -> None:
    typed = {"methods": ["C", "random"], "budgets": "60 20", "p": "0,5", "trials": "3", "seed": "0"}
    assert "P is a number between 0 and 1, not 0.0" in words(new(ada, collection, "replay", **typed))
    assert not LabJob.objects.exists()
    reply = new(ada, collection, "replay", **{**typed, "p": "0.5"})
    job = LabJob.objects.get()
    assert reply["Location"] == f"/lab/jobs/{job.id}/"
    assert job.settings == {
        "methods": ["C", "random"],
        "budgets": [20, 60],
        "p": [0.5],
        "trials": 3,
        "seed": 0,
    }


@pytest.mark.parametrize("typed", [{"trials": "many"}, {"budgets": "1 x"}, {"p": "2"}, {"methods": ["cal"]}])
def test_wrong_settings_stay_in_the_form(
    ada: Client, collection: LabCollection, typed: dict[str, Any]
) -> None:
    reply = new(ada, collection, "replay", **typed)
    assert reply.status_code == 400
    (name,) = typed
    assert 'class="field wrong"' in reply.content.decode()
    assert name in words(reply).lower()


def test_job_shows_progress_then_its_result(ada: Client, collection: LabCollection) -> None:
    job = make_job(collection, budgets=[30], methods=["A", "C"])
    waiting = words(ada.get(f"/lab/jobs/{job.id}/"))
    assert "0 of 2 trials" in waiting
    assert "hx-get" in ada.get(f"/lab/jobs/{job.id}/progress/").content.decode()
    assert "0 of 2 trials" in words(ada.get("/lab/jobs/"))
    do_all(job)
    shown = ada.get(f"/lab/jobs/{job.id}/progress/").content.decode()
    assert "hx-get" not in shown
    assert f"/api/v1/lab/jobs/{job.id}/figure.svg" in shown
    assert "--methods A,C --budgets 30" in shown
    assert "relevant" in words(ada.get(f"/lab/jobs/{job.id}/"))


def test_job_is_paused_resumed_cancelled_and_deleted(ada: Client, collection: LabCollection) -> None:
    job = make_job(collection, budgets=[30])
    address = f"/lab/jobs/{job.id}/"
    for act, state in (("paused", "paused"), ("running", "running"), ("cancelled", "cancelled")):
        assert ada.post(address, {"act": act}).status_code == 302
        job.refresh_from_db()
        assert job.state == state
    assert ada.post(address, {"act": "running"}).status_code == 409
    assert ada.post(address, {"act": "nonesuch"}).status_code == 400
    assert ada.post(address, {"act": "delete"})["Location"] == "/lab/"
    assert not LabJob.objects.exists()


def test_failed_job_says_why(ada: Client, collection: LabCollection) -> None:
    job = make_job(collection, budgets=[1000])
    assert "A budget of 1,000 judgments is larger than the pool of 180 documents" in words(
        ada.get(f"/lab/jobs/{job.id}/")
    )


def test_two_jobs_stand_beside_each_other(ada: Client, collection: LabCollection) -> None:
    jobs = [do_all(make_job(collection, budgets=[budget])) for budget in (30, 40)]
    one, two = (job.id for job in jobs)
    assert f'<option value="{two}">' in ada.get(f"/lab/jobs/{one}/").content.decode()
    page = ada.get(f"/lab/compare/?job={one}&job={two}").content.decode()
    assert page.count("<img ") == 2
    for query in ("", f"job={one}", f"job={one}&job=x"):
        assert ada.get(f"/lab/compare/?{query}").status_code == 404


def test_deleting_a_collection_says_what_goes(ada: Client, collection: LabCollection) -> None:
    done = do_all(make_job(collection, budgets=[30]))
    make_job(collection, budgets=[40])
    address = f"/lab/collections/{collection.id}/"
    assert "Results that are done stay; 1 unfinished job ends" in words(ada.get(address))
    assert "is deleted" in words(ada.post(address, follow=True))
    assert "Small (deleted)" in words(ada.get(f"/lab/jobs/{done.id}/"))


def test_other_accounts_find_nothing(ada: Client, collection: LabCollection) -> None:
    job = do_all(make_job(collection, budgets=[30]))
    make_user("eve")
    eve = signed_in("eve")
    for path in (
        *(f"collections/{collection.id}/", f"new/?collection={collection.id}", f"jobs/{job.id}/"),
        *(f"jobs/{job.id}/progress/", f"compare/?job={job.id}&job={job.id}"),
    ):
        assert eve.get(f"/lab/{path}").status_code == 404, path
        assert Client().get(f"/lab/{path}").status_code == 302, path
    assert eve.post(f"/lab/jobs/{job.id}/", {"act": "delete"}).status_code == 404
    assert eve.post(f"/lab/collections/{collection.id}/").status_code == 404
    assert new(eve, collection, "replay").status_code == 404
    assert "Small" not in words(eve.get("/lab/"))
    for path in ("", f"jobs/{job.id}/"):
        assert ada.put(f"/lab/{path}").status_code == 405


def test_lists_cost_the_same_queries_for_one_row_and_for_three(
    ada: Client, collection: LabCollection, django_assert_num_queries: Any
) -> None:
    make_job(collection, budgets=[30])
    ada.get("/lab/")
    with django_assert_num_queries(8):
        ada.get("/lab/")
    make_collection(collection.owner, "More")
    make_job(collection, budgets=[31])
    make_job(collection, budgets=[32])
    with django_assert_num_queries(8):
        ada.get("/lab/")
