"""How long a name may be, in bytes of UTF-8, and how large a file, in unpacked bytes."""

from __future__ import annotations

DOCNO_BYTES = 512
TOPIC_BYTES = 100
TAG_BYTES = 200
LINE_BYTES = 1 << 16
DOCUMENT_BYTES = 32 << 20

RUN_BYTES = 2 << 30
QRELS_BYTES = 1 << 30
TOPICS_BYTES = 64 << 20
# Collections are never in memory; the limit is there for archives that unpack without end.
COLLECTION_BYTES = 64 << 30
