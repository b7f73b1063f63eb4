"""A bundle's copy is the identical campaign: what is computed from it is the same to the last bit."""

from __future__ import annotations

import io
import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat
from django.test import override_settings
from django.utils import timezone

from campaigns.collection import assignments, documents, topics
from campaigns.computing.tasks import recompute
from campaigns.exchange.bundles import tables
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.errors import FormatError
from campaigns.formats.qrels import read_qrels
from campaigns.formats.topics import DocumentRecord
from campaigns.log.current import current_qrels
from campaigns.log.judgments import acts_of, log_rows
from campaigns.models import (
    Annotation,
    Campaign,
    Claim,
    Collection,
    Deed,
    Document,
    Judgment,
    Membership,
    TopicDraw,
    TrainingAnswer,
    TrainingItem,
)
from campaigns.models.campaign import Method
from campaigns.quality import training
from campaigns.quality.exclusions import exclude
from campaigns.setup.campaigns import change_settings, open_campaign
from campaigns.setup.examples import add_examples
from tests.campaigns.exchange.bundles.bundle_copies import computed, contents, copied, forged, packed, zipped
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

# What the worker makes of the rest, what lives for minutes, and what belongs to the site.
LEFT_OUT = {
    "Advice",
    "ApiToken",
    "Attempts",
    "Outlook",
    "Measured",
    "Prediction",
    "PreferredLanguage",
    "Claim",
    # What an assessor is done with, they say again in the copy.
    "TopicCompletion",
    "Computed",
    "Counterfactual",
    "Delivery",
    "DocumentWords",
    "Drawing",
    "EmailsOff",
    # Access to an engine belongs to this site.
    "EngineAnswer",
    "EngineConfiguration",
    "EngineConnection",
    "EnginePull",
    "EngineVersion",
    "Event",
    "HandIn",
    "Heartbeat",
    "Interval",
    "Invitation",
    "LabCollection",
    "LabJob",
    "LabTopic",
    "LabTrial",
    "Loading",
    "LogHead",
    "Priority",
    "QualityFlag",
    # Between people of this site.
    "Question",
    "ResetRequest",
    "SentMail",
    "SignedInSession",
    "Snapshot",
    "Submission",
    "SubmissionPart",
    "Tally",
    "Team",
    "TeamMember",
    "TemporaryPassword",
    # Texts bring it.
    "TextSignature",
    "TopicOrder",
    "WaitingEmail",
    "Webhook",
}


def rich(name: str = "Small", **settings: Any) -> Campaign:
    """A campaign with something of everything in it."""
    campaign = make_campaign(name, opened=False, **settings)
    ada, grace = (User.objects.get(username=f"{name}-{who}") for who in ("ada", "grace"))
    texts = [
        DocumentRecord(d, f"title\t{d}", "a body\nof two lines \\ é\u2028", "text/plain") for d in "abkxyz"
    ]
    # Others upload in between: the ids have gaps.
    Document.objects.create(collection=Collection.objects.create(name=f"{name}-other", owner=ada), docno="a")
    documents.store_documents(collection=campaign.collection, records=texts, file="texts")
    first = campaign.topics.get(number="1")
    for docno in ("a", "b", "k"):
        training.add_item(campaign=campaign, topic="1", docno=docno, grade=1, reason="it says so")
    add_examples(campaign=campaign, docnos=["z", "x"], grade=2, reason="names\nboth")
    add_examples(campaign=campaign, docnos=["x"], grade=0, reason="é", topic="2")
    assignments.assign(campaign=campaign, topics=[first], username=f"{name}-grace", organiser=ada)
    draw = {"topics": ["2", "1"], "taken": "1", "way": "drawn", "taken_at": timezone.now()}
    TopicDraw.objects.create(campaign=campaign, assessor=grace, number=1, **draw)
    item = TrainingItem.objects.get(campaign=campaign, position=1)
    TrainingAnswer.objects.create(item=item, assessor=grace, grade=2, milliseconds=800)
    open_campaign(campaign=campaign)
    campaign.refresh_from_db()
    recompute(campaign.id)
    judge(campaign)
    parsed = read_qrels(io.BytesIO(b"1 0 x 2\n2 0 k 0\n"), "known.qrels")
    store_qrels(campaign=campaign, user=ada, parsed=parsed, file="known.qrels")
    exclude(campaign=campaign, username=f"{name}-alan", topics=[first])
    recompute(campaign.id)
    return campaign


def judge(campaign: Campaign) -> None:
    grace, alan = (Api(campaign, f"{campaign.name}-{who}") for who in ("grace", "alan"))
    for api, topic in ((grace, "1"), (alan, "2"), (grace, "1"), (grace, "1")):
        served = api.get("next/", topic=topic).json()["document"]["docno"]
        assert api.judge(topic, served, 1).status_code == 201
        recompute(campaign.id)
    grace.judge("1", "a", 2)
    alan.judge("1", "a", 0)
    grace.judge("1", "a", undo=True)
    alan.judge("2", "l", reason="other")
    passage = {"start": 2, "end": 6}
    wish = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "note": "see there", "passages": [passage]}
    assert alan.post("annotations/", wish).status_code == 201
    recompute(campaign.id)


@pytest.mark.parametrize("method", Method.values)
def test_intervals_queues_and_samples_of_the_copy_are_the_same(method: str) -> None:
    campaign = rich(method=method, seed=7)
    copy = copied(packed(campaign))
    assert copy.slug == "copy"
    assert computed(copy) == computed(campaign)
    assert list(current_qrels(campaign=copy)) == list(current_qrels(campaign=campaign))
    # Not only the same now: the same act is followed by the same. What is open stays at home.
    Claim.objects.all().delete()
    served = []
    for one in (campaign, copy):
        grace = Api(one, "Small-grace")
        served.append(grace.get("next/", topic="1").json()["docno"])
        assert grace.judge("1", served[-1], 2).status_code == 201
    assert served[0] == served[1]
    assert computed(copy) == computed(campaign)


def test_a_topic_of_its_own_method_and_further_settings() -> None:
    campaign = rich(method="C", batch=3, scope="topic", p=0.9)
    topics.set_method(campaign=campaign, topics=[campaign.topics.get(number="2")], method="random")
    change_settings(campaign=campaign, relevant_from=2, budget=100, guidelines="Read.\nThink.")
    recompute(campaign.id)
    copy = copied(packed(campaign))
    assert computed(copy) == computed(campaign)
    for field in Campaign._meta.concrete_fields:
        if field.name not in ("id", "slug", "collection"):
            assert getattr(copy, field.name) == getattr(campaign, field.name), field.name


def test_a_copy_of_the_copy_is_the_same_file_where_the_original_is_gone() -> None:
    campaign = rich(method="random")
    Deed.objects.all().delete()
    before = packed(campaign)
    assert before == packed(campaign)
    wipe()
    copy = copied(before, slug="")
    Deed.objects.all().delete()
    assert packed(copy) == before


def test_beside_the_original_only_names_that_are_taken_differ() -> None:
    campaign = rich()
    before = contents(packed(campaign))
    after = contents(packed(copied(packed(campaign))))
    differ = {name for name in before if before[name] != after[name]}
    # The address and the collection's name; acts' own ids; the import in the history.
    assert differ == {
        "annotations.jsonl",
        "campaign.json",
        "deeds.jsonl",
        "judgments.jsonl",
        "manifest.json",
        "signature.json",
        "training-answers.jsonl",
    }
    one, other = (json.loads(entries["campaign.json"]) for entries in (before, after))
    assert {key for key in one["campaign"] if one["campaign"][key] != other["campaign"][key]} == {"slug"}
    assert {key for key in one["collection"] if one["collection"][key] != other["collection"][key]} == {
        "name"
    }
    acts, again = (
        [json.loads(line) for line in entries["judgments.jsonl"].splitlines()] for entries in (before, after)
    )
    for act, same in zip(acts, again, strict=True):
        assert {key for key in act if act[key] != same[key]} <= {"id", "supersedes"}
    assert len(after["deeds.jsonl"].splitlines()) == len(before["deeds.jsonl"].splitlines()) + 1


def test_every_table_is_carried_or_left_out_on_purpose() -> None:
    models = {model.__name__ for model in apps.get_app_config("campaigns").get_models()}
    carried = {table.model.__name__ for table in tables.TABLES} | {
        "Campaign",
        "Collection",
        "Document",
    }
    assert carried | LEFT_OUT == models
    assert not carried & LEFT_OUT


def test_texts_can_stay_at_home() -> None:
    campaign = rich()
    content = packed(campaign, texts=False)
    assert b"two lines" not in b"".join(contents(content).values())
    copy = copied(content)
    assert computed(copy) == computed(campaign)
    assert set(copy.collection.documents.values_list("body", flat=True)) == {""}


def test_earlier_texts_that_stay_at_home_are_called_so() -> None:
    campaign = rich()
    empty = DocumentRecord("a", "", "")
    for records in ([empty], [DocumentRecord("a", "third", "text")]):
        documents.store_documents(collection=campaign.collection, records=records, file="f", replace=True)
    for texts, held in ((True, [True, True]), (False, [False, True])):
        copy = copied(packed(campaign, texts=texts), slug=f"texts-{texts}")
        api = Api(copy, copy.memberships.get(role="organiser").user.username)
        rows = api.get("documents/a/").json()["earlier"]
        # An empty text that was judged is a text.
        assert [(row["revision"], row["held"]) for row in rows] == list(enumerate(held, start=1))
        statuses = [api.get("documents/a/earlier/", revision=n).status_code for n in (1, 2)]
        assert statuses == [200 if one else 404 for one in held]
        page = api.client.get(f"/campaigns/{copy.slug}/document/?docno=a&revision=1").content.decode()
        assert ("An earlier text, replaced on" in page, "is not on this site" in page) == (texts, not texts)


def test_notes_and_passages_are_carried_and_their_words_stay_with_the_texts() -> None:
    campaign = rich()
    [row] = Annotation.objects.filter(topic__campaign=campaign)
    assert row.passages == [{"start": 2, "end": 6, "text": "body"}]
    same = copied(packed(campaign))
    assert Annotation.objects.get(topic__campaign=same).passages == row.passages
    bare = copied(packed(campaign, texts=False), slug="bare")
    copy = Annotation.objects.get(topic__campaign=bare)
    assert (copy.note, copy.passages) == ("see there", [{"start": 2, "end": 6, "text": ""}])


def test_nobody_is_named_with_pseudonyms() -> None:
    campaign = rich()
    content = packed(campaign, pseudonyms=True)
    assert not any(
        name in entry
        for entry in contents(content).values()
        for name in (b"Small-ada", b"Small-grace", b"Small-alan")
    )
    copy = copied(content)
    assert computed(copy) == computed(campaign)
    people = set(copy.memberships.values_list("user__username", flat=True))
    assert people == {"person-1@copy", "person-2@copy", "person-3@copy"}
    assert not any(user.has_usable_password() for user in User.objects.filter(username__in=people))


@pytest.mark.parametrize("trusted", [True, False])
def test_people_keep_names_of_several_scripts_and_of_another_case(trusted: bool) -> None:
    campaign = rich()
    with connection.cursor() as cursor:
        # Older sites had them.
        cursor.execute("DROP INDEX auth_user_folded")
    for name in ("Иван", "Zoe", "zoe", "иван_grace"):
        user = User.objects.create_user(name)
        Membership.objects.create(user=user, campaign=campaign, role=Membership.Role.ASSESSOR)
    content = packed(campaign)
    User.objects.filter(username__in=["Иван", "Zoe", "zoe", "иван_grace"]).update(
        username=Concat(Value("old"), Cast(F("id"), CharField()))
    )
    User.objects.create_user("ZOE")
    with override_settings(BUNDLE_KEY="another site's"):
        copy = copied(content, trusted=trusted)
    names = set(copy.memberships.values_list("user__username", flat=True))
    behind = "" if trusted else "@copy"
    assert {f"Иван{behind}", f"иван_grace{behind}"} <= names
    expected = {"Zoe-2", "zoe-3"} if trusted else {"Zoe@copy", "zoe@copy-2"}
    assert {name for name in names if name.lower().startswith("zoe")} == expected


def test_a_file_from_elsewhere_speaks_in_nobodys_name() -> None:
    campaign = rich()
    content = packed(campaign)
    eve = User.objects.create(username="eve")
    with override_settings(BUNDLE_KEY="another site's"):
        copy = copied(content, trusted=False, organiser=eve)
    assert {row.assessor.username for row in Judgment.objects.filter(campaign=copy)} == {
        "Small-ada@copy",
        "Small-grace@copy",
        "Small-alan@copy",
    }
    assert set(copy.memberships.filter(role="organiser").values_list("user__username", flat=True)) == {
        "eve",
        "Small-ada@copy",
    }
    own = copied(content, slug="own", trusted=False, organiser=eve)
    assert Judgment.objects.filter(campaign=own, assessor__username="Small-grace").exists()


def test_from_command_to_command(tmp_path: Path) -> None:
    campaign = rich()
    path = tmp_path / "small.zip"
    path.write_bytes(packed(campaign))
    out = io.StringIO()
    call_command("import_bundle", str(path), slug="again", stdout=out)
    assert out.getvalue() == "again: Small, 10 judgments; signed by this site\n"
    copy = Campaign.objects.get(slug="again")
    assert [row | {"id": 0, "supersedes": 0} for row in log_rows(acts_of(campaign=copy))] == [
        row | {"id": 0, "supersedes": 0} for row in log_rows(acts_of(campaign=campaign))
    ]
    with pytest.raises(CommandError, match="the address “again” is taken"):
        call_command("import_bundle", str(path), slug="again")
    with pytest.raises(CommandError, match="not by abc"):
        call_command("import_bundle", str(path), slug="third", signed_by="abc")
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_bundle", str(tmp_path / "nothing.zip"))


def wipe() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        names = [model._meta.db_table for model in apps.get_app_config("campaigns").get_models()]
        cursor.execute(f"TRUNCATE {', '.join(names)}, auth_user CASCADE")


def test_a_bundle_from_before_notes_is_read() -> None:
    content = packed(rich())

    def without(manifest: bytes) -> bytes:
        said = json.loads(manifest)
        del said["entries"]["annotations.jsonl"]
        return json.dumps(said).encode()

    entries = contents(forged(content, tables.MANIFEST, without))
    del entries["annotations.jsonl"]
    copy = copied(zipped(entries))
    assert copy.judgments.count() > 5
    assert not Annotation.objects.filter(topic__campaign=copy).exists()


def with_setting(bundle: bytes, **settings: str | None) -> bytes:
    """With other values of the campaign's settings; None leaves a setting out, as older versions did."""

    def change(entry: bytes) -> bytes:
        row = json.loads(entry)
        kept = {
            name: value
            for name, value in (row["campaign"] | settings).items()
            if value is not None or name not in settings
        }
        return json.dumps({**row, "campaign": kept}).encode() + b"\n"

    return forged(bundle, "campaign.json", change)


def test_measures_are_carried_and_bundles_from_before_them_open() -> None:
    content = packed(make_campaign(measures="nDCG@10 AP"))
    assert copied(content).measure_names == ["nDCG@10", "AP"]
    old = copied(with_setting(content, measures=None), slug="old")
    assert (old.measures, old.measure) == ("", old.rbp)
    with pytest.raises(FormatError, match=r"campaign\.measures: .*nDGC@10"):
        copied(with_setting(content, measures="nDGC@10"), slug="wrong")
