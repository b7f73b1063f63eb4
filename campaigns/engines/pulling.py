"""The worker's part of a pull: ask about one topic after the other, then store the run.

Each answer is committed by itself, so a worker that is killed costs one request. A task works for some
seconds and queues the next, lest judgments wait for it; one pull of an engine is at work at a time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import asdict

from django.db import transaction
from django.db.models import F
from django.utils import timezone, translation
from django.utils.translation import gettext

from campaigns.core.actors import Actor, acting_as
from campaigns.core.database import Space, try_campaign_lock
from campaigns.core.errors import Refusal
from campaigns.engines.configurations import topic_values
from campaigns.engines.engine_client import EngineReply, EngineTrouble, ask, version_of_engine
from campaigns.engines.pulled_runs import store_pulled_run
from campaigns.formats.errors import FormatError, what_is_wrong_with_name
from campaigns.models import EngineAnswer, EnginePull, Topic

State = EnginePull.State
SLICE_SECONDS = 5.0
# Seconds before each further try of a request.
RETRY_PAUSES = (1.0, 3.0, 9.0)
LONGEST_RETRY_PAUSE = 30.0
MOST_PULL_TRIES = 5


def run_pull(id: int) -> bool:
    """Work on a pull for some seconds; True if there is more to do."""
    pulls = EnginePull.objects.select_related("version__configuration__connection__campaign", "asked_by")
    pull = pulls.filter(id=id, state=State.RUNNING).first()
    if pull is None:
        return False
    with try_campaign_lock(Space.PULLING, pull.version.configuration.connection_id) as free:
        # Another task may have ended or paused it meanwhile.
        pull = pulls.filter(id=id, state=State.RUNNING).first() if free else None
        if pull is None:
            return False
        if pull.tries >= MOST_PULL_TRIES:
            _fail(pull, "worker_died", gettext("the worker died over this pull again and again"))
            return False
        _update(pull, tries=pull.tries + 1)
        with (
            translation.override(pull.language),
            acting_as(Actor(pull.asked_by_id, pull.asked_by.get_username())),
        ):
            return _work(pull)


def _work(pull: EnginePull) -> bool:
    try:
        if not pull.answers.exists():
            _update(pull, engine_version=version_of_engine(pull.version.configuration.connection))
        until = time.monotonic() + SLICE_SECONDS
        for topic in _unanswered(pull):
            if not EnginePull.objects.filter(id=pull.id, state=State.RUNNING).exists():
                return False
            _ask_about(pull, topic)
            if time.monotonic() > until:
                return True
        store_pulled_run(pull)
    except EngineTrouble as trouble:
        _fail(pull, "engine_trouble", str(trouble))
    except Refusal as refused:
        _fail(pull, refused.code, refused.detail)
    except FormatError as error:
        _fail(pull, "bad_run", str(error).split("\n")[0])
    return False


def _unanswered(pull: EnginePull) -> Iterator[Topic]:
    campaign = pull.version.configuration.connection.campaign
    answered = pull.answers.values("topic")
    yield from list(campaign.topics.exclude(id__in=answered))


def _ask_about(pull: EnginePull, topic: Topic) -> None:
    """Ask about a topic, again where that may help, and commit the answer."""
    connection = pull.version.configuration.connection
    values = topic_values(pull.version, topic)
    began = time.monotonic()
    for pause in (*RETRY_PAUSES, None):
        try:
            reply = ask(connection, pull.version, values)
            break
        except EngineTrouble as trouble:
            if pause is None or not trouble.passing:
                detail = gettext("topic %(number)s: %(why)s") % {"number": topic.number, "why": trouble}
                raise EngineTrouble(detail) from None
            _update(pull, retries=F("retries") + 1)
            wished = min(trouble.retry_after or 0, LONGEST_RETRY_PAUSE)
            time.sleep(max(pause * random.uniform(0.8, 1.2), wished))  # noqa: S311
    _check_docnos(reply, topic)
    _store_answer(pull, topic, reply)
    # The rate counts from one request to the next.
    time.sleep(max(0.0, 1 / connection.rate - (time.monotonic() - began)))


def _check_docnos(reply: EngineReply, topic: Topic) -> None:
    for place, hit in enumerate(reply.hits, start=1):
        if reason := what_is_wrong_with_name("docno", hit.id):
            detail = gettext("topic %(number)s, hit %(place)s: %(why)s")
            raise EngineTrouble(detail % {"number": topic.number, "place": place, "why": reason})


def _store_answer(pull: EnginePull, topic: Topic, reply: EngineReply) -> None:
    with transaction.atomic():
        # A pull that was removed meanwhile stays removed, and so does a topic.
        held = EnginePull.objects.select_for_update().filter(id=pull.id).first()
        if held is None or not Topic.objects.filter(id=topic.id).exists():
            return
        EngineAnswer.objects.create(
            pull=pull,
            topic=topic,
            revision=topic.revision,
            hits=[asdict(hit) for hit in reply.hits],
            count=len(reply.hits),
            duplicates=reply.duplicates,
            milliseconds=reply.milliseconds,
        )
        _update(pull, tries=0)


def _update(pull: EnginePull, **values: object) -> None:
    EnginePull.objects.filter(id=pull.id).update(updated=timezone.now(), **values)


def _fail(pull: EnginePull, code: str, detail: str) -> None:
    """End the pull for now; its answers stay, and it can be resumed."""
    rows = EnginePull.objects.filter(id=pull.id, state=State.RUNNING)
    rows.update(state=State.FAILED, problem={"code": code, "detail": detail}, updated=timezone.now())
