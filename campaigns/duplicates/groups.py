"""Groups of duplicates: a representative, and the documents that are compared with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet

from campaigns.models import Collection, Document, TextSignature

GROUPS_ON_A_PAGE = 25
# Documents of a group that a list names.
MOST_LISTED = 20


@dataclass(frozen=True)
class DuplicateFigures:
    """`documents`: with another document before them, of which `same` have its very words; `compared`:
    whether all documents were compared."""

    documents: int
    same: int
    groups: int
    compared: bool

    @property
    def near(self) -> int:
        return self.documents - self.same


@dataclass(frozen=True)
class DuplicateGroup:
    """`documents`: their number, with the representative; `duplicates`: the first of them, by docno."""

    representative: Document
    documents: int
    duplicates: Sequence[TextSignature]

    @property
    def unlisted(self) -> int:
        return self.documents - 1 - len(self.duplicates)


def duplicates_in(collection: Collection) -> QuerySet[TextSignature]:
    return TextSignature.objects.filter(document__collection=collection, representative__isnull=False)


def duplicate_figures(collection: Collection) -> DuplicateFigures:
    counts = duplicates_in(collection).aggregate(
        documents=Count("document"),
        same=Count("document", filter=Q(same=True)),
        groups=Count("representative", distinct=True),
    )
    return DuplicateFigures(**counts, compared=collection.compared_until >= collection.texts_until)


def largest_groups(collection: Collection, *, page: int) -> tuple[list[DuplicateGroup], bool]:
    """Groups of a page, from 1, the largest first; and whether there are more."""
    first = (page - 1) * GROUPS_ON_A_PAGE
    rows = duplicates_in(collection).order_by().values_list("representative").annotate(n=Count("document"))
    counted = list(rows.order_by("-n", "representative")[first : first + GROUPS_ON_A_PAGE + 1])
    sizes = dict(counted[:GROUPS_ON_A_PAGE])
    return _groups(sizes), len(counted) > GROUPS_ON_A_PAGE


def group_of(document: Document) -> DuplicateGroup | None:
    """The document's group; None if it has no duplicate."""
    signature = TextSignature.objects.filter(document=document).first()
    if signature is None:
        return None
    representative = signature.representative_id or document.id
    count = TextSignature.objects.filter(representative=representative).count()
    return next(iter(_groups({representative: count})), None) if count else None


def pair_of(collection: Collection, docnos: Sequence[str]) -> list[Document]:
    """The documents with these docnos, in their order."""
    rows = {row.docno: row for row in Document.objects.filter(collection=collection, docno__in=docnos)}
    return [rows[docno] for docno in docnos if docno in rows]


def similarity_of(one: Document, other: Document) -> TextSignature | None:
    """The signature that compares two documents, if one represents the other."""
    pairs = Q(document=one, representative=other) | Q(document=other, representative=one)
    return TextSignature.objects.filter(pairs).first()


def _groups(sizes: dict[int, int]) -> list[DuplicateGroup]:
    representatives = Document.objects.only("docno", "title", "collection").in_bulk(sizes)
    listed: defaultdict[int, list[TextSignature]] = defaultdict(list)
    for representative in sizes:
        rows = TextSignature.objects.filter(representative=representative).defer("bands")
        rows = rows.select_related("document").annotate(docno=F("document__docno"))
        listed[representative] = list(rows.order_by("docno")[:MOST_LISTED])
    return [DuplicateGroup(representatives[id], count + 1, listed[id]) for id, count in sizes.items()]
