"""Measures as expressions: `RBP(p=0.8)`, `nDCG@10`, `AP(rel=2)`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from evaluation.measure import Measure


@dataclass(frozen=True)
class MeasureExpression:
    """A measure by its name; a call adds parameters, @ the cut-off. `str` is the name that commands take.

    Examples
    --------
    >>> str(nDCG @ 10), str(RBP(p=0.8)), str(P(rel=2) @ 5), str(Std(AP)), str(EAP("calibrated"))
    ('nDCG@10', 'RBP(p=0.8)', 'P(rel=2)@5', 'Std(AP)', 'EAP(calibrated)')
    """

    name: str
    inside: tuple[str, ...] = ()
    at: float | None = None

    def __call__(self, *words: str | MeasureExpression, **parameters: float | str) -> MeasureExpression:
        given = (*map(str, words), *(f"{name}={value}" for name, value in parameters.items()))
        return replace(self, inside=(*self.inside, *given))

    def __matmul__(self, cut_off: float) -> MeasureExpression:
        return replace(self, at=cut_off)

    def __str__(self) -> str:
        inside = f"({','.join(self.inside)})" if self.inside else ""
        return f"{self.name}{inside}" + ("" if self.at is None else f"@{self.at}")

    __repr__ = __str__


# Names that begin with a digit, or hold a star, are given as text: "11pt", "AP*".
NAMES = (
    *("RBP", "P", "AP", "SP", "RR", "RR2", "Rprec", "nDCG", "DCG", "SDCG", "Bpref", "Q", "ERR", "Judged"),
    *("infAP", "xinfAP", "infNDCG", "statAP", "statR", "statRprec", "statPC", "statNDCG", "EAP", "Success"),
    *("R", "INST", "INSQ", "BPM", "Compat", "alpha_nDCG", "ERR_IA", "Rndcg", "ndcg_rel", "G", "binG"),
    *("IPrec", "RelP", "GMAP", "GMBpref", "SetP", "SetR", "SetF", "SetAP", "SetRelP", "Utility"),
    *("Unjudged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Std", "Residual"),
)
RBP, P, AP, SP, RR, RR2, Rprec, nDCG, DCG, SDCG, Bpref, Q, ERR, Judged = map(MeasureExpression, NAMES[:14])
infAP, xinfAP, infNDCG, statAP, statR, statRprec, statPC, statNDCG, EAP, Success = map(
    MeasureExpression, NAMES[14:24]
)
R, INST, INSQ, BPM, Compat, alpha_nDCG, ERR_IA, Rndcg, ndcg_rel, G, binG = map(
    MeasureExpression, NAMES[24:35]
)
IPrec, RelP, GMAP, GMBpref, SetP, SetR, SetF, SetAP, SetRelP, Utility = map(MeasureExpression, NAMES[35:45])
Unjudged, NumQ, NumRet, NumRel, NumRelRet, NumNonrelRet, Std, Residual = map(MeasureExpression, NAMES[45:])

# Other libraries' measures, such as those of ir_measures, are known by their text.
AnyMeasure: TypeAlias = "str | MeasureExpression | Measure | object"


def measures_of(given: AnyMeasure | Iterable[AnyMeasure]) -> list[Measure]:
    """Measures in the order given, each once; a text may name several, as RBP(p=0.5,0.8).

    Raises ValueError, naming the nearest measure, for one that is not known.
    """
    from evaluation.measure import Measure
    from evaluation.names import parse_measures

    several = isinstance(given, Iterable) and not isinstance(given, str | Measure)
    measures: list[Measure] = []
    for one in given if several else [given]:  # type: ignore[attr-defined]
        measures += [one] if isinstance(one, Measure) else parse_measures(str(one))
    if not measures:
        raise ValueError("no measure is given")
    return list({measure.name: measure for measure in measures}.values())
