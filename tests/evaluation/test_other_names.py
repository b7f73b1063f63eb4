"""The names that other programs have for measures."""

from __future__ import annotations

import pytest

from evaluation.names import FORMS, parse_measure

SPELLINGS = {
    "AP": ["MAP", "map", "ap", "AP"],
    "AP@100": ["map_cut_100", "map_cut.100", "MAP@100"],
    "AP(rel=2)": ["MAP(rel=2)", "map(rel=2)"],
    "nDCG": ["ndcg", "NDCG"],
    "nDCG@10": ["ndcg_cut_10", "ndcg_cut.10", "ndcg@10", "NDCG@10"],
    "P@5": ["P_5", "p@5", "prec@5", "precision@5", "Precision@5", "P.5"],
    "R@100": ["recall_100", "Recall@100", "recall.100"],
    "RR": ["recip_rank", "MRR", "mrr"],
    "RR@10": ["mrr@10"],
    "Success@5": ["success_5", "hit_rate@5"],
    "Rprec": ["r-precision", "R_prec", "RPrec"],
    "Rprec(mult=0.2)": ["Rprec_mult_0.20"],
    "Bpref": ["bpref", "BPref"],
    "IPrec@0.1": ["iprec_at_recall_0.10", "IPrec@0.10"],
    "IPrec@0": ["iprec_at_recall_0.00", "IPrec@0"],
    "IPrec@1": ["iprec_at_recall.1.00", "IPrec@1"],
    "11pt": ["11pt_avg"],
    "RelP@10": ["relative_P_10", "relative_P.10"],
    "Unjudged@10": ["unj_10", "unj@10"],
    "GMAP": ["gm_map", "gmap"],
    "GMBpref": ["gm_bpref"],
    "SetP": ["set_P"],
    "SetR": ["set_recall"],
    "SetF": ["set_F"],
    "SetAP": ["set_map"],
    "SetRelP": ["set_relative_P", "SetP(relative=True)"],
    "NumQ": ["num_q"],
    "NumRet": ["num_ret"],
    "NumRel": ["num_rel"],
    "NumRelRet": ["num_rel_ret"],
    "NumNonrelRet": ["num_nonrel_judged_ret"],
    "Utility": ["utility"],
    "RBP(p=0.8)": ["RBP", "rbp(p=0.8)"],
    "RBP(p=0.9)": ["rbp", "rbp_resid"],
    "infAP": ["infap"],
    # As ir_measures writes them.
    "P(judged_only=True)@5": ["P(judged_only=True)@5", "p(judged_only=true)@5"],
    "AP(rel=2,judged_only=True)": ["AP(judged_only=True,rel=2)"],
    "nDCG(judged_only=True)@10": ["ndcg(judged_only=True)@10"],
    "NumRelRet(rel=2)": ["NumRet(rel=2)"],
}


@pytest.mark.parametrize(
    ("written", "name"), [(written, name) for name, others in SPELLINGS.items() for written in others]
)
def test_other_spellings_are_measures_of_the_canonical_name(written: str, name: str) -> None:
    assert parse_measure(written).name == name


def test_names_of_forms_differ_in_more_than_case() -> None:
    names = {name for form in FORMS for name in form.names}
    assert len({name.casefold() for name in names}) == len(names)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("IPrec@1.5", r"recall 1\.5 is above 1"),
        ("AP@0.5", "no measure is called"),
        ("Rprec(mult=0)", "mult = 0 is not above 0"),
        ("SetF(beta=-1)", "beta = -1 is negative"),
        ("RBP(ties=shared,judged_only=True)", "judged_only or ties=shared"),
        ("P_0", "k = 0 is below 1"),
    ],
)
def test_impossible_values_are_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_measure(name)
