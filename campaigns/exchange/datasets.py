"""Data sets by their names in ir_datasets, as far as they are on this machine or may be fetched."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.collection.documents import store_documents
from campaigns.collection.topics import StoredTopics, store_topics
from campaigns.core.errors import Refused
from campaigns.exchange.qrels import StoredQrels, store_qrels
from campaigns.formats.datasets import documents_of, judgments_of, topics_of
from campaigns.models import Campaign

NEAR = 3
LONGEST_NAME = 200

# Told how many documents have been read, and of how many, where somebody has counted them.
Progress = Callable[[int, int | None], None]


class _DownloadNeeded(BaseException):
    """No `Exception`: those the library takes for a mirror that is down, and asks the next."""


@dataclass(frozen=True)
class StoredDataset:
    """`topics` and `qrels` are None where the data set has none, or none were wanted."""

    documents: int
    topics: StoredTopics | None
    qrels: StoredQrels | None


def installed() -> bool:
    return find_spec("ir_datasets") is not None


def find(name: str, *, qrels: bool = False) -> Any:
    """The data set of this name: it has documents, and judgments if they are wanted. Nothing is read yet."""
    library = _library()
    try:
        found = library.load(name)
    except KeyError:
        raise _unknown(name, library) from None
    if not found.has_docs():
        detail = gettext("the data set %(name)s has no documents") % {"name": name}
        raise Refused("no_documents", detail, field="ir_dataset")
    if qrels and not found.has_qrels():
        detail = gettext("the data set %(name)s has no judgments") % {"name": name}
        raise Refused("no_judgments", detail, field="ir_dataset")
    return found


def _library() -> Any:
    if not installed():
        detail = gettext("this site has no ir_datasets: pip install ir_datasets")
        raise Refused("no_ir_datasets", detail, field="ir_dataset")
    library = import_module("ir_datasets")
    # The one way by which it reaches the network.
    library.lazy_libs.requests = _requests_if_allowed
    for module in settings.IR_DATASETS_MODULES:
        try:
            import_module(module)
        except ImportError as error:
            detail = gettext("a module that this site names in IR_DATASETS_MODULES is not there: %(said)s")
            raise Refused("bad_module", detail % {"said": error}, status=503) from error
    return library


def _requests_if_allowed() -> Any:
    if not settings.IR_DATASETS_DOWNLOAD:
        raise _DownloadNeeded
    return import_module("requests")


def _unknown(name: str, library: Any) -> Refused:
    detail = gettext("there is no data set %(name)s in ir_datasets") % {"name": name[:LONGEST_NAME]}
    near = difflib.get_close_matches(name[:LONGEST_NAME], list(library.registry), NEAR, 0.5)
    if near:
        detail += gettext("; there are %(near)s") % {"near": ", ".join(near)}
    return Refused("unknown_dataset", detail, field="ir_dataset")


def _tell_nobody(read: int, total: int | None) -> None:
    pass


def store_dataset(
    *, campaign: Campaign, user: User, name: str, qrels: bool = False, progress: Progress = _tell_nobody
) -> StoredDataset:
    """Add the data set's documents and topics, and its judgments if wanted: all of it or nothing."""
    found = find(name, qrels=qrels)
    try:
        with transaction.atomic():
            records = documents_of(_counted(_read(name, found.docs_iter), progress, _count(found)), name)
            documents = store_documents(
                collection=campaign.collection, records=records, file=name, dataset=True
            )
            topics = judgments = None
            if found.has_queries():
                wording = topics_of(_read(name, found.queries_iter), name)
                topics = store_topics(campaign=campaign, user=user, records=wording, file=name)
            if qrels:
                parsed = judgments_of(_read(name, found.qrels_iter), name)
                judgments = store_qrels(campaign=campaign, user=user, parsed=parsed, file=name, dataset=True)
    except _DownloadNeeded:
        raise _not_here(name) from None
    return StoredDataset(documents, topics, judgments)


def _read(name: str, records: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    try:
        yield from records()
    # Whatever goes wrong in the readers of hundreds of data sets: a missing file or library, a bad line.
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:500]
        values = {"name": name, "said": said}
        detail = gettext("the data set %(name)s cannot be read here: %(said)s") % values
        raise Refused("unreadable_dataset", detail, field="ir_dataset") from error


def _count(dataset: Any) -> int | None:
    try:
        return dataset.docs_count() or None
    # Some look into files that may not be there; reading them will say so.
    except (Exception, _DownloadNeeded):  # noqa: BLE001
        return None


def _counted(records: Iterable[Any], progress: Progress, total: int | None) -> Iterator[Any]:
    for count, record in enumerate(records, start=1):
        yield record
        progress(count, total)


def _not_here(name: str) -> Refused:
    said = gettext(
        "the data set %(name)s is not on this machine, and downloads are not allowed here "
        "(IR_DATASETS_DOWNLOAD)"
    )
    return Refused("no_download", said % {"name": name}, field="ir_dataset", status=403)
