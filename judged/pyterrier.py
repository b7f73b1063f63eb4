"""PyTerrier: the documents to judge next, for the systems of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from judged.queues import next_documents as next_of_runs

if TYPE_CHECKING:
    import pandas
    from pyterrier import Transformer


def next_documents(
    systems: Sequence[Transformer | pandas.DataFrame] | Mapping[str, Transformer | pandas.DataFrame],
    topics: pandas.DataFrame,
    qrels: pandas.DataFrame | None = None,
    method: str = "C",
    k: int = 100,
    **options: Any,
) -> pandas.DataFrame:
    """Choose the documents to judge next, given what is judged of the systems' results so far.

    Parameters
    ----------
    systems : list, or {name: system}, of pipelines and frames of results, as `pt.Experiment` takes them
    topics : frame with qid and query
    qrels : frame with qid, docno and label; none by default
    method, k, **options : as of `judged.next_documents`

    Returns
    -------
    frame : qid, docno, score, rank in the topic from 0, and the other columns of the topics
        Best first. Further steps take it, such as `pt.text.get_text(…)`.

    Raises
    ------
    FormatError, ValueError : as of `judged.next_documents`.
    """
    import pandas as pd

    if not isinstance(systems, Mapping):
        systems = {f"system {number}": system for number, system in enumerate(systems, 1)}
    results = {
        name: system if isinstance(system, pd.DataFrame) else system.transform(topics)
        for name, system in systems.items()
    }
    runs = {name: frame[["qid", "docno", "score"]] for name, frame in results.items() if len(frame)}
    judged = None if qrels is None or not len(qrels) else qrels[["qid", "docno", "label"]]
    chosen = next_of_runs(runs, judged, method, k, **options)
    frame = pd.DataFrame(
        {"qid": chosen.column("topic"), "docno": chosen.column("docno"), "score": chosen.column("weight")}
    )
    frame["rank"] = frame.groupby("qid").cumcount()
    return frame.merge(topics.astype({"qid": str}), on="qid", how="left")
