"""Shapes of the Lab: collections whose relevance is known, and jobs that run studies on them."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    BoundedList,
    Choice,
    Options,
    RequestShape,
    Shape,
    Slug,
    Text,
    Upload,
    WholeNumber,
)
from campaigns.lab.collections import LONGEST_NAME
from campaigns.lab.jobs import CHANGES
from campaigns.models import LabJob

MOST_RUNS = 999
LARGEST_ID = 2**63 - 1


class LabFilesIn(RequestShape):
    """A form (multipart) with run files and qrels for a new collection."""

    name = Text(max_length=LONGEST_NAME, help_text="name of the collection")
    runs = BoundedList(
        child=Upload(allow_empty_file=True),
        min_length=1,
        max_length=MOST_RUNS,
        help_text="run files, the field once for each; plain, or compressed as .gz, .xz or .zst",
    )
    qrels = Upload(allow_empty_file=True, help_text="qrels file; plain, or compressed as .gz, .xz or .zst")
    gains = Text(
        required=False,
        allow_blank=True,
        default="",
        max_length=500,
        help_text="gains of grades 0, 1, 2 …, such as 0,0.5,1; if empty, a grade of 1 or more counts 1, and "
        "nDCG reads the grades",
    )
    score_precision = Choice(
        choices=["64", "32"],
        required=False,
        default="64",
        help_text="bits of the floats as which scores are compared: 64 as in trec_eval 10.0, 32 as in "
        "trec_eval up to 9.0.8 (default: 64)",
    )

    example = {"name": "TREC-8", "runs": ["(a file’s bytes)"], "qrels": "(the file’s bytes)", "gains": ""}


class LabCopyIn(RequestShape):
    """A campaign whose runs and current grades become a new collection."""

    name = Text(max_length=LONGEST_NAME, help_text="name of the collection")
    campaign = Slug(max_length=80, help_text="address of a campaign that you organise")

    example = {"name": "News after 500 judgments", "campaign": "news-2026"}


class LabCollectionOut(Shape):
    """A collection of the Lab: runs over judged topics."""

    id = serializers.IntegerField(help_text="ID of the collection")
    name = serializers.CharField(help_text="name of the collection")
    campaign = serializers.CharField(
        allow_null=True, help_text="address of the copied campaign; null if the files were uploaded"
    )
    as_of = serializers.IntegerField(
        allow_null=True, help_text="length of the judgment log when the campaign was copied"
    )
    runs = serializers.ListField(child=serializers.CharField(), help_text="names of the runs")
    topics = serializers.IntegerField(help_text="number of judged topics that a run answers")
    documents = serializers.IntegerField(help_text="number of pooled documents, over all topics")
    judged = serializers.IntegerField(help_text="number of judged documents, over all topics")
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="sentences about omitted and renamed data"
    )
    fingerprint = serializers.CharField(help_text="hash of the data; equal data give equal results")
    created = serializers.DateTimeField(help_text="time of the upload or copy")

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


class LabJobIn(RequestShape):
    """A study to run on a collection."""

    collection = WholeNumber(min_value=1, max_value=LARGEST_ID, help_text="ID of one of your collections")
    study = Text(max_length=60, help_text="name of a study, such as replay or topic-selection")
    settings = Options(
        required=False, help_text="settings that the study reads, by name; defaults for the others"
    )

    example = {"collection": 7, "study": "replay", "settings": {"methods": ["pooling", "C"], "p": [0.8]}}


class LabJobChange(RequestShape):
    """The new state of a job."""

    state = Choice(choices=list(CHANGES), help_text="new state; `running` resumes a paused job")

    example = {"state": "paused"}


class LabJobOut(Shape):
    """A job of the Lab: a study on a collection, with its progress."""

    id = serializers.IntegerField(help_text="ID of the job")
    collection = serializers.IntegerField(
        allow_null=True, help_text="ID of the collection; null if it was deleted"
    )
    collection_name = serializers.CharField(help_text="name of the collection")
    study = serializers.CharField(help_text="name of the study")
    settings = serializers.DictField(help_text="every setting that the study reads, by name")
    state = serializers.ChoiceField(choices=LabJob.State.choices, help_text="state of the job")
    reason = serializers.CharField(help_text="reason of a failure; empty otherwise")
    done = serializers.IntegerField(help_text="number of finished trials")
    total = serializers.IntegerField(help_text="number of trials; 0 until the worker has counted them")
    seconds = serializers.FloatField(help_text="computing time over all processes, in seconds")
    command = serializers.CharField(help_text="command that repeats the job on the collection’s files")
    created = serializers.DateTimeField(help_text="time of the request")
    finished = serializers.DateTimeField(allow_null=True, help_text="time at which the job ended")

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
