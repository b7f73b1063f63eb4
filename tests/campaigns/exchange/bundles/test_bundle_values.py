"""No bundle brings what no write path stores: every column of every table, with values wrong for it."""

from __future__ import annotations

import io
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast
from zipfile import ZipFile

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone
from rest_framework import serializers

from campaigns.api.shapes.judging.annotations import AnnotationIn
from campaigns.api.shapes.judging.judgments import JudgmentIn
from campaigns.api.shapes.judging.training import ExampleIn, TrainingAnswerIn, TrainingItemIn
from campaigns.api.shapes.settings import CampaignIn
from campaigns.api.shapes.topic_order import TopicOrderIn
from campaigns.api.shapes.topics import TopicIn
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.exchange.bundles import column_rules, importer
from campaigns.exchange.bundles.column_rules import AnyField
from campaigns.exchange.bundles.importer import import_bundle
from campaigns.exchange.bundles.reader import Bundle, NameResolver, read_settings
from campaigns.exchange.bundles.tables import MANIFEST, TABLES, Table, columns_of
from campaigns.formats.errors import TITLE_CHARACTERS, FormatError, Notices
from campaigns.models import (
    Anchor,
    Annotation,
    Campaign,
    Collection,
    Deed,
    Document,
    DocumentRevision,
    GuidelineExample,
    Judgment,
    Membership,
    Postponement,
    QrelsImport,
    Ranking,
    Repeat,
    Run,
    Sample,
    Topic,
    TopicDraw,
    TopicRevision,
    TrainingAnswer,
    TrainingItem,
)
from tests.campaigns.exchange.bundles.bundle_copies import contents, copied, forged, opened, packed
from tests.campaigns.exchange.bundles.test_bundle_refusals import counts
from tests.campaigns.exchange.bundles.test_bundles import rich

pytestmark = pytest.mark.django_db

LONG = "x" * 150_000
# Of any column of the kind: other types, too large, too small, out of order, dangling.
OF_EVERY_TEXT: tuple[Any, ...] = (7, True, 1.5, [], {}, "a\0b", "\ud800")
OF_EVERY_WHOLE: tuple[Any, ...] = ("1", True, 1.5, [], {}, 2**31, -(2**31) - 1, 10**30)
OF_EVERY_NUMBER: tuple[Any, ...] = (
    "0.5",
    True,
    [],
    {},
    float("inf"),
    float("-inf"),
    float("nan"),
    1e300,
    -1e300,
)
OF_EVERY_TIME = (
    *("9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00", "1970-01-01T00:00:00+00:00"),
    *("2026-02-30T00:00:00+00:00", "2026-02-03", "2026-02-03T04:05:06", "yesterday", "", 1_700_000_000, True),
)
OF_EVERY_KIND: dict[str, tuple[Any, ...]] = {
    "BooleanField": (1, 0, "true", "", [], {}),
    "DateTimeField": OF_EVERY_TIME,
    "FloatField": OF_EVERY_NUMBER,
    "UUIDField": ("", "no uuid", 7, True, []),
    "BinaryField": ("AAA", "…", 7, True, []),
}
# By column: what is wrong for it alone.
FURTHER_FIELDS: Any = ({}, [1], [{"name": "x"}], [{"name": "", "value": "y"}], [{"name": "x", "value": 1}])
DOCUMENT_TEXT: dict[str, tuple[Any, ...]] = {
    "title": ("x" * 8_500_000,),
    "body": ("x" * 8_500_000,),
    "content_type": ("", "text", "text/html\r\nX-A: b", "text/html; charset=x", "téxt/plain"),
    "metadata": ({"a": 7}, {"a": "x" * 2001}, {"": "a"}, {"a": "b\0"}, {"x" * 101: "a"}),
    "revision": (0,),
}
WRONG: dict[type[Model], dict[str, tuple[Any, ...]]] = {
    Campaign: {
        "name": ("", "   ", "a\nb", "a\u202eb", LONG),
        "shown_fields": ([1], ["a", "a"], [""], list("abcdefghi"), ["x" * 101]),
        "settled": (["grades", "wishes"], [1]),
        "topics_first": ([1], ["a b"], [""], ["1"] * 10_001),
    },
    Collection: {
        "name": ("", "a\nb", LONG),
        "url_template": ("javascript:alert('{docno}')", "https://x.org/", LONG),
        "language": ("", "klingon"),
        "metadata_fields": ([1], ["a", "a"], [""], ["x" * 101], [str(n) for n in range(101)]),
    },
    Document: {
        "docno": ("", "a b", "a\nb", "x" * 513),
        **DOCUMENT_TEXT,
    },
    DocumentRevision: {**DOCUMENT_TEXT, "html": ("<p>made elsewhere",), "sha256": ("x" * 64, "0" * 63)},
    Membership: {"setup_step": ("wishes",)},
    Topic: {
        "number": ("", "a b", "a\0", "x" * 101),
        **dict.fromkeys(("title", "description", "narrative"), ()),
        "further_fields": FURTHER_FIELDS,
        "revision": (0, -1),
        "release_reason": ({"how": 7}, {"expected": "x"}, {"expected": [1]}, {"method": "x" * 200}),
    },
    TopicDraw: {
        "number": (0, -1),
        "topics": ([1], ["a b"], [""]),
        "taken": ("a b", "x" * 101),
    },
    TopicRevision: {
        "revision": (0, 99),
        "further_fields": FURTHER_FIELDS,
        **dict.fromkeys(("title", "description", "narrative"), ()),
    },
    Run: {
        "tag": ("", "a b", "x" * 201),
        "group": ("a\nb", "x" * 201),
        "file_name": ("a\r\nb", "x" * 256),
        "sha256": ("x" * 64, "0" * 63),
        "noticed": ([1], [{"what": "x"}], [{"what": "x", "count": "1", "detail": ""}]),
    },
    TrainingItem: {"reason": ("", " ", "x" * 2001), "document_revision": (0,)},
    TrainingAnswer: {"attempt": (0,)},
    GuidelineExample: {"reason": ("", " ", "x" * 2001), "document_revision": (0,)},
    Judgment: {
        "sequence": (0, 9),
        "reason": ("because",),
        "seen": (101, -1),
        "method": ("zzz",),
        "weight_given_up": (-0.1, 1.1, 7),
        "inclusion_probability": (0, -0.1, 7),
        "topic_revision": (0, 99),
        "document_revision": (0,),
    },
    Repeat: {"reason": ("because",), "document_revision": (0,)},
    Annotation: {
        "document_revision": (0,),
        "note": ("x" * 2001,),
        "passages": (
            [1],
            [{"start": 1, "end": 2}],
            [{"start": -1, "end": 2, "text": ""}],
            [{"start": 2, "end": 2, "text": ""}],
            [{"start": 0, "end": 2, "text": "abc"}],
            [{"start": 0, "end": 5001, "text": ""}],
            [{"start": 0, "end": 1, "text": ""}] * 51,
            [{"start": 0, "end": 2**40, "text": ""}],
        ),
    },
    Postponement: {
        "method": ("zzz",),
        "weight_given_up": (-0.1, 7),
        "inclusion_probability": (0, 7),
    },
    QrelsImport: {"first": (0,), "last": (0, 10**6), "file": ("a\nb", "x" * 5000)},
    Deed: {
        "actor_name": ("a\nb", "x" * 151),
        "kind": ("", " ", "x" * 41),
        "detail": ({"person": 7}, {"file": None}, {"topics": [1]}),
    },
}
# Whose type says all, by itself; the row or the campaign says more.
MORE: dict[type[Model], dict[str, tuple[Any, ...]]] = {
    Anchor: {"as_of": (10**6,)},
    Deed: {"after": (10**6,)},
    Judgment: {"grade": (9, -3, 100), "queue_age": (10**6,)},
    Postponement: {"queue_age": (10**6,)},
    Ranking: {"documents": ("",), "scores": ("", "AAAAAAAA8D8AAAAAAAAAQAAAAAAAAAhA")},
    Repeat: {"grade": (9, -2)},
    Sample: {"inclusion": ("", "AAAAAAAAHEA="), "masses": ("", "AAAAAAAAHEA=")},
    TrainingItem: {"grade": (9, -2)},
    TrainingAnswer: {"grade": (9, -2)},
    GuidelineExample: {"grade": (9, -2)},
}
MODELS: tuple[type[Model], ...] = (Campaign, Collection, Document, *(table.model for table in TABLES))


def wrong_for(column: AnyField) -> Iterator[Any]:
    kind = column.get_internal_type()
    if not column.null:
        yield None
    if column.is_relation:
        yield from ("nobody", 999_999, True, 1.5, [], {})
        return
    if kind == "JSONField":
        other: Any = {} if isinstance(column.get_default(), list) else []
        deep = [{"a": ["b\0"]}] if isinstance(column.get_default(), list) else {"a": ["b\0"]}
        yield from (other, 7, "x", True, deep)
    elif kind in OF_EVERY_KIND:
        yield from OF_EVERY_KIND[kind]
    else:
        yield from OF_EVERY_WHOLE if kind.endswith("IntegerField") else OF_EVERY_TEXT
        if kind.startswith("Positive"):
            yield -1
    if column.choices:
        yield from ("zzz", 7)
    for known in (WRONG, MORE):
        yield from known.get(column.model, {}).get(column.name, ())


@dataclass
class Whole:
    """A campaign with a row in every table, its bundle, and the rows that its names lead to."""

    campaign: Campaign
    content: bytes
    known: NameResolver
    bundle: Bundle
    entries: dict[str, bytes]

    def changed(self, entry: str, line: int, name: str, value: Any, part: str = "") -> Bundle:
        """The opened bundle, as if it had been signed with this value."""
        lines = with_value(self.entries[entry], line, name, value, part)
        return replace(self.bundle, archive=cast(ZipFile, Unzipped(self.entries | {entry: lines})))


@dataclass
class Unzipped:
    """Entries as a zip file gives them."""

    entries: dict[str, bytes]

    def open(self, entry: str) -> io.BytesIO:
        return io.BytesIO(self.entries[entry])


@pytest.fixture(scope="module")
def whole(module_rows: None) -> Whole:
    campaign = rich(method="statap")
    first = Judgment.objects.filter(campaign=campaign, grade__isnull=False).order_by("sequence")[0]
    same = {"topic": first.topic, "document": first.document, "assessor": first.assessor}
    now = timezone.now()
    Repeat.objects.create(first=first, campaign=campaign, grade=1, milliseconds=5, created=now, **same)
    Postponement.objects.create(**same)
    Document.objects.filter(id=first.document_id).update(revision=2)
    text = {"title": "t", "body": "b", "sha256": "0" * 64, "replaced": now}
    DocumentRevision.objects.create(document=first.document, revision=1, **text)
    Anchor.objects.create(topic=first.topic, document=first.document, place=0, seed=1, as_of=0)
    recompute(campaign.id)
    campaign.refresh_from_db()
    numbers = campaign.collection.documents.order_by("id").values_list("id", flat=True)
    origin = campaign.collection.origin
    people = dict(User.objects.values_list("username", "id"))
    known = NameResolver(people, np.array(numbers, dtype=np.int64) - origin, origin, None)
    for table in TABLES:
        known.learn(table, campaign.id)
    content = packed(campaign)
    return Whole(campaign, content, known, opened(content), contents(content))


def with_value(content: bytes, line: int, name: str, value: Any, part: str = "") -> bytes:
    lines = content.splitlines(keepends=True)
    row = json.loads(lines[line])
    inner = row[part] if part else row
    inner[name] = value
    lines[line] = json.dumps(row).encode() + b"\n"
    return b"".join(lines)


def make_of(bundle: Bundle) -> None:
    import_bundle(bundle=bundle, slug="copy", trusted=True)


def read_rows(whole: Whole, bundle: Bundle, table: Table) -> None:
    for _ in importer._rows(bundle, table, whole.campaign, whole.known):
        pass


def shown(value: Any) -> str:
    return f"{value!r:.50}"


def forgery(whole: Whole, entry: str, place: tuple[int, str], value: Any, part: str = "") -> bytes:
    """The bundle, signed again, with this value in a line and a column."""
    return forged(whole.content, entry, lambda lines: with_value(lines, *place, value, part))


def refusal_of(what: str, act: Callable[[], object]) -> FormatError | Refusal:
    try:
        act()
    except (FormatError, Refusal) as refused:
        return refused
    pytest.fail(f"took {what}")


def refused_whole(content: bytes, what: str) -> FormatError | Refusal:
    before = counts()
    refused = refusal_of(what, lambda: copied(content))
    assert counts() == before
    return refused


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_column_of_a_table_refuses_what_is_wrong_for_it(whole: Whole, table: Table) -> None:
    read_rows(whole, opened(whole.content), table)
    for name, column in table.columns.items():
        for value in wrong_for(column):
            bundle = whole.changed(table.entry, 0, name, value)
            what = f"{table.name}.{name}: {shown(value)}"
            error = refusal_of(what, lambda: read_rows(whole, bundle, table))  # noqa: B023
            assert f"{table.entry}:1: " in str(error), what
            assert re.search(f"{name}: |{name} is missing|not a JSON object|equally long", str(error)), what


@pytest.mark.parametrize(("part", "model"), [("campaign", Campaign), ("collection", Collection)])
def test_every_setting_refuses_what_is_wrong_for_it(whole: Whole, part: str, model: type[Model]) -> None:
    before = counts()
    for name in json.loads(whole.entries["campaign.json"])[part]:
        if (part, name) == ("campaign", "slug"):
            continue
        for value in wrong_for(columns_of(model)[name]):
            bundle = whole.changed("campaign.json", 0, name, value, part)
            refusal_of(f"{part}.{name}: {shown(value)}", lambda: make_of(bundle))  # noqa: B023
    assert counts() == before


@pytest.mark.parametrize("name", ["docno", *DOCUMENT_TEXT])
def test_every_column_of_documents_refuses_what_is_wrong_for_it(whole: Whole, name: str) -> None:
    for value in wrong_for(columns_of(Document)[name]):
        bundle = whole.changed("documents.jsonl", 1, name, value)
        error = refusal_of(f"{name}: {shown(value)}", lambda: list(importer._documents(bundle)))  # noqa: B023
        assert "documents.jsonl:2: " in str(error)


def test_names_and_addresses_of_earlier_versions_are_tidied(whole: Whole) -> None:
    bundle = whole.changed("campaign.json", 0, "name", " * ", "collection")
    bundle.archive.entries["campaign.json"] = with_value(  # type: ignore[attr-defined]
        bundle.archive.entries["campaign.json"],  # type: ignore[attr-defined]
        *(0, "url_template", " https://x.org/{docno}\t", "collection"),
    )
    settings = read_settings(bundle)["collection"]
    assert (settings["name"], settings["url_template"]) == ("Collection *", "https://x.org/{docno}")


def test_costly_documents_and_long_titles_are_named(whole: Whole) -> None:
    def changed(entry: bytes) -> bytes:
        page = with_value(entry, 0, "content_type", "text/html")
        return with_value(with_value(page, 0, "body", "<div>" * 400_000), 1, "title", "title " * 2000)

    costly, long, *_ = (json.loads(line)["docno"] for line in whole.entries["documents.jsonl"].splitlines())
    notices = Notices()
    copy = copied(forged(whole.content, "documents.jsonl", changed), notices=notices)
    assert {row["what"]: row["detail"].rpartition(": ")[2] for row in notices.rows()} == {
        "titles cut": long,
        "documents shown as plain text: too costly to render": costly,
    }
    assert (copy.collection.documents.get(docno=costly).html or "")[:3] == "<p>"
    assert len(copy.collection.documents.get(docno=long).title) == TITLE_CHARACTERS


def test_a_picture_that_is_none_is_refused(whole: Whole) -> None:
    def picture(entry: bytes) -> bytes:
        return with_value(
            with_value(entry, 0, "content_type", "image/png"), 0, "body", "bm90IGEgcGljdHVyZQ=="
        )

    refused_whole(forged(whole.content, "documents.jsonl", picture), "took a picture that is none")


@pytest.mark.parametrize(
    ("name", "column", "dtype", "value", "says"),
    [
        ("samples", "inclusion", "<f8", 7.0, "a probability is above 0 and at most 1"),
        ("samples", "inclusion", "<f8", 0.0, "a probability is above 0 and at most 1"),
        ("samples", "inclusion", "<f8", np.nan, "holds a number that is not finite"),
        ("samples", "masses", "<f8", 7.0, "a share lies between 0 and 1"),
        ("samples", "buckets", "<i8", -1, "counted from 0"),
        ("rankings", "scores", "<f8", -1e9, "they rise on the way down the list"),
        ("rankings", "scores", "<f8", np.inf, "holds a number that is not finite"),
        ("rankings", "documents", "<i4", 10**6, "names a document that the bundle does not hold"),
    ],
)
def test_numbers_in_packed_columns_are_checked(
    whole: Whole, name: str, column: str, dtype: str, value: float, says: str
) -> None:
    table = next(table for table in TABLES if table.name == name)
    row = json.loads(contents(whole.content)[table.entry].splitlines()[0])
    numbers = np.frombuffer(b64decode(row[column]), dtype=dtype).copy()
    numbers[0] = value
    bundle = whole.changed(table.entry, 0, column, b64encode(numbers.tobytes()).decode())
    error = refusal_of(f"{column} {value}", lambda: read_rows(whole, bundle, table))
    assert f"{table.entry}:1: {column}: " in str(error)
    assert says in str(error)


# By column: the API's field for it. What that refuses, a bundle does not bring.
API_FIELDS: dict[type[Model], tuple[type[serializers.Serializer[Any]], Callable[[str], str]]] = {
    Campaign: (CampaignIn, lambda name: name.replace("topic_", "").replace("topics_", "")),
    Collection: (CampaignIn, str),
    Topic: (TopicIn, str),
    Judgment: (JudgmentIn, str),
    Repeat: (JudgmentIn, str),
    TrainingItem: (TrainingItemIn, str),
    TrainingAnswer: (TrainingAnswerIn, str),
    GuidelineExample: (ExampleIn, str),
    Annotation: (AnnotationIn, str),
}
POOL: tuple[Any, ...] = (
    *(None, True, False, "", " ", "zzz", LONG, "javascript:{docno}", "a\0b", "\ud800"),
    *(-1, 0, 0.0, 1, 1.5, 2, 7, 101, 21, 10**6 + 1, 2**31, 10**30, -0.1, 1.1, 1e300),
    *([], [1], [""], ["a"] * 9, {}, {"a": 1}, {str(n): n for n in range(60)}),
    *("9999-12-31T23:59:59Z", "1999-01-01T00:00:00Z", "2026-02-30T00:00:00Z"),
)


def api_fields() -> Iterator[tuple[AnyField, serializers.Field[Any, Any, Any, Any]]]:
    for model, (shape, _) in API_FIELDS.items():
        fields = shape().fields
        for name, column in columns_of(model).items():
            # There, a name; here, a reference.
            if name in fields and not column.is_relation and name not in ("id", "slug"):
                yield column, fields[name]
    order = TopicOrderIn().fields
    for name in ("method", "options", "ahead", "first"):
        column = columns_of(Campaign)[f"topic{'s' if name in ('ahead', 'first') else ''}_{name}"]
        yield column, order[name]


def is_refused_by(field: serializers.Field[Any, Any, Any, Any], value: Any) -> bool:
    try:
        field.run_validation(value)
    except serializers.ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    ("column", "field"), list(api_fields()), ids=lambda one: getattr(one, "name", None) or type(one).__name__
)
def test_what_the_api_refuses_for_a_column_the_importer_refuses(
    whole: Whole, column: AnyField, field: serializers.Field[Any, Any, Any, Any]
) -> None:
    wrong = [value for value in POOL if is_refused_by(field, value)]
    # A bundle says what the API leaves out.
    wrong = [value for value in wrong if not (value is None and column.null)]
    wrong = [value for value in wrong if not (value in ("", [], {}) and value == column.get_default())]
    assert wrong
    part = {Campaign: "campaign", Collection: "collection"}.get(column.model, "")
    table = next((table for table in TABLES if table.model is column.model), None)
    entry = table.entry if table else "campaign.json"
    for value in wrong:
        bundle, what = whole.changed(entry, 0, column.name, value, part), f"{column}: {shown(value)}"
        if table is None or column.name == "options":
            refusal_of(what, lambda: make_of(bundle))  # noqa: B023
        else:
            refusal_of(what, lambda: read_rows(whole, bundle, table))  # noqa: B023


def test_every_column_has_a_rule_and_each_rule_a_value_that_it_refuses() -> None:
    assert set(column_rules.RULES) == set(MODELS)
    for model in MODELS:
        carried = columns_of(model)
        needed = {name for name, column in carried.items() if column_rules.needs_rule(column)}
        # Safe HTML is made again from the body.
        needed -= {"html"} if model is Document else set()
        rules = column_rules.RULES[model]
        assert needed <= set(rules) <= set(carried), model.__name__
        for name, rule in rules.items():
            known = name in WRONG.get(model, {})
            assert known == (rule is not column_rules._as_typed), f"{model.__name__}.{name}"


def rows(entry: str, change: int) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        manifest = json.loads(content)
        manifest["entries"][entry]["rows"] += change
        return json.dumps(manifest).encode()

    return changed


@pytest.mark.parametrize("entry", ["rankings.jsonl", "judgments.jsonl", "documents.jsonl", "people.jsonl"])
@pytest.mark.parametrize("change", [-1, 1])
def test_rows_are_as_many_as_the_manifest_says(whole: Whole, entry: str, change: int) -> None:
    content = forged(whole.content, MANIFEST, rows(entry, change))
    error = refused_whole(content, f"{entry} with {change} rows")
    assert "of the manifest" in str(error)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_wrong_value_anywhere_leaves_everything_as_it_was(whole: Whole, table: Table) -> None:
    name = next(iter(table.columns))
    last = contents(whole.content)[table.entry].count(b"\n") - 1
    error = refused_whole(forgery(whole, table.entry, (last, name), {"no": "value"}), f"{name}: an object")
    assert f"{table.entry}:{last + 1}: {name}" in str(error)


def test_what_contradicts_an_earlier_row_is_named_by_its_line(whole: Whole) -> None:
    entry = contents(whole.content)["members.jsonl"]
    twice = forged(whole.content, "members.jsonl", lambda _: entry + entry.splitlines(keepends=True)[0])
    error = refused_whole(twice, "took a member twice")
    lines = entry.count(b"\n")
    assert f"members.jsonl:{lines + 1}: " in str(error)
