"""The search for duplicates in a collection, which goes on where it was."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from itertools import pairwise

import pytest
from django.db import connection

from campaigns.collection.documents import remove_documents, store_documents
from campaigns.core.database import Space, try_campaign_lock
from campaigns.duplicates import finding, tasks
from campaigns.duplicates.finding import due_collections
from campaigns.duplicates.fingerprints import LEAST_SIMILARITY, jaccard, shingles_of
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Collection, Document, TextSignature
from campaigns.operations.campaign_deletion import delete_campaign
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db

DRAW = random.Random(3)
STORY = [f"word{DRAW.randrange(10_000)}" for _ in range(100)]


def changed(words: list[str], *places: int) -> list[str]:
    return [f"{word}x" if at in places else word for at, word in enumerate(words)]


@pytest.fixture
def collection() -> Collection:
    return make_campaign("Alike", {}, opened=False).collection


def store(collection: Collection, texts: Mapping[str, str | list[str]], *, replace: bool = False) -> None:
    records = [
        DocumentRecord(docno, "", text if isinstance(text, str) else " ".join(text))
        for docno, text in texts.items()
    ]
    store_documents(collection=collection, records=records, file="texts", replace=replace)


def compare(collection: Collection) -> None:
    while finding.compare_for_a_while(collection=collection.id):
        pass


def found(collection: Collection) -> dict[str, tuple[str, bool]]:
    """Duplicates by docno: the representative, and whether the texts are the same."""
    rows = TextSignature.objects.filter(document__collection=collection, representative__isnull=False)
    return {
        docno: (representative, same)
        for docno, representative, same in rows.values_list(
            "document__docno", "representative__docno", "same"
        )
    }


def test_same_and_near_duplicates_are_found(collection: Collection) -> None:
    texts: dict[str, str | list[str]] = {
        "a": STORY,
        "b": " ".join(STORY).upper(),
        "c": changed(STORY, 50),
        "d": STORY[::-1],
        "e": "",
        "f": "",
    }
    store(collection, texts)
    assert due_collections() == [collection.id]
    tasks.compare_documents(collection.id)
    assert found(collection) == {"b": ("a", True), "c": ("a", False)}
    assert due_collections() == []
    near = TextSignature.objects.get(document__docno="c")
    assert near.similarity == pytest.approx(95 / 101)
    assert near.bands == []


def test_short_texts_are_duplicates_only_if_they_are_the_same(collection: Collection) -> None:
    store(collection, {"a": "Page not found", "b": "page NOT found!", "c": "page was not found"})
    compare(collection)
    assert found(collection) == {"b": ("a", True)}


def test_chains_join_no_unlike_texts(collection: Collection) -> None:
    """Each text is alike to its neighbour; the third is not to the first, and stands for the fourth."""
    steps = [STORY]
    for first in (10, 40, 70):
        steps.append(changed(steps[-1], first, first + 10, first + 20))
    similarities = [jaccard(shingles_of(one), shingles_of(other)) for one, other in pairwise(steps)]
    assert min(similarities) >= LEAST_SIMILARITY > jaccard(shingles_of(steps[0]), shingles_of(steps[2]))
    store(collection, dict(zip("abcd", steps, strict=True)))
    compare(collection)
    assert found(collection) == {"b": ("a", False), "d": ("c", False)}


def test_a_copy_of_a_near_duplicate_has_its_representative(collection: Collection) -> None:
    store(collection, {"a": STORY, "b": changed(STORY, 9), "c": changed(STORY, 9)})
    compare(collection)
    assert found(collection) == {"b": ("a", False), "c": ("a", False)}


def test_late_documents_join_and_other_collections_do_not(collection: Collection) -> None:
    other = make_campaign("Other", {}, opened=False).collection
    store(collection, {"a": STORY})
    compare(collection)
    store(other, {"a": STORY})
    store(collection, {"b": STORY})
    for each in (collection, other):
        compare(each)
    assert found(collection) == {"b": ("a", True)}
    assert found(other) == {}


def test_replaced_texts_are_compared_again(collection: Collection) -> None:
    store(collection, {"a": STORY, "b": STORY, "c": changed(STORY, 4)})
    compare(collection)
    store(collection, {"a": STORY[::-1]}, replace=True)
    compare(collection)
    assert found(collection) == {"c": ("b", False)}
    store(collection, {"b": ""}, replace=True)
    compare(collection)
    assert found(collection) == {}
    assert TextSignature.objects.filter(document__docno="b").count() == 0


def test_removed_documents_are_duplicates_of_none() -> None:
    campaign = make_campaign("Ranked", {"r": {"1": ["a", "b"]}}, opened=False)
    store(campaign.collection, {"a": STORY, "b": STORY, "c": STORY})
    compare(campaign.collection)
    remove_documents(campaign=campaign)
    compare(campaign.collection)
    assert not TextSignature.objects.exists()
    store(campaign.collection, {"a": STORY, "b": STORY})
    compare(campaign.collection)
    assert found(campaign.collection) == {"b": ("a", True)}


def test_deletion_for_good_takes_signatures_along() -> None:
    campaign = make_campaign("Gone", {}, opened=False)
    store(campaign.collection, {"a": STORY, "b": STORY})
    compare(campaign.collection)
    campaign.archived_at = campaign.created
    campaign.save()
    delete_campaign(campaign=campaign, confirmation=campaign.slug)
    assert not TextSignature.objects.exists()


def test_the_search_goes_on_where_it_was(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies in a batch loses that batch alone."""
    monkeypatch.setattr(finding, "BATCH_IDS", 4)
    store(collection, {f"d{n}": STORY if n % 2 else changed(STORY, n) for n in range(10)})
    before = Document.objects.filter(collection=collection).order_by("id").values_list("id", flat=True)
    finding._compare_batch(collection.id)
    done = TextSignature.objects.count()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(finding, "_place", die)
        with pytest.raises(KeyboardInterrupt):
            compare(collection)
    assert 0 < TextSignature.objects.count() == done < len(before)
    assert due_collections() == [collection.id]
    compare(collection)
    assert TextSignature.objects.count() == 10
    assert len(found(collection)) == 9


def test_a_batch_during_an_upload_is_dropped(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    store(collection, {"a": STORY, "b": STORY})
    real = finding._compare_ids

    def changed_meanwhile(held: Collection) -> int:
        until = real(held)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE campaigns_collection SET name = name || '!' WHERE id = %s", [held.id])
        monkeypatch.setattr(finding, "_compare_ids", real)
        return until

    monkeypatch.setattr(finding, "_compare_ids", changed_meanwhile)
    # Its own change goes with the batch.
    assert finding._compare_batch(collection.id)
    assert not TextSignature.objects.exists()
    compare(collection)
    assert found(collection) == {"b": ("a", True)}


@pytest.mark.django_db(transaction=True)
def test_one_process_compares_a_collection(collection: Collection) -> None:
    store(collection, {"a": STORY, "b": STORY})
    with try_campaign_lock(Space.COMPARING, collection.id) as free:
        assert free
    tasks.compare_where_due()


def test_crowded_bands_hold_few_representatives(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of one template: alike, but below the threshold."""
    monkeypatch.setattr(finding, "MOST_IN_BAND", 3)
    page = STORY[:60]
    store(collection, {f"d{n}": [*page, *(f"page{n}word{k}" for k in range(30))] for n in range(30)})
    compare(collection)
    assert found(collection) == {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM campaigns_textsignature, unnest(bands) band GROUP BY band")
        counts = [row[0] for row in cursor]
    assert max(counts) <= 3


def _many(count: int) -> Iterable[DocumentRecord]:
    draw = random.Random(5)
    vocabulary = [f"term{n}" for n in range(2000)]
    for n in range(count):
        if n % 10 != 9:
            words = draw.choices(vocabulary, k=30)
        yield DocumentRecord(f"d{n:05}", "", " ".join(changed(words, 29) if n % 20 == 19 else words))


def test_what_is_in_memory_does_not_grow_with_the_documents(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 4,000 documents, 400 repeat the one before them, every other of these with one word changed."""
    batches, held, real = [], [], finding._place
    monkeypatch.setattr(finding, "MOST_SHINGLES", 5_000)

    def counted(of: Collection, signatures: list[TextSignature], fingerprints: finding._Fingerprints) -> None:
        real(of, signatures, fingerprints)
        batches.append(len(signatures))
        held.append(fingerprints._cache._held)

    monkeypatch.setattr(finding, "_place", counted)
    store_documents(collection=collection, records=_many(4_000), file="texts")
    compare(collection)
    assert sum(batches) == 4_000
    assert max(batches) <= finding.BATCH_IDS
    assert max(held) <= 5_000
    kinds = [same for _, same in found(collection).values()]
    assert (kinds.count(True), kinds.count(False)) == (200, 200)
