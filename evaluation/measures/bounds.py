"""What a measure says while documents are unjudged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import overload

import numpy as np

from evaluation.arrays import FloatArray


@dataclass(frozen=True)
class Bounds:
    """A score that unjudged documents leave open: it lies in [base, base + residual].

    `full` is the score of a ranking whose every document has gain 1: 1, but for unscaled DCG.
    """

    base: float
    residual: float
    full: float = field(default=1.0, repr=False)

    @property
    def top(self) -> float:
        return self.base + self.residual

    @property
    def projected(self) -> float:
        return projected(self.base / self.full, self.residual / self.full) * self.full


@overload
def projected(base: float, residual: float) -> float: ...
@overload
def projected(base: FloatArray, residual: FloatArray) -> FloatArray: ...
def projected(base: float | FloatArray, residual: float | FloatArray) -> float | FloatArray:
    """The score if the unjudged weight earned gain at the rate of the judged: base / (1 - residual).

    Parameters
    ----------
    base, residual : float or ndarray of float64, any equal shapes
        In [0, 1]. Where residual is 1, nothing is judged and the projection is 1, as in the program
        of the authors of Moffat, Webber and Zobel 2007 (section 4).

    Returns
    -------
    float or ndarray of float64, like the arguments

    Examples
    --------
    >>> projected(0.2, 0.5), projected(0.0, 1.0)
    (0.4, 1.0)
    """
    covered = 1.0 - np.asarray(residual, dtype=np.float64)
    result = np.divide(base, covered, out=np.ones_like(covered), where=covered > 0)
    return float(result) if result.ndim == 0 else result
