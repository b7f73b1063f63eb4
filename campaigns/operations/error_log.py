"""The latest errors of web servers and workers, kept in Redis for the administration page. The logs are the
record: these are lost with Redis, and the oldest go first."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from redis.exceptions import RedisError

from campaigns.core.broker import broker

KEY = "errors"
KEPT = 50
LONGEST_MESSAGE = 500


@dataclass(frozen=True)
class LoggedError:
    at: datetime
    source: str
    message: str


class ErrorHandler(logging.Handler):
    """A logging handler for errors."""

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            message = f"{message}: {type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
        entry = {"at": record.created, "source": record.name, "message": message[:LONGEST_MESSAGE]}
        try:
            broker().lpush(KEY, json.dumps(entry))
            broker().ltrim(KEY, 0, KEPT - 1)
        except RedisError:
            # Its own trouble must not become another error.
            return


def latest_errors() -> list[LoggedError]:
    """The newest first; RedisError where Redis is away."""
    rows = [json.loads(row) for row in cast("list[bytes]", broker().lrange(KEY, 0, KEPT - 1))]
    return [
        LoggedError(datetime.fromtimestamp(row["at"], UTC), row["source"], row["message"]) for row in rows
    ]
