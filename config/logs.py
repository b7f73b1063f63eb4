"""The logs of web server, worker and commands: lines for people, or one JSON object a line for programs.

Each object has `timestamp`, `level`, `logger` and `event`; in a request `request_id`, `user_id` (once it is
known) and `campaign` (its address); in a task `task`, `task_id` and `campaign_id`; with an error `exception`.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import structlog
from django.http import HttpRequest
from django.utils.functional import LazyObject, empty
from structlog.typing import EventDict, Processor, WrappedLogger

from config.environment import one_of

STYLES = ("plain", "json")

request_of_thread: ContextVar[HttpRequest | None] = ContextVar("request_of_thread", default=None)


def log_settings(name: str, level: str) -> dict[str, Any]:
    """Django's setting LOGGING, in the style that this variable of the environment names."""
    style = one_of(name, "plain", STYLES)
    settings: dict[str, Any] = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _chain(),
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
                ],
            },
        },
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": style},
            "errors": {"class": "campaigns.operations.error_log.ErrorHandler", "level": "ERROR"},
        },
        "root": {"handlers": ["console", "errors"], "level": level},
        # Who signed in is logged at every level.
        "loggers": {"campaigns.people.sign_in_log": {"level": "INFO"}},
    }
    if style == "json":
        # uvicorn has given its loggers handlers of its own by now.
        names = ("uvicorn", "uvicorn.error", "uvicorn.access")
        settings["loggers"] |= {name: {"handlers": [], "propagate": True} for name in names}
    return settings


def start_request(request: HttpRequest, request_id: str) -> None:
    """From now on, what this thread logs is about this request. The next one starts without: the last line of
    a request is written after all middleware is through."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=request_id)
    request_of_thread.set(request)


def _chain() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        _add_request,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]


def _add_request(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    request = request_of_thread.get()
    if request is None:
        return event
    if (user := _known_user(request)) is not None:
        event["user_id"] = user
    if request.resolver_match is not None and "slug" in request.resolver_match.kwargs:
        event["campaign"] = request.resolver_match.kwargs["slug"]
    return event


def _known_user(request: HttpRequest) -> int | None:
    """Without looking it up: a log line must not depend on the database."""
    user = request.__dict__.get("user")
    if isinstance(user, LazyObject) and user.__dict__.get("_wrapped", empty) is empty:
        return None
    return getattr(user, "pk", None)
