"""Misspelt names and the known ones that were probably meant."""

from __future__ import annotations

import pytest

from evaluation.name_suggestions import nearest_name
from evaluation.names import parse_measure


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("AAP", "AP"),
        ("MAPP@100", "AP@100"),
        ("ndgc@10", "nDCG@10"),
        ("err", "ERR@10"),
        ("P", "P@10"),
        ("SP@5", "SP"),
        ("IPrec", "IPrec@0.1"),
        ("rbp(q=0.8)", "RBP"),
        ("statapp", "statAP"),
        ("recip_rnk", "RR"),
        ("set_recal", "SetR"),
    ],
)
def test_an_unknown_measure_is_answered_with_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match="no measure is called") as refused:
        parse_measure(name)
    assert f"; did you mean {meant}? There are RBP(p=0.8)" in str(refused.value)


def test_a_name_unlike_any_other_is_answered_with_all() -> None:
    with pytest.raises(ValueError, match=r"no measure is called 'xyzzy'; there are RBP\(p=0.8\)"):
        parse_measure("xyzzy")


@pytest.mark.parametrize(
    ("name", "known", "nearest"),
    [
        ("poolin", ["pooling", "A"], "pooling"),
        ("Hedge", ["hedge", "mtf"], "hedge"),
        ("451", ["450", "452"], ""),
        ("0401", ["401", "402"], "401"),
        ("T401", ["401"], "401"),
        ("anything", [], ""),
    ],
)
def test_the_nearest_name(name: str, known: list[str], nearest: str) -> None:
    assert nearest_name(name, known) == nearest
