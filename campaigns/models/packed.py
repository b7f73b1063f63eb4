"""Arrays packed into bytes columns: the types of their numbers, packing and unpacking."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

DOCUMENT_IDS = np.dtype("<i4")
RUN_IDS = np.dtype("<i8")
SCORES = np.dtype("<f4")
WEIGHTS = np.dtype("<f8")
PROBABILITIES = np.dtype("<f4")


def pack(values: Iterable[float] | NDArray[np.generic], dtype: np.dtype[np.generic]) -> bytes:
    array = values if isinstance(values, np.ndarray) else np.array(list(values))
    return np.ascontiguousarray(array, dtype=dtype).tobytes()


def unpack_ids(packed: bytes | memoryview) -> NDArray[np.int32]:
    return np.frombuffer(packed, dtype=DOCUMENT_IDS).astype(np.int32, copy=False)


def unpack_runs(packed: bytes | memoryview) -> NDArray[np.int64]:
    return np.frombuffer(packed, dtype=RUN_IDS).astype(np.int64, copy=False)


def unpack_weights(packed: bytes | memoryview) -> NDArray[np.float64]:
    return np.frombuffer(packed, dtype=WEIGHTS).astype(np.float64, copy=False)


def unpack_probabilities(packed: bytes | memoryview) -> NDArray[np.float64]:
    return np.frombuffer(packed, dtype=PROBABILITIES).astype(np.float64)
