"""Judgments with inclusion probabilities: what is written is what the sample and the log say, and our own
reader takes it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.grading import Grading
from campaigns.formats.prels import PrelMethod, SampledJudgment, format_prel, read_prels
from campaigns.formats.qrels import read_qrels
from campaigns.judging.claims import ClaimRequest, claim
from campaigns.judging.situation import ServingQueue
from campaigns.measurement.prels import current_prels, sampling_of
from campaigns.models import Campaign, Claim, Document, Judgment, Sample, Topic
from campaigns.models.packed import DOCUMENT_IDS, RUN_IDS, WEIGHTS, pack
from campaigns.quality.exclusions import exclude
from evaluation.arrays import FloatArray
from evaluation.estimation.statap import JudgedSample as StatSample
from evaluation.estimation.statap import stat_ap
from selection.methods.alternation import AlternatingMethod
from tests.campaigns.factories import Api, Lists, make_campaign, run_text, signed_in
from tests.campaigns.management.offline.command_files import run_json

pytestmark = pytest.mark.django_db

THIRD = 1 / 3


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", method="C")


def draw(campaign: Campaign, number: str, chances: dict[str, float]) -> None:
    ids = dict(Document.objects.filter(docno__in=chances).values_list("docno", "id"))
    Sample.objects.create(
        topic=Topic.objects.get(campaign=campaign, number=number),
        documents=pack([ids[docno] for docno in chances], DOCUMENT_IDS),
        inclusion=pack(chances.values(), WEIGHTS),
        buckets=pack([0] * len(chances), RUN_IDS),
        masses=pack([1.0] * len(chances), WEIGHTS),
        size=len(chances),
        seed=1,
    )


def judge_as(
    method: str, campaign: Campaign, topic: str, docno: str, grade: int, *, who: str = "grace"
) -> None:
    """Served by that method to the assessor, who then judges."""
    api = Api(campaign, f"{campaign.name}-{who}")
    # What is open keeps the method that served it.
    Claim.objects.all().delete()
    document = Document.objects.get(collection=campaign.collection, docno=docno)
    request = ClaimRequest(
        ServingQueue([document.id], method),
        topic=Topic.objects.get(campaign=campaign, number=topic).id,
        assessor=User.objects.get(username=f"{campaign.name}-{who}").id,
    )
    served = claim(request, recalled=True)
    assert served is not None
    assert api.judge(topic, docno, grade).status_code == 201


def load(campaign: Campaign, text: str) -> None:
    parsed = read_qrels(io.BytesIO(text.encode()), "known")
    organiser = campaign.memberships.get(role="organiser").user
    store_qrels(campaign=campaign, user=organiser, parsed=parsed, file="known")


def lines(campaign: Campaign) -> dict[tuple[str, str], tuple[int, PrelMethod, float]]:
    rows = current_prels(campaign=campaign)
    return {(row.topic, row.docno): (row.grade, row.method, row.inclusion) for row in rows}


def test_each_kind_of_judgment(campaign: Campaign) -> None:
    draw(campaign, "1", {"a": 0.25, "b": THIRD, "c": 0.5, "h": 0.9})
    judge_as("statap", campaign, "1", "a", 1)
    judge_as("C", campaign, "1", "b", 2)
    judge_as("C", campaign, "1", "f", 0)
    load(campaign, "1 0 c 1\n2 0 k 2\n")
    assert lines(campaign) == {
        ("1", "a"): (1, PrelMethod.SAMPLE, 0.25),
        ("1", "b"): (2, PrelMethod.BOTH, THIRD),
        ("1", "c"): (1, PrelMethod.BOTH, 0.5),
        ("1", "f"): (0, PrelMethod.OTHERWISE, 1.0),
        ("2", "k"): (2, PrelMethod.OTHERWISE, 1.0),
    }
    assert sampling_of(campaign=campaign).__dict__ == {"topics": 1, "drawn": 4, "judged": 3}


def test_a_late_reply_came_by_the_sample_and_a_revision_changes_nothing(campaign: Campaign) -> None:
    draw(campaign, "1", {"a": 0.25, "b": 0.5})
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    # It is free: as when a claim ran out and another assessor judged the document.
    grace.judge("1", "a", 1)
    judge_as("statap", campaign, "1", "b", 1)
    load(campaign, "1 0 b 2\n")
    assert lines(campaign)["1", "a"] == (1, PrelMethod.SAMPLE, 0.25)
    assert lines(campaign)["1", "b"] == (2, PrelMethod.SAMPLE, 0.5)
    grace.judge("1", "b", undo=True)
    # What is left is the loaded judgment, which did not hang on the draw.
    assert lines(campaign)["1", "b"] == (2, PrelMethod.BOTH, 0.5)
    grace.judge("1", "a", undo=True)
    assert ("1", "a") not in lines(campaign)
    alan.judge("1", "a", 0)
    assert lines(campaign)["1", "a"] == (0, PrelMethod.SAMPLE, 0.25)


def test_what_is_written_is_read_back(campaign: Campaign, tmp_path: Path) -> None:
    draw(campaign, "1", {"a": 0.1 + 0.2, "b": THIRD})
    judge_as("statap", campaign, "1", "a", 1)
    load(campaign, "1 0 b 2\n1 0 g 0\n2 0 k 1\n")
    content = b"".join(Api(campaign, "Small-ada").get("prels/"))
    assert content.decode().splitlines()[0] == f"1 a 1 1 {0.1 + 0.2!r}"
    (tmp_path / "prels").write_bytes(content)
    known = {
        "a": SampledJudgment(1, 0.1 + 0.2),
        "b": SampledJudgment(2, 1.0, 2),
        "g": SampledJudgment(0, 1.0, 0),
    }
    # Topic 2 has no sample, and the reader leaves it out.
    assert read_prels(tmp_path / "prels", Grading()) == {"1": known}


def test_the_sample_judged_in_full_gives_the_kernels_statap(tmp_path: Path) -> None:
    """Served, judged and exported; then our own reader and `evaluate`'s scores, against the kernel given the
    grades and the stored sample's probabilities directly."""
    lists = wide_lists(topics=3, runs=4, documents=60)
    campaign = make_campaign("Sampled", lists, method="statap", options={"size": 12})
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    grades = judge_all(campaign, np.random.default_rng(5))
    (tmp_path / "prels").write_bytes(b"".join(Api(campaign, "Sampled-ada").get("prels/")))
    (tmp_path / "qrels").write_bytes(b"".join(Api(campaign, "Sampled-ada").get("qrels/")))
    assert {row.method for row in current_prels(campaign=campaign)} == {PrelMethod.SAMPLE}

    (tmp_path / "runs").mkdir()
    for tag, by_topic in lists.items():
        (tmp_path / "runs" / tag).write_bytes(run_text(tag, by_topic))
    given = ["--runs", tmp_path / "runs", "--qrels", tmp_path / "qrels", "--prels", tmp_path / "prels"]
    result = run_json("evaluate", *given, "--measure", "statAP", "--per-topic")
    scores = {(row["run"], row["topic"]): row["score"] for row in result["scores"]}
    for topic in campaign.topics.all():
        docnos, inclusion = stored(topic)
        gains = np.array([float(grades[topic.number, docno] > 0) for docno in docnos])
        assert gains.any()
        place = {docno: index for index, docno in enumerate(docnos)}
        for tag, by_topic in lists.items():
            ranked = [place.get(docno) for docno in by_topic[topic.number]]
            known = np.array(
                [[np.nan, np.nan] if at is None else [gains[at], inclusion[at]] for at in ranked]
            )
            expected = stat_ap(known[:, 0], known[:, 1], StatSample(gains, inclusion))
            assert scores[tag, topic.number] == pytest.approx(float(expected), rel=1e-12)
    said = Judgment.objects.filter(campaign=campaign).select_related("topic", "document")
    for row in said:
        docnos, inclusion = stored(row.topic)
        assert row.method == "statap"
        assert row.inclusion_probability == inclusion[docnos.index(row.document.docno)]


def test_what_mtc_came_to_by_itself_as_well_is_both() -> None:
    lists = wide_lists(topics=2, runs=4, documents=30)
    campaign = make_campaign("Sampled", lists, method="mtc+statap", options={"size": 12})
    live = LiveCampaign.from_rows(campaign)
    worker.bring_up_to_date(live)
    judge_all(campaign, np.random.default_rng(6), most=14, live=live)
    found = {(row.topic, row.docno): row for row in current_prels(campaign=campaign)}
    assert {row.method for row in found.values()} == set(PrelMethod)
    for topic in campaign.topics.all():
        docnos, inclusion = stored(topic)
        chances = dict(zip(docnos, inclusion.tolist(), strict=True))
        index = live.topic_index(topic.id)
        assert index is not None
        method = live.state.alternative(index, live.plan.chosen[index])
        assert isinstance(method, AlternatingMethod)
        pool = live.arrays.pools[index].documents
        names = dict(Document.objects.filter(id__in=pool.tolist()).values_list("id", "docno"))
        asked = {names[int(pool[place])] for place in method.asked_by_mtc(index)}
        for (number, docno), row in found.items():
            if number != topic.number:
                continue
            assert row.inclusion == chances.get(docno, 1.0)
            sources = Judgment.objects.filter(topic=topic, document__docno=docno).values_list(
                "method", flat=True
            )
            if docno not in chances:
                assert row.method == PrelMethod.OTHERWISE
                assert list(sources) == ["mtc"]
            else:
                assert (row.method == PrelMethod.BOTH) == (docno in asked)
                assert row.method == PrelMethod.BOTH or list(sources) == ["statap"]


def search_and_judge(campaign: Campaign, topic: str, docno: str, grade: int) -> None:
    """Found by alan, who judges it."""
    api = Api(campaign, f"{campaign.name}-alan")
    Claim.objects.all().delete()
    assert api.post("search/", {"topic": topic, "docno": docno}).status_code == 200
    assert api.judge(topic, docno, grade).status_code == 201


def statap_scores(campaign: Campaign, lists: Lists, folder: Path) -> dict[tuple[str, str], float]:
    """By run and topic, of the campaign's prels as they are exported."""
    (folder / "runs").mkdir(exist_ok=True)
    for tag, by_topic in lists.items():
        (folder / "runs" / tag).write_bytes(run_text(tag, by_topic))
    for what in ("prels", "qrels"):
        (folder / what).write_bytes(b"".join(Api(campaign, f"{campaign.name}-ada").get(f"{what}/")))
    given = ["--runs", folder / "runs", "--qrels", folder / "qrels", "--prels", folder / "prels"]
    result = run_json("evaluate", *given, "--measure", "statAP", "--per-topic")
    return {(row["run"], row["topic"]): row["score"] for row in result["scores"]}


def test_prels_and_estimates_are_the_same_with_searched_documents(tmp_path: Path) -> None:
    """Half of each sample is judged; then documents are found outside the sample, and behind the half."""
    lists = wide_lists(topics=2, runs=4, documents=60)
    campaign = make_campaign("Sampled", lists, method="statap", options={"size": 12}, search_judging=True)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    judge_all(campaign, np.random.default_rng(5), most=6)
    before, scores = lines(campaign), statap_scores(campaign, lists, tmp_path)
    for topic in campaign.topics.all():
        drawn, _ = stored(topic)
        outside = next(docno for docno in lists["run0"][topic.number] if docno not in drawn)
        for docno in (outside, drawn[8]):
            search_and_judge(campaign, topic.number, docno, 2)
        # A second opinion on what the sample served changes no line either.
        search_and_judge(campaign, topic.number, drawn[0], 0)
    assert lines(campaign) == before
    assert statap_scores(campaign, lists, tmp_path) == scores


def test_a_searched_document_counts_once_the_sample_has_come_to_it() -> None:
    lists = wide_lists(topics=1, runs=4, documents=60)
    found = {}
    for name in ("With", "Without"):
        campaign = make_campaign(name, lists, method="statap", options={"size": 12}, search_judging=True)
        worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
        drawn, chances = stored(campaign.topics.get())
        searched = (drawn[3], drawn[11]) if name == "With" else ()
        for docno in searched:
            search_and_judge(campaign, "1", docno, grade_of(docno))
        for place, docno in enumerate(drawn):
            if docno not in searched:
                judge_as("statap", campaign, "1", docno, grade_of(docno))
            known = {docno: inclusion for (_, docno), (_, _, inclusion) in lines(campaign).items()}
            came = [docno for docno in drawn[: place + 1] if docno not in searched or place > 3]
            if name == "With" and place == 10:
                # All else is judged: the last one has had its turn.
                came = list(drawn)
            assert known == {docno: chances[drawn.index(docno)] for docno in came}
        found[name] = lines(campaign)
    assert found["With"] == found["Without"]


def grade_of(docno: str) -> int:
    return int(docno.rpartition("-")[2]) % 3


def test_mtc_beside_a_sample_counts_what_it_has_come_to() -> None:
    lists = wide_lists(topics=1, runs=4, documents=30)
    campaign = make_campaign("Sampled", lists, method="mtc+statap", options={"size": 8}, search_judging=True)
    live = LiveCampaign.from_rows(campaign)
    worker.bring_up_to_date(live)
    judge_all(campaign, np.random.default_rng(6), most=8, live=live)
    before = lines(campaign)
    drawn, _ = stored(campaign.topics.get())
    # MTC's next document, found before MTC asked for it.
    queue = live.state.queue(0, 20)
    assert queue.sources is not None
    ids = live.documents(0, queue)
    names = dict(Document.objects.filter(id__in=ids).values_list("id", "docno"))
    turns = [(names[one], source) for one, source in zip(ids, queue.sources, strict=True)]
    coming = next(docno for docno, source in turns if source == "mtc" and docno not in drawn)
    search_and_judge(campaign, "1", coming, 2)
    assert lines(campaign) == before
    worker.bring_up_to_date(live)
    judge_all(campaign, np.random.default_rng(7), most=6, live=live)
    assert lines(campaign)["1", coming] == (2, PrelMethod.OTHERWISE, 1.0)


def test_random_pools_take_what_their_order_has_come_to() -> None:
    campaign = make_campaign("Random", method="random", search_judging=True)
    live = LiveCampaign.from_rows(campaign)
    worker.bring_up_to_date(live)
    order = live.documents(0, live.state.queue(0, 20))
    names = dict(Document.objects.filter(id__in=order).values_list("id", "docno"))
    first, second, third = (names[one] for one in order[:3])
    search_and_judge(campaign, "1", second, 2)

    def pooled() -> dict[str, str]:
        text = b"".join(Api(campaign, "Random-ada").get("exports/qrels-pooled/")).decode()
        rows = (line.split() for line in text.splitlines())
        return {docno: grade for topic, _, docno, grade in rows if topic == "1"}

    assert set(pooled().values()) == {"-1"}
    assert len(pooled()) == len(order)
    judge_as("random", campaign, "1", first, 1)
    assert (pooled()[first], pooled()[second]) == ("1", "-1")
    judge_as("random", campaign, "1", third, 0)
    assert [pooled()[docno] for docno in (first, second, third)] == ["1", "2", "0"]
    served = b"".join(Api(campaign, "Random-ada").get("exports/qrels-served/")).decode()
    assert second not in served
    assert first in served
    # The random order has come to nothing that counts.
    exclude(campaign=campaign, username="Random-grace")
    assert set(pooled().values()) == {"-1"}


def wide_lists(*, topics: int, runs: int, documents: int) -> Lists:
    draw = np.random.default_rng(4)
    numbers = [str(number) for number in range(1, topics + 1)]
    return {
        f"run{run}": {
            n: [f"d{n}-{at}" for at in draw.permutation(documents)[: documents // 2]] for n in numbers
        }
        for run in range(runs)
    }


def judge_all(
    campaign: Campaign, draw: np.random.Generator, *, most: int = 1000, live: LiveCampaign | None = None
) -> dict[tuple[str, str], int]:
    """Whatever is served, up to so many documents of each topic, with grades at random."""
    grace, grades = Api(campaign, f"{campaign.name}-grace"), {}
    for number in campaign.topics.values_list("number", flat=True):
        reply = grace.get("next/", topic=number)
        for _ in range(most):
            served = reply.json() if reply.status_code == 200 else None
            if served is None:
                break
            docno = served["document"]["docno"]
            grades[number, docno] = int(draw.integers(3))
            assert grace.judge(number, docno, grades[number, docno]).status_code == 201
            if live is not None:
                worker.bring_up_to_date(live)
                # What was claimed before the worker knew: let go, and ask again.
                Claim.objects.all().delete()
            reply = grace.get("next/", topic=number)
    return grades


def stored(topic: Topic) -> tuple[list[str], FloatArray]:
    """The topic's sample as the table has it."""
    row = Sample.objects.get(topic=topic)
    ids = np.frombuffer(row.documents, dtype="<i4").tolist()
    names = dict(Document.objects.filter(id__in=ids).values_list("id", "docno"))
    return [names[document] for document in ids], np.frombuffer(row.inclusion, dtype="<f8")


def test_page_command_and_api_give_the_same(campaign: Campaign) -> None:
    draw(campaign, "1", {"a": 0.25, "b": 0.5})
    judge_as("statap", campaign, "1", "a", 1)
    client = signed_in("Small-ada")
    reply = client.get("/campaigns/small/exports/prels/")
    assert "small.adjudicated.prels.txt" in reply.headers["Content-Disposition"]
    content = b"".join(reply)
    assert content == b"1 a 1 1 0.25\n" == b"".join(Api(campaign, "Small-ada").get("prels/"))
    out = io.StringIO()
    call_command("export_qrels", "small", what="prels", stdout=out)
    assert out.getvalue().encode() == content
    page = client.get("/campaigns/small/exports/").content.decode()
    assert "1 of the 2 documents drawn in 1 topic are judged" in page


def test_without_samples_the_page_says_so(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 1)
    page = signed_in("Small-ada").get("/campaigns/small/exports/").content.decode()
    assert "No topic of this campaign is sampled" in page


def test_prels_are_for_the_campaigns_organisers(campaign: Campaign) -> None:
    make_campaign("Other")
    assert Api(campaign, "Small-grace").get("prels/").status_code == 403
    assert Api(campaign, "Other-ada").get("prels/").status_code == 404
    assert Api(campaign, "Small-ada").post("prels/", {}).status_code == 405
    assert signed_in("Small-grace").get("/campaigns/small/exports/prels/").status_code == 403
    assert signed_in("Other-ada").get("/campaigns/small/exports/prels/").status_code == 404
    assert signed_in("Small-ada").post("/campaigns/small/exports/prels/").status_code == 405


def test_as_many_queries_for_two_topics_as_for_one(campaign: Campaign) -> None:
    counts = []
    for number, docno in (("1", "a"), ("2", "k")):
        draw(campaign, number, {docno: 0.5})
        judge_as("statap", campaign, number, docno, 1)
        with CaptureQueriesContext(connection) as captured:
            list(current_prels(campaign=campaign))
        counts.append(len(captured))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("inclusion", [0.0, -0.1, 1.5, float("nan")])
def test_no_line_with_an_impossible_probability(inclusion: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        format_prel("1", "a", 1, PrelMethod.SAMPLE, inclusion)


def test_no_line_with_a_name_of_two_words() -> None:
    with pytest.raises(ValueError, match="docno"):
        format_prel("1", "a b", 1, PrelMethod.SAMPLE, 0.5)
