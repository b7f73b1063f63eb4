"""PyTerrier: bounds in its experiments, and the documents to judge next for its systems; without Java."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

import judged

pytest.importorskip("ir_measures")
pt = pytest.importorskip("pyterrier")
import judged.pyterrier  # noqa: E402
from judged import ir_measures as bounds  # noqa: E402

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["one", "two", "three"]})
QRELS = pd.DataFrame({"qid": ["1", "1", "2", "3"], "docno": ["a", "b", "c", "a"], "label": [1, 0, 2, 1]})
FIRST = pd.DataFrame(
    {"qid": ["1", "1", "1", "2"], "docno": ["a", "x", "b", "y"], "score": [3.0, 2.0, 1.0, 1.0]}
)
SECOND = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["x", "z", "c"], "score": [3.0, 2.0, 1.0]})
SYSTEMS = {"first": pt.Transformer.from_df(FIRST), "second": SECOND}
PARTS = [bounds.RBP_base(p=0.5), bounds.RBP_residual(p=0.5), bounds.RBP_top(p=0.5)]


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    bounds.register()
    yield
    bounds.unregister()


@pytest.mark.filterwarnings("ignore::judged.collection.Notice")
def test_experiments_have_bounds() -> None:
    table = pt.Experiment([*SYSTEMS.values()], TOPICS, QRELS, [*PARTS, "map"], names=[*SYSTEMS])
    scores = judged.evaluate({"first": FIRST, "second": SECOND}, QRELS, "RBP(p=0.5)")
    for row in table.to_dict("records"):
        expected = scores[row["name"],]
        found = [row[str(part)] for part in PARTS]
        assert found == pytest.approx([expected.base, expected.residual, expected.top], abs=1e-12)
    by_topic = pt.Experiment([SECOND], TOPICS, QRELS, PARTS, names=["second"], perquery=True)
    values = {(row.qid, row.measure): row.value for row in by_topic.itertuples()}
    for row in scores.per_topic:
        if row.run == "second":
            assert [values[row.topic, str(part)] for part in PARTS] == [row.base, row.residual, row.top]


def test_batches_and_significance_tests_of_experiments_work() -> None:
    # The third topic is in the qrels alone.
    asked = [SYSTEMS["first"]], TOPICS[:2], QRELS, PARTS
    whole = pt.Experiment(*asked, filter_by_topics=False)
    assert pt.Experiment(*asked, filter_by_topics=False, batch_size=1).equals(whole)
    compared = pt.Experiment([FIRST, SECOND], TOPICS, QRELS, PARTS[:1], names=["a", "b"], baseline=0)
    assert "RBP_base(p=0.5) p-value" in compared.columns


def test_samples_are_read_from_further_columns_of_the_qrels() -> None:
    qrels = QRELS[:3].assign(iprob=[0.5, 0.25, 1.0])
    [value] = pt.Experiment([FIRST], TOPICS, qrels, [bounds.statR]).statR
    assert value == (1 / 0.5 + 1 / 1.0) / 2


def test_next_documents_are_those_of_the_library() -> None:
    found = judged.pyterrier.next_documents(SYSTEMS, TOPICS, QRELS, k=3, p=0.5)
    expected = judged.next_documents({"first": FIRST, "second": SECOND}, QRELS, k=3, p=0.5)
    assert list(found.docno) == expected.column("docno")
    assert list(found.qid) == expected.column("topic")
    assert not set(zip(found.qid, found.docno, strict=True)) & set(zip(QRELS.qid, QRELS.docno, strict=True))
    assert set(found["query"]) <= set(TOPICS["query"])
    assert list(found.columns) == ["qid", "docno", "score", "rank", "query"]
    [first] = found[found.docno == "x"].itertuples()
    assert (first.qid, first.rank) == ("1", 0)


def test_next_documents_need_no_judgments() -> None:
    found = judged.pyterrier.next_documents([FIRST, SECOND], TOPICS, method="pooling", options={"depth": 1})
    assert set(zip(found.qid, found.docno, strict=True)) == {("1", "a"), ("1", "x"), ("2", "y"), ("2", "c")}
    nothing = judged.pyterrier.next_documents([FIRST, SECOND], TOPICS, QRELS[:0], "pooling")
    assert len(nothing) == 6
    with pytest.raises(ValueError, match="no such method"):
        judged.pyterrier.next_documents([FIRST], TOPICS, QRELS, "no such method")
