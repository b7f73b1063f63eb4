"""Evaluate runs with few relevance judgments: scores with bounds, the documents to judge next, predictions.

    import judged
    from judged import RBP, nDCG

    scores = judged.evaluate("runs/", "qrels.txt", [RBP(p=0.8), nDCG @ 10])

Names are imported at their first use, so that `import judged` takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from campaigns.api.client import Problem
    from campaigns.formats.errors import FormatError
    from judged.collection import Notice
    from judged.comparisons import PairTable, compare
    from judged.measures import (
        AP,
        BPM,
        DCG,
        EAP,
        ERR,
        ERR_IA,
        GMAP,
        INSQ,
        INST,
        RBP,
        RR,
        RR2,
        SDCG,
        SP,
        Bpref,
        Compat,
        G,
        GMBpref,
        IPrec,
        Judged,
        NumNonrelRet,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        P,
        Q,
        R,
        RelP,
        Residual,
        Rndcg,
        Rprec,
        SetAP,
        SetF,
        SetP,
        SetR,
        SetRelP,
        Std,
        Success,
        Unjudged,
        Utility,
        alpha_nDCG,
        binG,
        infAP,
        infNDCG,
        nDCG,
        ndcg_rel,
        statAP,
        statNDCG,
        statPC,
        statR,
        statRprec,
        xinfAP,
    )
    from judged.predictions import Prediction, predict
    from judged.qrels import Qrels, read_qrels
    from judged.queues import Queue, next_documents
    from judged.replays import Replay, simulate
    from judged.runs import Runs, read_runs
    from judged.scores import ScoreTable, evaluate
    from judged.site import Site
    from judged.tables import Row, Table

# The module of each name; measures are in `judged.measures`.
_MODULES = {
    "Problem": "campaigns.api.client",
    "FormatError": "campaigns.formats.errors",
    "Notice": "judged.collection",
    "PairTable": "judged.comparisons",
    "compare": "judged.comparisons",
    "Prediction": "judged.predictions",
    "predict": "judged.predictions",
    "Queue": "judged.queues",
    "next_documents": "judged.queues",
    "Replay": "judged.replays",
    "simulate": "judged.replays",
    "Qrels": "judged.qrels",
    "read_qrels": "judged.qrels",
    "Runs": "judged.runs",
    "read_runs": "judged.runs",
    "ScoreTable": "judged.scores",
    "evaluate": "judged.scores",
    "Site": "judged.site",
    "Row": "judged.tables",
    "Table": "judged.tables",
}

__all__ = [
    "AP",
    "BPM",
    "DCG",
    "EAP",
    "ERR",
    "ERR_IA",
    "GMAP",
    "INSQ",
    "INST",
    "RBP",
    "RR",
    "RR2",
    "SDCG",
    "SP",
    "Bpref",
    "Compat",
    "FormatError",
    "G",
    "GMBpref",
    "IPrec",
    "Judged",
    "Notice",
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PairTable",
    "Prediction",
    "Problem",
    "Q",
    "Qrels",
    "Queue",
    "R",
    "RelP",
    "Replay",
    "Residual",
    "Rndcg",
    "Row",
    "Rprec",
    "Runs",
    "ScoreTable",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "Site",
    "Std",
    "Success",
    "Table",
    "Unjudged",
    "Utility",
    "alpha_nDCG",
    "binG",
    "compare",
    "evaluate",
    "infAP",
    "infNDCG",
    "nDCG",
    "ndcg_rel",
    "next_documents",
    "predict",
    "read_qrels",
    "read_runs",
    "simulate",
    "statAP",
    "statNDCG",
    "statPC",
    "statR",
    "statRprec",
    "xinfAP",
]


if not TYPE_CHECKING:
    # Without it, type checkers find names that are not there.
    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'judged' has no attribute {name!r}")
        value = getattr(import_module(_MODULES.get(name, "judged.measures")), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
