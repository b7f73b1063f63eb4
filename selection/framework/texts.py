from __future__ import annotations

from dataclasses import dataclass

from scipy.sparse import csr_array

from selection.pool import Ids


@dataclass(frozen=True, eq=False)
class Texts:
    """What documents and topics say, as term weights of equal columns.

    documents : int32 (n,), ascending ids; vectors : csr float32 or float64 (n, terms), a row each
    topics : csr (topics, terms) of the same kind, in the order of the pools
    """

    documents: Ids
    vectors: csr_array
    topics: csr_array
