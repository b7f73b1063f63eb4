"""What the session really runs, by the word of the running programs themselves."""

from collections.abc import Mapping
from contextlib import closing

import celery
import psycopg2
import redis

from tests.plumbing.browser import chromium

really_run: list[str] = []


def lines(urls: Mapping[str, str]) -> list[str]:
    return [
        f"Postgres {_postgres(urls['DATABASE_URL'])}, Redis {_redis(urls['REDIS_URL'])}, "
        f"Celery {celery.__version__}, {chromium.version_or_reason()}"
    ]


def _postgres(url: str) -> str:
    try:
        with closing(psycopg2.connect(url)) as connection:
            return str(connection.get_parameter_status("server_version"))
    except psycopg2.OperationalError:
        return "not started"


def _redis(url: str) -> str:
    try:
        with redis.Redis.from_url(url, retry=None) as client:
            return str(client.info("server")["redis_version"])
    except redis.RedisError:
        return "not started"
