"""A collection known by its docnos: how many rows a second it is imported at, and what a look-up costs."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median

from django.contrib.auth.models import User
from django.db import connection

from campaigns.collection.documents import ids_by_docno, store_documents
from campaigns.formats.documents.files import iter_documents
from campaigns.setup import campaigns
from tests.bench.performance.report import Table
from tests.bench.performance.sizes import Sizes

LOOKUPS, AT_ONCE = 50, 1000
_PLAN = "EXPLAIN SELECT docno, id FROM campaigns_document WHERE collection_id = %s AND docno = ANY(%s)"


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    ada = User.objects.create(username="ada")
    collection = campaigns.create(organiser=ada, name="Web").collection
    file = folder / "docnos.tsv"
    with file.open("w") as lines:
        lines.writelines(f"{docno_of(number)}\t\n" for number in range(sizes.documents))
    began = time.perf_counter()
    store_documents(collection=collection, records=iter_documents(file, file.name), file=file.name)
    took = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE campaigns_document")
    chance = Random(1)
    seconds = []
    for _ in range(LOOKUPS):
        wanted = [docno_of(chance.randrange(sizes.documents)) for _ in range(AT_ONCE)]
        began = time.perf_counter()
        if not ids_by_docno(collection=collection, docnos=wanted):
            raise RuntimeError("no document was found")
        seconds.append(time.perf_counter() - began)
    with connection.cursor() as cursor:
        cursor.execute(_PLAN, [collection.id, wanted])
        plan = " ".join(row[0].strip() for row in cursor.fetchall())
        cursor.execute("SELECT pg_total_relation_size('campaigns_document')")
        size = cursor.fetchone()[0] / 1e9
    head = (
        "documents",
        "rows/s",
        f"look-up of {AT_ONCE:,} docnos, ms",
        "by an index",
        "table and indexes, GB",
        "importing process, MB",
    )
    words = (
        "How fast the site imports documents without text and finds their docnos.\n\n"
        "- Load: one file of tab-separated lines, in no order of docnos, stored like an upload.\n"
        "- Targets: 100,000 rows per second; at most 300 MB.\n"
        "- `--documents 25000000` measures a web collection."
    )
    by_index = "yes" if "Index" in plan else "no"
    row = [sizes.documents, sizes.documents / took, 1000 * median(seconds), by_index, size, memory]
    yield Table("Documents by docno", words, head, [row])


def docno_of(number: int) -> str:
    """As web collections name theirs, and in no order."""
    return f"clueweb09-en{number * 7919 % 10_000:04}-{number % 100:02}-{number // 100:06}"
