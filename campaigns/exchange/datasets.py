"""Datasets by their names in ir_datasets: found, stored, and loaded by the worker, as it may take minutes."""

from __future__ import annotations

import difflib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext

from campaigns.collection.document_revisions import JudgedTexts
from campaigns.collection.documents import StoredDocuments, storing_documents
from campaigns.collection.topics import StoredTopics, store_topics
from campaigns.core.actors import Actor, acting_as
from campaigns.core.database import Space, try_campaign_lock
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_load
from campaigns.exchange.qrels import StoredQrels, store_qrels
from campaigns.formats.datasets import documents_of, judgments_of, topics_of
from campaigns.formats.errors import FormatError, NoticeRow, Notices
from campaigns.models import Campaign, Loading

NEAR = 3
LONGEST_DATASET_NAME = 200

# Called with how many documents have been read, and of how many, where they were counted.
DatasetProgress = Callable[[int, int | None], None]


class _DownloadNeeded(BaseException):
    """No `Exception`: those the library takes for a mirror that is down, and asks the next."""


@dataclass(frozen=True)
class StoredDataset:
    """`topics` and `qrels` are None where the data set has none, or none were wanted."""

    documents: StoredDocuments
    topics: StoredTopics | None
    qrels: StoredQrels | None
    noticed: Sequence[NoticeRow] = ()


def is_installed() -> bool:
    return find_spec("ir_datasets") is not None


def find_dataset(name: str, *, qrels: bool = False) -> Any:
    """The data set of this name: it has documents, and judgments if they are wanted. Nothing is read yet."""
    library = _library()
    try:
        found = library.load(name)
    except KeyError:
        raise _unknown(name, library) from None
    if not found.has_docs():
        detail = gettext("the dataset %(name)s has no documents") % {"name": name}
        raise Refusal("no_documents", detail, field="ir_dataset")
    if qrels and not found.has_qrels():
        detail = gettext("the dataset %(name)s has no judgments") % {"name": name}
        raise Refusal("no_judgments", detail, field="ir_dataset")
    return found


def _library() -> Any:
    if not is_installed():
        detail = gettext("this site has no ir_datasets: pip install ir_datasets")
        raise Refusal("no_ir_datasets", detail, field="ir_dataset")
    library = import_module("ir_datasets")
    # The one way by which it reaches the network.
    library.lazy_libs.requests = _requests_if_allowed
    for module in settings.IR_DATASETS_MODULES:
        try:
            import_module(module)
        except ImportError as error:
            detail = gettext("a module that this site names in IR_DATASETS_MODULES is not there: %(said)s")
            raise Refusal("bad_module", detail % {"said": error}, status=503) from error
    return library


def _requests_if_allowed() -> Any:
    if not settings.IR_DATASETS_DOWNLOAD:
        raise _DownloadNeeded
    return import_module("requests")


def _unknown(name: str, library: Any) -> Refusal:
    detail = gettext("there is no dataset %(name)s in ir_datasets") % {"name": name[:LONGEST_DATASET_NAME]}
    near = difflib.get_close_matches(name[:LONGEST_DATASET_NAME], list(library.registry), NEAR, 0.5)
    if near:
        detail += gettext("; there are %(near)s") % {"near": ", ".join(near)}
    return Refusal("unknown_dataset", detail, field="ir_dataset")


def _tell_nobody(read: int, total: int | None) -> None:
    pass


def store_dataset(
    *,
    campaign: Campaign,
    user: User,
    name: str,
    qrels: bool = False,
    replace: bool = False,
    progress: DatasetProgress = _tell_nobody,
) -> StoredDataset:
    """Add the data set's documents and topics, and its judgments if wanted: all of it or nothing. `replace`:
    as for a file of documents."""
    found = find_dataset(name, qrels=qrels)
    notices, about_topics = Notices(), Notices("topics")
    try:
        counted = _counted(_read(name, found.docs_iter), progress, _count(found))
        records = documents_of(counted, name, notices)
        with storing_documents(
            collection=campaign.collection, records=records, file=name, dataset=True, replace=replace
        ) as documents:
            topics = judgments = None
            if found.has_queries():
                wording = topics_of(_read(name, found.queries_iter), name, about_topics)
                topics = store_topics(campaign=campaign, user=user, records=wording, file=name)
            if qrels:
                parsed = judgments_of(_read(name, found.qrels_iter), name)
                judgments = store_qrels(campaign=campaign, user=user, parsed=parsed, file=name, dataset=True)
    except _DownloadNeeded:
        raise _not_here(name) from None
    return StoredDataset(documents, topics, judgments, [*notices.rows(), *about_topics.rows()])


def _read(name: str, records: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    try:
        yield from records()
    # Whatever goes wrong in the readers of hundreds of data sets: a missing file or library, a bad line.
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:500]
        values = {"name": name, "said": said}
        detail = gettext("the dataset %(name)s cannot be read here: %(said)s") % values
        raise Refusal("unreadable_dataset", detail, field="ir_dataset") from error


def _count(dataset: Any) -> int | None:
    try:
        return dataset.docs_count() or None
    # Some look into files that may not be there; reading them will say so.
    except (Exception, _DownloadNeeded):  # noqa: BLE001
        return None


def _counted(records: Iterable[Any], progress: DatasetProgress, total: int | None) -> Iterator[Any]:
    for count, record in enumerate(records, start=1):
        yield record
        progress(count, total)


def _not_here(name: str) -> Refusal:
    said = gettext(
        "the dataset %(name)s is not on this machine, and downloads are not allowed here "
        "(IR_DATASETS_DOWNLOAD)"
    )
    return Refusal("no_download", said % {"name": name}, field="ir_dataset", status=403)


logger = logging.getLogger(__name__)

MOST_LOADING_TRIES = 3
LOADING_SILENCE = timedelta(seconds=15)
# Seconds between two looks at how far it is.
PROGRESS_SECONDS = 0.5
UNFINISHED_STATES = (Loading.State.WAITING, Loading.State.RUNNING)
MOST_LOADING_ERRORS = 20


def request_dataset(
    *, campaign: Campaign, user: User, name: str, qrels: bool = False, replace: bool = False
) -> Loading:
    """Have the worker load a data set into the campaign; refused at once if it is not known."""
    name = name.strip()[: LONGEST_DATASET_NAME + 1]
    find_dataset(name, qrels=qrels)
    wish = {
        "name": name,
        "qrels": qrels,
        "replace": replace,
        "asked_by": user,
        "language": translation.get_language() or "en",
        "state": Loading.State.WAITING,
        "documents": 0,
        "total": None,
        "taken": {},
        "noticed": [],
        "problem": None,
        "tries": 0,
        "updated": timezone.now(),
    }
    with transaction.atomic():
        # Two wishes at once: the second finds the first.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        if Loading.objects.filter(campaign=campaign, state__in=UNFINISHED_STATES).exists():
            raise Refusal("loading_already", gettext("a dataset is being loaded already"), status=409)
        loading, _ = Loading.objects.update_or_create(campaign=campaign, defaults=wish)
        request_load(campaign.id)
    return loading


def run_loading(campaign: int) -> None:
    """Load what was asked for, unless it is done or another process is about it."""
    with try_campaign_lock(Space.LOADING, campaign) as free:
        found = Loading.objects.select_related("campaign", "asked_by").filter(campaign=campaign)
        loading = found.first()
        if not free or loading is None or not loading.unfinished:
            return
        if loading.tries == MOST_LOADING_TRIES:
            _end(loading, Loading.State.FAILED)
            return
        found.update(state=Loading.State.RUNNING, tries=loading.tries + 1, updated=timezone.now())
        who = Actor(loading.asked_by_id, loading.asked_by.get_username())
        with translation.override(loading.language), acting_as(who):
            _load(loading)


def _load(loading: Loading) -> None:
    try:
        with _reporting(loading.campaign_id) as progress:
            stored = store_dataset(
                campaign=loading.campaign,
                user=loading.asked_by,
                name=loading.name,
                qrels=loading.qrels,
                replace=loading.replace,
                progress=progress,
            )
    except Refusal as refused:
        _end(loading, Loading.State.REFUSED, problem=_problem(refused.code, refused.detail))
    except FormatError as error:
        code = "judged_documents" if isinstance(error, JudgedTexts) else "bad_dataset"
        _end(loading, Loading.State.REFUSED, problem=_problem(code, str(error), error))
    except Exception:
        _end(loading, Loading.State.FAILED)
        raise
    else:
        said = {"taken": _taken(stored), "noticed": [*stored.noticed]}
        _end(loading, Loading.State.DONE, documents=stored.documents.documents, **said)


def _end(loading: Loading, state: Loading.State, **said: Any) -> None:
    Loading.objects.filter(campaign=loading.campaign_id).update(state=state, updated=timezone.now(), **said)


def _problem(code: str, detail: str, error: FormatError | None = None) -> dict[str, Any]:
    listed = error.errors[:MOST_LOADING_ERRORS] if error else []
    errors = [{"line": one.line, "field": one.field, "detail": one.detail} for one in listed]
    return {"code": code, "detail": detail.split("\n")[0], "errors": errors}


def _taken(stored: StoredDataset) -> dict[str, int]:
    taken = stored.documents.taken
    if stored.topics is not None:
        taken |= {"topics": stored.topics.added, "revised": stored.topics.revised}
    if stored.qrels is not None:
        taken["judgments"] = stored.qrels.added
    return taken


@contextmanager
def _reporting(campaign: int) -> Iterator[Any]:
    """Reports how many documents have been read, outside the transaction that stores them."""
    outside = connections.create_connection(DEFAULT_DB_ALIAS)
    last = 0.0

    def progress(read: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last < PROGRESS_SECONDS:
            return
        last = time.monotonic()
        with outside.cursor() as cursor:
            cursor.execute(
                "UPDATE campaigns_loading SET documents = %s, total = %s, updated = now()"
                " WHERE campaign_id = %s",
                [read, total, campaign],
            )

    try:
        yield progress
    finally:
        outside.close()


def unfinished_loadings() -> list[int]:
    """Campaigns whose data set has not been heard of for a while; a slow one is kept by its lock from being
    loaded twice."""
    silent = timezone.now() - LOADING_SILENCE
    waiting = Loading.objects.filter(state__in=UNFINISHED_STATES, updated__lt=silent)
    return list(waiting.values_list("campaign", flat=True))
