from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Shape, Strict
from campaigns.api.shapes.fields import Flag, Text
from campaigns.api.shapes.problems import Problem
from campaigns.exchange.datasets import LONGEST_NAME
from campaigns.models import Loading as Row


class DatasetIn(Strict):
    ir_dataset = Text(max_length=LONGEST_NAME, help_text="its name in ir_datasets")
    qrels = Flag(required=False, default=False, help_text="its judgments, too, into the log as yours")

    example = {"ir_dataset": "cranfield", "qrels": True}


class Loading(Shape):
    """`documents` were read so far, of `total` if that is known; `taken` in the end, or the `problem`."""

    ir_dataset = serializers.CharField()
    qrels = serializers.BooleanField()
    state = serializers.ChoiceField(choices=Row.State.choices)
    documents = serializers.IntegerField()
    total = serializers.IntegerField(allow_null=True)
    taken = serializers.DictField(child=serializers.IntegerField())
    problem = Problem(allow_null=True)

    example = {
        "ir_dataset": "cranfield",
        "qrels": True,
        "state": "running",
        "documents": 1000,
        "total": 1400,
        "taken": {},
        "problem": None,
    }


class Collection(Shape):
    name = serializers.CharField()
    documents = serializers.IntegerField()
    complete = serializers.BooleanField(help_text="false: documents are known from the runs, without text")
    url_template = serializers.CharField(allow_blank=True)
    loading = Loading(allow_null=True, help_text="the data set that was last asked for")

    example = {
        "name": "news-2026",
        "documents": 1000,
        "complete": True,
        "url_template": "",
        "loading": Loading.example,
    }
