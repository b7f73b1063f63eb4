"""Shapes of the Lab: collections whose relevance is known, and jobs that run studies on them."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Many, Options, Shape, Slug, Strict, Text, Upload, Whole
from campaigns.lab.collections import LONGEST_NAME
from campaigns.lab.jobs import CHANGES
from campaigns.models import LabJob

MOST_RUNS = 999
LARGEST_ID = 2**63 - 1


class LabFilesIn(Strict):
    """A form (multipart) with run files and qrels; also packed as .gz, .xz or .zst."""

    name = Text(max_length=LONGEST_NAME)
    runs = Many(child=Upload(allow_empty_file=True), min_length=1, max_length=MOST_RUNS)
    qrels = Upload(allow_empty_file=True)
    gains = Text(
        required=False,
        allow_blank=True,
        default="",
        max_length=500,
        help_text="the gain of grade 0, 1, 2 …, such as 0,0.5,1; empty: a grade of 1 or more counts 1",
    )

    example = {"name": "TREC-8", "runs": ["(a file’s bytes)"], "qrels": "(the file’s bytes)", "gains": ""}


class LabCopyIn(Strict):
    name = Text(max_length=LONGEST_NAME)
    campaign = Slug(max_length=80, help_text="the address of a campaign that you organise")

    example = {"name": "News after 500 judgments", "campaign": "news-2026"}


class LabCollectionOut(Shape):
    id = serializers.IntegerField()
    name = serializers.CharField()
    campaign = serializers.CharField(allow_null=True, help_text="the campaign that it was copied from")
    as_of = serializers.IntegerField(allow_null=True, help_text="the last judgment that the copy knows")
    runs = serializers.ListField(child=serializers.CharField())
    topics = serializers.IntegerField(help_text="judged topics that a run answers")
    documents = serializers.IntegerField(help_text="documents that a run ranks, over all topics")
    judged = serializers.IntegerField()
    notes = serializers.ListField(child=serializers.CharField(), help_text="what was noticed in the data")
    fingerprint = serializers.CharField(help_text="equal for collections with which studies find the same")
    created = serializers.DateTimeField()

    example = {
        "id": 7,
        "name": "TREC-8",
        "campaign": None,
        "as_of": None,
        "runs": ["READWARE2", "orcl99man"],
        "topics": 50,
        "documents": 172403,
        "judged": 86830,
        "notes": [],
        "fingerprint": "53a0f7a1c0b2d9e4",
        "created": "2026-03-01T09:00:00Z",
    }


class LabJobIn(Strict):
    collection = Whole(min_value=1, max_value=LARGEST_ID)
    study = Text(max_length=60, help_text="a name that `study` knows, such as replay or topic-selection")
    settings = Options(required=False, help_text="those that the study reads; the others are as by default")

    example = {"collection": 7, "study": "replay", "settings": {"methods": ["pooling", "C"], "p": [0.8]}}


class LabJobChange(Strict):
    state = Choice(choices=list(CHANGES), help_text="running: resume")

    example = {"state": "paused"}


class LabJobOut(Shape):
    id = serializers.IntegerField()
    collection = serializers.IntegerField(allow_null=True, help_text="null: deleted")
    collection_name = serializers.CharField()
    study = serializers.CharField()
    settings = serializers.DictField(help_text="every setting that the study reads")
    state = serializers.ChoiceField(choices=LabJob.State.choices)
    reason = serializers.CharField(help_text="why it failed; empty otherwise")
    done = serializers.IntegerField(help_text="trials that are done")
    total = serializers.IntegerField(help_text="0 until the worker has divided the job into trials")
    seconds = serializers.FloatField(help_text="of computing, by all processes together")
    command = serializers.CharField(help_text="repeats the job on the files of the collection")
    created = serializers.DateTimeField()
    finished = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 12,
        "collection": 7,
        "collection_name": "TREC-8",
        "study": "replay",
        "settings": {"methods": ["pooling", "C"], "budgets": [], "p": [0.8], "trials": 20, "seed": 0},
        "state": "running",
        "reason": "",
        "done": 1,
        "total": 2,
        "seconds": 1.5,
        "command": "python manage.py study replay --runs runs --qrels qrels.txt --methods pooling,C …",
        "created": "2026-03-01T09:00:00Z",
        "finished": None,
    }
