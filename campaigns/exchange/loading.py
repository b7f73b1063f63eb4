"""Data sets that are loaded by the worker, since it may take minutes: asked for, run, and how it stands."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext

from campaigns.core.actors import Actor, acting_as
from campaigns.core.database import Space, alone
from campaigns.core.errors import Refused
from campaigns.core.jobs import request_load
from campaigns.exchange.datasets import LONGEST_NAME, StoredDataset, find, store_dataset
from campaigns.formats.errors import FormatError
from campaigns.models import Campaign, Loading

logger = logging.getLogger(__name__)

MOST_TRIES = 3
SILENT = timedelta(seconds=15)
# Seconds between two looks at how far it is.
TOLD_EVERY = 0.5
UNFINISHED = (Loading.State.WAITING, Loading.State.RUNNING)
LISTED = 20


def ask(*, campaign: Campaign, user: User, name: str, qrels: bool = False) -> Loading:
    """Have the worker load a data set into the campaign; refused at once if it is not known."""
    name = name.strip()[: LONGEST_NAME + 1]
    find(name, qrels=qrels)
    wish = {
        "name": name,
        "qrels": qrels,
        "asked_by": user,
        "language": translation.get_language() or "en",
        "state": Loading.State.WAITING,
        "documents": 0,
        "total": None,
        "taken": {},
        "problem": None,
        "tries": 0,
        "updated": timezone.now(),
    }
    with transaction.atomic():
        # Two wishes at once: the second finds the first.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        if Loading.objects.filter(campaign=campaign, state__in=UNFINISHED).exists():
            raise Refused("loading_already", gettext("a data set is being loaded already"), status=409)
        loading, _ = Loading.objects.update_or_create(campaign=campaign, defaults=wish)
        request_load(campaign.id)
    return loading


def run(campaign: int) -> None:
    """Load what was asked for, unless it is done or another process is about it."""
    with alone(Space.LOADING, campaign) as free:
        found = Loading.objects.select_related("campaign", "asked_by").filter(campaign=campaign)
        loading = found.first()
        if not free or loading is None or not loading.unfinished:
            return
        if loading.tries == MOST_TRIES:
            _end(loading, Loading.State.FAILED)
            return
        found.update(state=Loading.State.RUNNING, tries=loading.tries + 1, updated=timezone.now())
        who = Actor(loading.asked_by_id, loading.asked_by.get_username())
        with translation.override(loading.language), acting_as(who):
            _load(loading)


def _load(loading: Loading) -> None:
    try:
        with _told(loading.campaign_id) as progress:
            stored = store_dataset(
                campaign=loading.campaign,
                user=loading.asked_by,
                name=loading.name,
                qrels=loading.qrels,
                progress=progress,
            )
    except Refused as refused:
        _end(loading, Loading.State.REFUSED, problem=_problem(refused.code, refused.detail))
    except FormatError as error:
        _end(loading, Loading.State.REFUSED, problem=_problem("bad_dataset", str(error), error))
    except Exception:
        _end(loading, Loading.State.FAILED)
        raise
    else:
        _end(loading, Loading.State.DONE, taken=_taken(stored), documents=stored.documents)


def _end(loading: Loading, state: Loading.State, **said: Any) -> None:
    Loading.objects.filter(campaign=loading.campaign_id).update(state=state, updated=timezone.now(), **said)


def _problem(code: str, detail: str, error: FormatError | None = None) -> dict[str, Any]:
    listed = error.errors[:LISTED] if error else []
    errors = [{"line": one.line, "field": one.field, "detail": one.detail} for one in listed]
    return {"code": code, "detail": detail.split("\n")[0], "errors": errors}


def _taken(stored: StoredDataset) -> dict[str, int]:
    taken = {"documents": stored.documents}
    if stored.topics is not None:
        taken |= {"topics": stored.topics.added, "revised": stored.topics.revised}
    if stored.qrels is not None:
        taken["judgments"] = stored.qrels.added
    return taken


@contextmanager
def _told(campaign: int) -> Iterator[Any]:
    """Tells how many documents have been read, outside the transaction that stores them."""
    outside = connections.create_connection(DEFAULT_DB_ALIAS)
    last = 0.0

    def progress(read: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last < TOLD_EVERY:
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


def unfinished() -> list[int]:
    """Campaigns whose data set has not been heard of for a while; a slow one is kept by its lock from being
    loaded twice."""
    silent = timezone.now() - SILENT
    waiting = Loading.objects.filter(state__in=UNFINISHED, updated__lt=silent)
    return list(waiting.values_list("campaign", flat=True))
