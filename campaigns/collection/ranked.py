"""Whether runs rank a document for a topic, asked of the packed lists."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from django.db import connection

from campaigns.models.packed import unpack_ids


def is_ranked(topic: int, document: int) -> bool:
    """Four aligned bytes are searched for in the packed lists; a hit at an odd offset is no hit, so each is
    looked at again."""
    needle = document.to_bytes(4, "little")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT documents FROM campaigns_ranking WHERE topic_id = %s AND position(%s IN documents) > 0",
            [topic, needle],
        )
        return any(_aligned(bytes(row[0]), needle) for row in cursor)


def _aligned(packed: bytes, needle: bytes) -> bool:
    at = packed.find(needle)
    while at >= 0 and at % 4:
        at = packed.find(needle, at + 1)
    return at >= 0


def ranked_of(topic: int, documents: Collection[int]) -> set[int]:
    """Which of many documents some run ranks: the topic's lists are read once."""
    wanted = np.array(sorted(documents), dtype=np.int32)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(documents, ''::bytea) FROM campaigns_ranking WHERE topic_id = %s", [topic]
        )
        packed = cursor.fetchone()[0]
    return set(wanted[np.isin(wanted, unpack_ids(packed or b""))].tolist())
