"""Replays of a finished job, to be watched by its owner."""

from __future__ import annotations

import json

import pytest

from campaigns.lab.results import result_of
from campaigns.lab.study_jobs import change_state
from campaigns.models import LabCollection, LabJob, LabTrial
from tests.campaigns.factories import make_user, signed_in
from tests.campaigns.lab.lab_files import do_all, make_collection, make_job

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> LabCollection:
    return make_collection(make_user("ada"))


def finished(collection: LabCollection, *methods: str) -> LabJob:
    job = make_job(collection, "replay", methods=list(methods), budgets=[20, 60], p=[0.8], trials=2, seed=3)
    do_all(job)
    return job


def test_trajectories_end_where_the_table_does(collection: LabCollection) -> None:
    job, ada = finished(collection, "C", "random"), signed_in("ada")
    address = f"/lab/jobs/{job.id}/"
    labels = []
    for position in range(3):
        sent = ada.get(f"{address}trajectories/{position}.json").json()
        labels.append(sent["label"])
        assert (sent["judged"][0], sent["judged"][-1]) == (0, 60)
        assert sent["runs"] == collection.runs
    assert labels == ["Method C, p = 0.8", "Random, p = 0.8, #3", "Random, p = 0.8, #4"]
    first = ada.get(f"{address}trajectories/0.json").json()
    row = next(row for row in result_of(job).rows if (row["method"], row["judgments"]) == ("C", 60))
    assert first["relevant"][-1] == row["relevant"]
    width = [sum(top) - sum(base) for base, top in zip(first["base"], first["top"], strict=True)]
    assert sum(width) / len(width) / first["unit"] == pytest.approx(row["residual"], abs=2e-4)
    assert f'href="{address}watch/"' in ada.get(address).content.decode()
    page = ada.get(f"{address}watch/").content.decode()
    assert f'data-trajectory-urls="{address}trajectories/0.json {address}trajectories/1.json"' in page
    page = ada.get(f"{address}watch/", {"replay": ["2", "0"]}).content.decode()
    assert f'data-trajectory-urls="{address}trajectories/2.json {address}trajectories/0.json"' in page


def test_one_replay_is_watched_alone(collection: LabCollection) -> None:
    job = finished(collection, "pooling")
    page = signed_in("ada").get(f"/lab/jobs/{job.id}/watch/").content.decode()
    assert f'data-trajectory-urls="/lab/jobs/{job.id}/trajectories/0.json"' in page


@pytest.mark.parametrize("path", ["watch/", "trajectories/0.json"])
def test_others_and_other_methods_are_refused(collection: LabCollection, path: str) -> None:
    job = finished(collection, "A")
    address = f"/lab/jobs/{job.id}/{path}"
    make_user("eve")
    assert signed_in("eve").get(address).status_code == 404
    assert signed_in("ada").post(address).status_code == 405
    assert signed_in("ada").get(address).status_code == 200


def test_what_there_is_not_is_not_found(collection: LabCollection) -> None:
    job, ada = finished(collection, "A"), signed_in("ada")
    for path in ("watch/?replay=1", "watch/?replay=x", "trajectories/1.json"):
        assert ada.get(f"/lab/jobs/{job.id}/{path}").status_code == 404
    LabTrial.objects.update(found=json.dumps([[1, 0.5, 0.2]]))
    assert ada.get(f"/lab/jobs/{job.id}/trajectories/0.json").status_code == 404
    waiting = make_job(collection, "replay", methods=["B"], p=[0.8])
    change_state(job=waiting, state="cancelled")
    assert ada.get(f"/lab/jobs/{waiting.id}/watch/").status_code == 404
