"""How long a name may be, in bytes of UTF-8, and how large a file, in unpacked bytes."""

from __future__ import annotations

DOCNO_BYTES = 512
TOPIC_BYTES = 100
TAG_BYTES = 200
LINE_BYTES = 1 << 16
DOCUMENT_BYTES = 32 << 20

# A reader holds these in memory: ten million lines of a run are about half a gigabyte.
RUN_BYTES = 1 << 29
QRELS_BYTES = 1 << 28
TOPICS_BYTES = 64 << 20
# Collections are never in memory; the limit is there for archives that unpack without end.
COLLECTION_BYTES = 64 << 30
