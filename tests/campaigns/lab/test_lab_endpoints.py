"""The Lab's part of the API: uploads, copies, jobs and files, and what other accounts find of them."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns.lab import work
from campaigns.models import LabCollection, LabJob
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in, with_token
from tests.campaigns.lab.lab_files import do_all, qrels_file, qrels_text, run_files

pytestmark = pytest.mark.django_db
COLLECTIONS, JOBS = "/api/v1/lab/collections/", "/api/v1/lab/jobs/"
JSON = "application/json"


@pytest.fixture
def ada() -> Client:
    make_user("ada")
    return signed_in("ada")


@pytest.fixture
def collection(ada: Client) -> int:
    reply = upload(ada)
    assert reply.status_code == 201, reply.content
    return int(reply.json()["id"])


def upload(client: Client, **fields: Any) -> Any:
    form = {"name": "Small", "runs": run_files(), "qrels": qrels_file(), **fields}
    return client.post(COLLECTIONS, {name: value for name, value in form.items() if value is not None})


def start(client: Client, collection: int, /, **wish: Any) -> Any:
    body = {"collection": collection, "study": "replay", "settings": {"budgets": [30]}, **wish}
    return client.post(JOBS, body, content_type=JSON)


def done(client: Client, collection: int) -> int:
    job = int(start(client, collection).json()["id"])
    work.start(job)
    do_all(LabJob.objects.get(id=job))
    return job


def set_state(client: Client, job: int, state: str) -> Any:
    return client.patch(f"{JOBS}{job}/", {"state": state}, content_type=JSON)


def test_upload_is_listed_shown_and_deleted(ada: Client, collection: int) -> None:
    shown = ada.get(f"{COLLECTIONS}{collection}/").json()
    assert (shown["topics"], shown["documents"], shown["judged"]) == (6, 180, 180)
    assert shown["runs"] == [f"r{n}" for n in range(6)]
    assert ada.get(COLLECTIONS).json()["results"] == [shown]
    files: Any = ada.get(f"{COLLECTIONS}{collection}/files/")
    with zipfile.ZipFile(io.BytesIO(b"".join(files.streaming_content))) as archive:
        assert archive.read("qrels.txt").decode() == "".join(sorted(qrels_text().splitlines(True)))
        assert len(archive.namelist()) == 7
    assert ada.delete(f"{COLLECTIONS}{collection}/").status_code == 204
    assert ada.get(f"{COLLECTIONS}{collection}/").status_code == 404


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": None}, "name"),
        ({"runs": None}, "runs"),
        ({"qrels": None}, "qrels"),
        ({"gains": "0,2"}, "gains"),
        ({"gains": "x"}, "gains"),
        ({"name": "a\tb"}, "name"),
        ({"colour": "red"}, "colour"),
        ({"qrels": "words, and no file"}, "qrels"),
        ({"runs": "words, and no file"}, "runs"),
    ],
)
def test_wrong_forms_are_refused_by_field(ada: Client, fields: dict[str, Any], said: str) -> None:
    reply = upload(ada, **fields)
    assert reply.status_code == 400
    assert [row["field"].split(".")[0] for row in reply.json()["errors"]] == [said]
    assert not LabCollection.objects.exists()


def test_wrong_lines_are_named(ada: Client) -> None:
    reply = upload(ada, runs=[*run_files(), SimpleUploadedFile("bad.txt", b"1 Q0 d1 1 x bad\n")])
    assert reply.status_code == 400
    assert (reply.json()["errors"][0]["line"], "bad.txt" in reply.json()["detail"]) == (1, True)
    assert not LabCollection.objects.exists()


def test_only_an_organised_campaign_is_copied(ada: Client) -> None:
    campaign = make_campaign("Small")
    Api(campaign, "Small-grace").judge("1", "a", 1)
    wish = {"name": "Copy", "campaign": "small"}
    for stranger in (ada, signed_in("Small-grace")):
        reply = stranger.post(COLLECTIONS, wish, content_type=JSON)
        assert (reply.status_code, reply.json()["code"]) == (404, "unknown_campaign")
    reply = signed_in("Small-ada").post(COLLECTIONS, wish, content_type=JSON)
    assert (reply.status_code, reply.json()["campaign"], reply.json()["as_of"]) == (201, "small", 1)


def test_job_runs_to_its_files(ada: Client, collection: int) -> None:
    reply = start(ada, collection)
    assert reply.status_code == 201
    job = reply.json()
    assert (job["state"], job["done"], job["total"]) == ("waiting", 0, 0)
    assert job["command"] == (
        "python manage.py study replay --runs runs --qrels qrels.txt --budgets 30 --trials 20 --seed 0"
    )
    for path in ("table.csv", "figure.svg"):
        early = ada.get(f"{JOBS}{job['id']}/{path}")
        assert (early.status_code, early.json()["code"]) == (409, "not_done")
    work.start(job["id"])
    do_all(LabJob.objects.get(id=job["id"]))
    shown = ada.get(f"{JOBS}{job['id']}/").json()
    assert (shown["state"], shown["done"]) == ("done", shown["total"])
    table = ada.get(f"{JOBS}{job['id']}/table.csv")
    assert table["Content-Type"].startswith("text/csv")
    assert table.content.decode().startswith("method,p,judgments,relevant,residual,tau\n")
    assert json.loads(ada.get(f"{JOBS}{job['id']}/table.json").content)["study"] == "replay"
    begins = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    for kind, first in begins.items():
        assert ada.get(f"{JOBS}{job['id']}/figure.{kind}").content.startswith(first)
    for path in ("table.xml", "figure.gif"):
        assert ada.get(f"{JOBS}{job['id']}/{path}").status_code == 404


@pytest.mark.parametrize(
    ("wish", "status", "field"),
    [
        ({"study": "nonesuch"}, 400, "study"),
        ({"settings": {"colour": "red"}}, 400, "settings"),
        ({"settings": {"p": [2]}}, 400, "p"),
        ({"collection": 999_999}, 404, "collection"),
    ],
)
def test_wrong_jobs_are_refused(
    ada: Client, collection: int, wish: dict[str, Any], status: int, field: str
) -> None:
    reply = start(ada, collection, **wish)
    assert (reply.status_code, [row["field"] for row in reply.json()["errors"]]) == (status, [field])
    assert not LabJob.objects.exists()


def test_pause_resume_cancel_and_delete(ada: Client, collection: int) -> None:
    job = start(ada, collection).json()["id"]
    assert set_state(ada, job, "paused").json()["state"] == "paused"
    assert set_state(ada, job, "paused").status_code == 409
    assert set_state(ada, job, "running").json()["state"] == "waiting"
    assert set_state(ada, job, "cancelled").json()["state"] == "cancelled"
    assert set_state(ada, job, "running").status_code == 409
    assert set_state(ada, job, "done").status_code == 400
    assert ada.delete(f"{JOBS}{job}/").status_code == 204
    assert ada.get(JOBS).json()["results"] == []


def test_other_accounts_find_nothing(ada: Client, collection: int) -> None:
    job = done(ada, collection)
    campaign = make_campaign("Small")
    bound = with_token("Small-ada", "read", "organise", campaign=campaign)
    for stranger in (signed_in("Small-ada"), with_token("Small-ada", "read", "organise"), bound):
        for path in (
            *(f"{COLLECTIONS}{collection}/", f"{COLLECTIONS}{collection}/files/", f"{JOBS}{job}/"),
            *(f"{JOBS}{job}/table.csv", f"{JOBS}{job}/figure.svg"),
        ):
            assert stranger.get(path).status_code == 404, path
        assert stranger.delete(f"{COLLECTIONS}{collection}/").status_code == 404
        assert stranger.delete(f"{JOBS}{job}/").status_code == 404
        assert set_state(stranger, job, "cancelled").status_code == 404
        assert start(stranger, collection).status_code == 404
    assert signed_in("Small-ada").get(JOBS).json()["results"] == []
    assert bound.get(JOBS).status_code == 404
    assert LabJob.objects.filter(id=job).exists()


def test_lists_cost_the_same_queries_for_one_row_and_for_three(
    ada: Client, collection: int, django_assert_num_queries: Any
) -> None:
    done(ada, collection)
    with django_assert_num_queries(3):
        ada.get(JOBS)
    done(ada, collection)
    done(ada, collection)
    upload(ada)
    with django_assert_num_queries(3):
        ada.get(JOBS)
