"""Arrays packed into bytes columns: the types of their numbers, packing and unpacking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.measures.ordering import ScorePrecision, Scores

DOCUMENT_IDS = np.dtype("<i4")
RUN_IDS = np.dtype("<i8")
# By the bits of the floats as which a run's scores are compared.
SCORES: Mapping[ScorePrecision, np.dtype[np.floating[Any]]] = {32: np.dtype("<f4"), 64: np.dtype("<f8")}
DIFFERENCES = np.dtype("<f4")
WEIGHTS = np.dtype("<f8")
PROBABILITIES = np.dtype("<f4")


def pack(values: Iterable[float] | NDArray[np.generic], dtype: np.dtype[np.generic]) -> bytes:
    array = values if isinstance(values, np.ndarray) else np.array(list(values))
    return np.ascontiguousarray(array, dtype=dtype).tobytes()


def pack_scores(scores: Scores) -> bytes:
    """Scores with the precision that they have."""
    return pack(scores, SCORES[64 if scores.dtype.itemsize == 8 else 32])


def unpack_scores(packed: bytes | memoryview, documents: int) -> Scores:
    """The scores of so many documents. Their length says how many bits each has."""
    return np.frombuffer(packed, dtype=SCORES[scores_precision(len(packed), documents)])


def scores_precision(length: int, documents: int) -> ScorePrecision:
    """The bits of each score, where the scores of so many documents take `length` bytes."""
    return 32 if length == SCORES[32].itemsize * documents else 64


def unpack_ids(packed: bytes | memoryview) -> NDArray[np.int32]:
    return np.frombuffer(packed, dtype=DOCUMENT_IDS).astype(np.int32, copy=False)


def unpack_runs(packed: bytes | memoryview) -> NDArray[np.int64]:
    return np.frombuffer(packed, dtype=RUN_IDS).astype(np.int64, copy=False)


def unpack_weights(packed: bytes | memoryview) -> NDArray[np.float64]:
    return np.frombuffer(packed, dtype=WEIGHTS).astype(np.float64, copy=False)


def unpack_probabilities(packed: bytes | memoryview) -> NDArray[np.float64]:
    return np.frombuffer(packed, dtype=PROBABILITIES).astype(np.float64)
