"""Shapes of the Lab: collections whose relevance is known, and jobs that run studies on them."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    BoundedList,
    Choice,
    Figures,
    List,
    Number,
    Options,
    RequestShape,
    Shape,
    Slug,
    Text,
    Time,
    Upload,
    WholeNumber,
)
from campaigns.lab.collections import LONGEST_NAME
from campaigns.lab.study_jobs import CHANGES
from campaigns.models import LabJob

MOST_RUNS = 999
LARGEST_ID = 2**63 - 1


class LabFilesIn(RequestShape):
    """A form (multipart) with run files and qrels for a new collection."""

    name = Text("name of the collection", "TREC-8", max_length=LONGEST_NAME)
    runs = BoundedList(
        "run files, the field once for each; plain, or compressed as .gz, .bz2, .xz, .zst or .lz4",
        ["(a file’s bytes)"],
        child=Upload(allow_empty_file=True),
        min_length=1,
        max_length=MOST_RUNS,
    )
    qrels = Upload(
        "qrels file; plain, or compressed as .gz, .bz2, .xz, .zst or .lz4",
        "(the file’s bytes)",
        allow_empty_file=True,
    )
    gains = Text(
        "gains of grades 0, 1, 2 …, such as 0,0.5,1; if empty, a grade of 1 or more counts 1, and "
        "nDCG reads the grades",
        "",
        allow_blank=True,
        default="",
        max_length=500,
    )
    score_precision = Choice(
        "bits of the floats as which scores are compared: 64 as in trec_eval 10.0, 32 as in "
        "trec_eval up to 9.0.8 (default: 64)",
        choices=["64", "32"],
        default="64",
    )


class LabCopyIn(RequestShape):
    """A campaign whose runs and current grades become a new collection."""

    name = Text("name of the collection", "News after 500 judgments", max_length=LONGEST_NAME)
    campaign = Slug("address of a campaign that you organise", "news-2026", max_length=80)


class LabCollectionOut(Shape):
    """A collection of the Lab: runs over judged topics."""

    id = WholeNumber("ID of the collection", 7)
    name = Text("name of the collection", "TREC-8")
    campaign = Text.or_null("address of the copied campaign; null if the files were uploaded", None)
    as_of = WholeNumber.or_null("length of the judgment log when the campaign was copied", None)
    runs = List("names of the runs", ["READWARE2", "orcl99man"], child=Text())
    topics = WholeNumber("number of judged topics that a run answers", 50)
    documents = WholeNumber("number of pooled documents, over all topics", 172403)
    judged = WholeNumber("number of judged documents, over all topics", 86830)
    notes = List("sentences about omitted and renamed data", [], child=Text())
    fingerprint = Text("hash of the data; equal data give equal results", "53a0f7a1c0b2d9e4")
    created = Time("time of the upload or copy", "2026-03-01T09:00:00Z")


class LabJobIn(RequestShape):
    """A study to run on a collection."""

    collection = WholeNumber("ID of one of your collections", 7, min_value=1, max_value=LARGEST_ID)
    study = Text("name of a study, such as replay or topic-selection", "replay", max_length=60)
    settings = Options(
        "settings that the study reads, by name; defaults for the others",
        {"methods": ["pooling", "C"], "p": [0.8]},
        required=False,
    )


class LabJobChange(RequestShape):
    """The new state of a job."""

    state = Choice("new state; `running` resumes a paused job", "paused", choices=list(CHANGES))


class LabJobOut(Shape):
    """A job of the Lab: a study on a collection, with its progress."""

    id = WholeNumber("ID of the job", 12)
    collection = WholeNumber.or_null("ID of the collection; null if it was deleted", 7)
    collection_name = Text("name of the collection", "TREC-8")
    study = Text("name of the study", "replay")
    settings = Figures(
        "every setting that the study reads, by name",
        {"methods": ["pooling", "C"], "budgets": [], "p": [0.8], "trials": 20, "seed": 0},
    )
    state = Choice("state of the job", "running", choices=LabJob.State.choices)
    reason = Text("reason of a failure; empty otherwise", "")
    done = WholeNumber("number of finished trials", 1)
    total = WholeNumber("number of trials; 0 until the worker has counted them", 2)
    seconds = Number("computing time over all processes, in seconds", 1.5)
    command = Text(
        "command that repeats the job on the collection’s files",
        "python manage.py study replay --runs runs --qrels qrels.txt --methods pooling,C …",
    )
    created = Time("time of the request", "2026-03-01T09:00:00Z")
    finished = Time.or_null("time at which the job ended", None)
