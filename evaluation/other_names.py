"""The names that other programs have for measures: trec_eval, pytrec_eval, ir_measures, ranx and gdeval."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Whatever the case, by the part before parameters and cut-off.
_USUAL = {
    "map": "AP",
    "map_cut": "AP",
    "mean_average_precision": "AP",
    "mrr": "RR",
    "recip_rank": "RR",
    "reciprocal_rank": "RR",
    "precision": "P",
    "prec": "P",
    "recall": "R",
    "hit_rate": "Success",
    "ndcg_cut": "nDCG",
    "r_prec": "Rprec",
    "r-precision": "Rprec",
    "iprec_at_recall": "IPrec",
    "11pt_avg": "11pt",
    "relative_p": "RelP",
    "unj": "Unjudged",
    "alpha-ndcg": "alpha_nDCG",
    "α_ndcg": "alpha_nDCG",
    "err-ia": "ERR_IA",
    "gm_map": "GMAP",
    "gm_bpref": "GMBpref",
    "set_p": "SetP",
    "set_recall": "SetR",
    "set_f": "SetF",
    "set_map": "SetAP",
    "set_relative_p": "SetRelP",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
}
OTHER_NAMES = tuple(_USUAL)
# trec_eval prints the cut-off as in P_10, and takes it as in P.10.
_TREC_EVAL_CUT = re.compile(
    r"(P|recall|success|map_cut|ndcg_cut|iprec_at_recall|relative_P|unj)[_.](\d+(?:\.\d+)?)", re.IGNORECASE
)
_TREC_EVAL_MULTIPLE = re.compile(r"Rprec_mult[_.](\d+(?:\.\d+)?)", re.IGNORECASE)
# In lower case, as trec_eval has them: its persistence is another than the usual one here.
_TREC_EVAL_RBP = {"rbp": "RBP(p=0.9)", "rbp_resid": "RBP(p=0.9)"}
_HEAD = re.compile(r"([^(@]+)(.*)", re.DOTALL)


def usual_name(name: str, known: Iterable[str] = ()) -> str:
    """Translate another program's name of a measure, with its parameters and cut-off, into the name used
    here.

    Parameters
    ----------
    name : str
        As written in `evaluate --measure`, in any case.
    known : iterable of str
        The names here, without parameters and cut-off: they are found in whatever case.

    Returns
    -------
    str
        `name` itself if no program has it.

    Examples
    --------
    >>> [usual_name(name) for name in ("map", "ndcg_cut_10", "prec@5", "iprec_at_recall_0.10", "MAP(rel=2)")]
    ['AP', 'nDCG@10', 'P@5', 'IPrec@0.10', 'AP(rel=2)']
    >>> usual_name("rbp(P=0.5)", ["RBP"])
    'RBP(P=0.5)'
    """
    if name in _TREC_EVAL_RBP:
        return _TREC_EVAL_RBP[name]
    if match := _TREC_EVAL_MULTIPLE.fullmatch(name):
        return f"Rprec(mult={match[1]})"
    if match := _TREC_EVAL_CUT.fullmatch(name):
        name = f"{match[1]}@{match[2]}"
    match = _HEAD.fullmatch(name)
    if not match:
        return name
    head, rest = match[1].strip(), match[2]
    by_fold = {one.casefold(): one for one in known}
    return _USUAL.get(head.casefold(), by_fold.get(head.casefold(), head)) + rest
