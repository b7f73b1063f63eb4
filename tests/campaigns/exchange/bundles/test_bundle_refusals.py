"""What is wrong with a bundle is named, and nothing of it is stored."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import override_settings

from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.exchange.bundles.reader import Bundle, open_bundle
from campaigns.exchange.bundles.tables import MANIFEST, SIGNATURE
from campaigns.formats.errors import FormatError
from campaigns.models import Campaign
from tests.campaigns.exchange.bundles.bundle_copies import contents, copied, forged, opened, packed, zipped
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def content(module_rows: None) -> bytes:
    campaign = make_campaign("Small", method="statap")
    recompute(campaign.id)
    grace = Api(campaign, "Small-grace")
    for docno in ("a", "b", "c"):
        assert grace.judge("1", docno, 1).status_code == 201
    recompute(campaign.id)
    return packed(campaign)


def counts() -> dict[str, int]:
    models: list[Any] = [*apps.get_app_config("campaigns").get_models(), User]
    return {model.__name__: model._default_manager.count() for model in models}


def refused(content: bytes, says: str) -> None:
    before = counts()
    with pytest.raises((FormatError, Refusal), match=says):
        copied(content)
    assert counts() == before


def whole_entry(bundle: Bundle, name: str) -> bytes:
    """Read in pieces, as bundles refuse others."""
    with bundle.archive.open(name) as entry:
        return b"".join(iter(lambda: entry.read(1 << 16), b""))


def test_a_changed_byte_anywhere_is_noticed_or_changes_nothing(content: bytes) -> None:
    whole, dice = contents(content), random.Random(5)
    noticed = 0
    for _ in range(200):
        at = dice.randrange(len(content))
        changed = bytearray(content)
        changed[at] ^= 1 << dice.randrange(8)
        try:
            bundle = opened(bytes(changed))
        except FormatError:
            noticed += 1
        else:
            # Times and such, in the headers: nothing that is read.
            assert {name: whole_entry(bundle, name) for name in whole} == whole
    assert noticed > 100


def test_a_zip_whose_contents_would_lie_before_its_beginning(content: bytes) -> None:
    changed = bytearray(content)
    # In the record at the end, the highest byte of where the list of entries begins.
    changed[-3] ^= 0x20
    refused(bytes(changed), r"copy\.zip")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_cut_off_file(content: bytes, share: float) -> None:
    refused(content[: int(len(content) * share)], r"copy\.zip: this is not a whole zip file")


@pytest.mark.parametrize("entry", ["judgments.jsonl", "campaign.json", "documents.jsonl"])
def test_an_entry_changed_without_the_key(content: bytes, entry: str) -> None:
    entries = contents(content)
    entries[entry] = entries[entry].replace(b"1", b"2", 1)
    refused(zipped(entries), rf"copy\.zip/{entry}: was changed: its checksum")


def test_a_manifest_changed_without_the_key(content: bytes) -> None:
    entries = contents(content)
    entries[MANIFEST] = entries[MANIFEST].replace(b"true", b"1", 1)
    refused(zipped(entries), rf"copy\.zip/{MANIFEST}: the signature does not fit")


@pytest.mark.parametrize(
    "signature",
    [b"", b"[]", b"{}", b'{"algorithm": "none", "public_key": "", "signature": ""}',
     b'{"algorithm": "Ed25519", "public_key": "zz", "signature": "00"}'],
)  # fmt: skip
def test_a_signature_that_is_none(content: bytes, signature: bytes) -> None:
    refused(zipped(contents(content) | {SIGNATURE: signature}), "sign")


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "notes.txt", "judgments.jsonl/", "C:\\x"]
)
def test_entries_that_do_not_belong(content: bytes, name: str) -> None:
    refused(zipped(contents(content) | {name: b"x"}), "is no part of a bundle")


def test_a_missing_entry(content: bytes) -> None:
    entries = contents(content)
    del entries["runs.jsonl"]
    refused(zipped(entries), r"runs\.jsonl is missing")


def manifest(**said: Any) -> Callable[[bytes], bytes]:
    return lambda content: json.dumps(json.loads(content) | said).encode()


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"version": 2}, "of version 2; this site reads version 1"),
        ({"format": "something"}, "this is no assess bundle"),
        ({"entries": []}, "does not list"),
        ({"entries": {}}, "does not list"),
    ],
)
def test_another_version(content: bytes, said: dict[str, Any], says: str) -> None:
    refused(forged(content, MANIFEST, manifest(**said)), says)


def test_a_bomb(content: bytes) -> None:
    large = forged(content, "documents.jsonl", lambda lines: lines + b"\n" * 5_000_000)
    assert len(large) < 100_000
    with pytest.raises(
        FormatError, match=r"it unpacks to 5,0\d\d,\d{3} bytes, and at most 1,000,000 are read"
    ):
        open_bundle(io.BytesIO(large), "copy.zip", max_bytes=1_000_000)


def change(line: int, **values: Any) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        lines = content.splitlines(keepends=True)
        row = json.loads(lines[line]) | values
        lines[line] = json.dumps({k: v for k, v in row.items() if v is not ...}).encode() + b"\n"
        return b"".join(lines)

    return changed


def settings(**values: Any) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        row = json.loads(content)
        return json.dumps(row | {"campaign": row["campaign"] | values}).encode() + b"\n"

    return changed


WRONG = [
    ("judgments.jsonl", change(1, document=999_999), r"2: document: the bundle has no document 999999"),
    ("judgments.jsonl", change(1, document=True), "2: document: the bundle has no document True"),
    ("judgments.jsonl", change(1, document="1"), "the bundle has no document '1'"),
    ("judgments.jsonl", change(1, sequence=7), "2: sequence: act 2 of the log has the number 7"),
    ("judgments.jsonl", change(1, grade=9), "grade: 9 is not a grade of this campaign"),
    ("judgments.jsonl", change(1, grade=None), "contradicts itself"),
    ("judgments.jsonl", change(1, grade=10**9), "grade: "),
    ("judgments.jsonl", change(1, grade=1.5), "grade: 1.5 is of the wrong kind"),
    ("judgments.jsonl", change(1, undo="yes"), "undo: 'yes' is of the wrong kind"),
    ("judgments.jsonl", change(1, topic="99"), "topic: the bundle has no topic '99'"),
    ("judgments.jsonl", change(1, assessor="Small-eve"), "assessor: the bundle has no user 'Small-eve'"),
    ("judgments.jsonl", change(1, assessor=["x"]), "assessor: the bundle has no user"),
    ("judgments.jsonl", change(1, created="yesterday"), "created: "),
    ("judgments.jsonl", change(1, id="no uuid"), "no uuid"),
    ("judgments.jsonl", change(1, id=...), "id: None is of the wrong kind"),
    ("judgments.jsonl", change(1, secret=1), "secret: there is no such column"),
    ("judgments.jsonl", change(1, reason="a\0b"), "reason: holds a NUL"),
    ("judgments.jsonl", change(1, reason="\ud800"), "reason: holds half of a character"),
    ("judgments.jsonl", change(1, supersedes="2f9b5d34-0f0c-4f83-9a57-2f6ad0b8a111"),
     "2: supersedes: it names no act of"),
    ("judgments.jsonl", lambda content: content + b"not json\n", "4: is not a JSON object"),
    ("judgments.jsonl", lambda content: content + b"[1]\n", "4: is not a JSON object"),
    ("judgments.jsonl", lambda content: content[:-1], "3: the line is too long, or was cut off"),
    ("judgments.jsonl", lambda content: content.replace(b'"milliseconds":1200', b'"milliseconds":NaN'),
     "is not a JSON object"),
    ("topics.jsonl", change(0, number="a b"), "number: a topic is one word"),
    ("topics.jsonl", change(0, method="wishful"), "method: "),
    ("topics.jsonl", change(0, method="C", options={"depth": 3}), r"jsonl: topic 1\.options\.depth: "),
    ("topics.jsonl", change(0, method="mtc", options={"first": 7}), r"topic 1\.options\.first: first = 7"),
    ("topics.jsonl", change(0, options=["depth"]), r"1: options: \['depth'\] is of the wrong kind"),
    ("topics.jsonl", change(0, release=""), r"1: release: "),
    ("topics.jsonl", change(0, release="later"), r"1: release: .*later"),
    ("topics.jsonl", change(0, release_reason=["how"]), r"1: release_reason: \['how'\] is of the wrong"),
    ("topics.jsonl", change(1, number="1"), "contradicts itself"),
    ("runs.jsonl", change(0, tag=""), "tag: the tag is empty"),
    ("rankings.jsonl", change(0, scores=""), "its lists are not equally long"),
    ("rankings.jsonl", change(0, scores="AAA"), "scores: is not base64"),
    ("rankings.jsonl", change(0, documents="AQAA"), "documents: is cut off in the middle of a number"),
    ("rankings.jsonl", change(0, documents="AQAAAAEAAAA="), "documents: names a document"),
    ("samples.jsonl", change(0, documents="", inclusion="", buckets=""), "its lists are not equally long"),
    ("documents.jsonl", change(1, docno="a"), "contradicts itself"),
    ("documents.jsonl", change(1, metadata={"author": 7}), "2: metadata: short texts by their names"),
    ("documents.jsonl", change(1, number=1), "2: numbers ascend from 1"),
    ("documents.jsonl", change(1, number=2**40), "2: numbers ascend from 1"),
    ("documents.jsonl", change(1, body=...), "2: a document has body, content_type, docno, number, title"),
    ("people.jsonl", change(0, name="two words"), "people.jsonl:1: "),
    ("members.jsonl", change(1, role="king"), "role: "),
    ("campaign.json", lambda content: content.replace(b'"p":0.8', b'"p":1.5'), "campaign.p: p lies"),
    ("campaign.json", lambda content: content.replace(b'"gain":0.5', b'"gain":7.5'), "a gain lies between"),
    ("campaign.json", lambda content: content.replace(b'"seed":1', b'"seed":-1'), "campaign.seed: "),
    ("campaign.json", lambda content: content.replace(b'"seed":1', b'"sead":1'), "has no setting sead"),
    ("campaign.json", settings(method="wishful"), r"campaign\.json: campaign\.method: .*wishful"),
    ("campaign.json", settings(method=""), r"campaign\.method: "),
    ("campaign.json", settings(method="mtc"), r"campaign\.options\.size: .*has no option 'size'"),
    ("campaign.json", settings(scope=""), r"campaign\.scope: "),
    ("campaign.json", settings(policy="none"), r"campaign\.policy: .*none"),
    ("campaign.json", settings(topic_choice=""), r"campaign\.topic_choice: "),
    ("campaign.json", settings(topic_method="wishful"),
     r"campaign\.json: campaign\.topic_method: no method that chooses topics is called “wishful”; "),
    ("campaign.json", settings(topic_method="oracle"), r"campaign\.topic_method: .*“oracle”"),
    ("campaign.json", settings(topic_method="adaptive+", topic_options={"groups": 0}),
     r"campaign\.topic_options: groups = 0 is outside"),
    ("campaign.json", settings(topic_method="adaptive", topic_options={"groups": 9}), "option 'groups'"),
    ("campaign.json", settings(topic_options={"first": 2}), "topic_options: an order by hand has no"),
    ("campaign.json", settings(topic_options=[1]), r"campaign\.topic_options: \[1\] is of the wrong kind"),
    ("campaign.json", settings(topics_ahead=1001), "campaign.topics_ahead: .*not 1001"),
    ("campaign.json", settings(topics_first=["1", 2]), "campaign.topics_first: 2 is no topic's number"),
    ("campaign.json", lambda content: b"{}\n", "it is one object, of a campaign and its collection"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "how", "says"), WRONG, ids=lambda value: value if isinstance(value, str) else ""
)
def test_rows_that_no_campaign_has(
    content: bytes, entry: str, how: Callable[[bytes], bytes], says: str
) -> None:
    assert contents(content)[entry] != how(contents(content)[entry])
    refused(forged(content, entry, how), says)


def test_no_act_of_another_campaign_is_superseded(content: bytes) -> None:
    other = make_campaign("Other")
    Api(other, "Other-grace").judge("1", "a", 1)
    foreign = str(other.judgments.get().id)
    entries = contents(content)
    Campaign.objects.get(slug="small")
    lines = [json.loads(line) | {"id": f"00000000-0000-4000-8000-00000000000{place}"}
             for place, line in enumerate(entries["judgments.jsonl"].splitlines())]  # fmt: skip
    lines[1]["supersedes"] = foreign
    changed = "".join(json.dumps(line) + "\n" for line in lines).encode()
    refused(
        forged(content, "judgments.jsonl", lambda _: changed),
        "2: supersedes: it names no act of this assessor",
    )


def test_a_site_without_a_key_of_its_own_signs_nothing(content: bytes) -> None:
    with (
        override_settings(SECRET_KEY="only for commands without a web server"),
        pytest.raises(Refusal, match="set BUNDLE_KEY or SECRET_KEY"),
    ):
        packed(Campaign.objects.get(slug="small"))
