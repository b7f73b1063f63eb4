from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from campaigns.collection.documents import store_documents
from campaigns.collection.terms import plain
from campaigns.computing.texts import load_texts, read_documents
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.qrels import read_qrels
from campaigns.formats.topics import DocumentRecord, TopicRecord, read_topics
from campaigns.models import Campaign, Document
from evaluation.arrays import FloatArray
from selection.pool import TopicPool, build_topic_pool
from selection.simulation.replay import replay
from selection.specification import CampaignSpec
from tests.campaigns.factories import make_campaign
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data

TEXTS = {"a": "title apples", "b": "oranges and title pears", "k": "nothing of the kind"}


def campaign_with(texts: Mapping[str, str], kind: str = "text/plain") -> Campaign:
    campaign = make_campaign(opened=False)
    records = [DocumentRecord(docno, "", text, kind) for docno, text in texts.items()]
    store_documents(collection=campaign.collection, records=records, file="texts")
    return campaign


@pytest.mark.django_db
def test_every_document_of_the_collection_and_every_topic_in_its_order() -> None:
    campaign = campaign_with(TEXTS)
    texts = load_texts(campaign)
    documents = Document.objects.filter(collection=campaign.collection)
    assert texts.documents.tolist() == sorted(documents.values_list("id", flat=True))
    assert texts.documents.dtype == np.int32
    assert texts.vectors.dtype == np.float32
    # Documents that runs named, and no organiser uploaded, are there without a term.
    said = set(texts.documents[np.diff(texts.vectors.indptr) > 0].tolist())
    assert said == {documents.get(docno=docno).id for docno in TEXTS}
    assert texts.topics.shape == (2, texts.vectors.shape[1])
    likeness = (texts.vectors @ texts.topics.T).todense()
    row = texts.documents.tolist().index(documents.get(docno="a").id)
    assert likeness[row, 0] == likeness.max()


@pytest.mark.django_db
def test_is_read_again_when_a_document_has_another_text() -> None:
    campaign = campaign_with(TEXTS)
    before = load_texts(campaign)
    assert load_texts(campaign).vectors is before.vectors
    record = DocumentRecord("k", "", "plums")
    store_documents(collection=campaign.collection, records=[record], file="texts")
    assert load_texts(campaign).vectors.shape[1] == before.vectors.shape[1] - 3


@pytest.mark.django_db
def test_refuses_a_collection_without_texts() -> None:
    with pytest.raises(ValueError, match="none of the 14 documents holds a word"):
        load_texts(make_campaign(opened=False))


def test_words_of_a_web_page_are_those_that_are_shown() -> None:
    page = (
        "<html><head><style>p { top: 0 }</style></head><p class='x'>Fish &amp; chips<script>var y</script>!"
    )
    assert plain(page, "text/html").split() == ["Fish", "&", "chips", "!"]
    assert plain("a < b", "text/plain") == "a < b"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<![x[ fish", "<![x[ fish"),
        ("<![ b fish", "<![ b fish"),
        ('<a title="1 > 0">fish</a> < chips', "fish < chips"),
        ("<a title=it's>fish</a>", "fish"),
        ("fish<!-- no --> chips <!-- <p>no", "fish chips"),
        ("fish <script>no", "fish"),
        (f"fish &#{'9' * 5000};", f"fish &#{'9' * 5000};"),
    ],
)
def test_malformed_pages_have_words(page: str, words: str) -> None:
    assert " ".join(plain(page, "text/html").split()) == words


@pytest.mark.parametrize("text", ["`<script>` stays", "List<String>", "<https://example.org>"])
def test_markdown_is_read_as_it_is_written(text: str) -> None:
    assert plain(text, "text/markdown") == text


def test_the_terms_are_those_of_frequency_and_rarity() -> None:
    read = read_documents([(3, "the cat cat"), (5, "the dog")])
    vectors = read.vectors.todense()
    column = read.vectorizer.vocabulary_
    rarity = np.log(3 / 2) + 1
    twice = (1 + np.log(2)) * rarity
    assert vectors[0, column["cat"]] == pytest.approx(twice / np.hypot(twice, 1))
    assert vectors[1, column["dog"]] == pytest.approx(rarity / np.hypot(rarity, 1))


Cranfield = tuple[dict[str, str], list[TopicRecord], list[TopicPool], list[FloatArray]]


@needs_data
def test_cal_finds_most_of_what_is_relevant_among_1400_abstracts() -> None:
    folder = TREC_DATA / "cranfield"
    docnos, topics, pools, gains = cranfield(folder)
    read = read_documents(enumerate(docnos.values()))
    texts = read.with_topics([f"{topic.title}\n{topic.description}" for topic in topics])
    no_run = np.zeros(1, dtype=np.bool_)
    made = replay(
        pools,
        gains,
        CampaignSpec(runs=1, p=0.8, method="cal", scope="topic", contributing=no_run, texts=texts),
        per_topic=100,
    )
    assert len(made.topics) == 100 * len(topics)
    found = np.array([made.gains[made.topics == topic].sum() for topic in range(len(topics))])
    recall = float((found / [of.sum() for of in gains]).mean())
    # Random order finds 100 of 1400, or 7 %.
    assert recall > 0.75


def cranfield(folder: Path) -> Cranfield:
    with (folder / "docs.jsonl").open("rb") as file:
        docnos = {one.docno: f"{one.title}\n{one.body}" for one in iter_documents(file, "docs.jsonl")}
    relevant = read_qrels(folder / "qrels.txt", "qrels.txt").grades
    topics = read_topics(folder / "topics.trec", "topics.trec")
    topics = [
        topic for topic in topics if any(grade > 0 for grade in relevant.get(topic.number, {}).values())
    ]
    topics = topics[::15]
    every = np.arange(len(docnos), dtype=np.int32)
    no_run = np.zeros(1, dtype=np.bool_)
    pools = [build_topic_pool([None], 0.8, no_run, unranked=every) for _ in topics]
    names = list(docnos)
    gains = [
        np.array([float(relevant[topic.number].get(names[id_], 0) > 0) for id_ in pool.documents])
        for topic, pool in zip(topics, pools, strict=True)
    ]
    return docnos, topics, pools, gains
