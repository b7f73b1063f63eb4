"""A client's line to the server: one kept connection, and the ways in which a line goes bad."""

from __future__ import annotations

import http.client
import json
import time
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

KEPT_ALIVE_SECONDS = 4
PATIENCE = 60.0


class Line:
    def __init__(self, site: str, user: User) -> None:
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        token = "x" * 32
        encrypted = urlsplit(site).scheme == "https"
        # A site behind TLS gives its cookies this prefix; these tests' own settings are of one without.
        prefix = "__Host-" if encrypted else ""
        self.cookies = f"{prefix}sessionid={session}; {prefix}csrftoken={token}"
        self._headers = {
            "Cookie": self.cookies,
            "X-CSRFToken": token,
            "X-Assessor": str(user.id),
            "Content-Type": "application/json",
            # Asked for wherever the line is encrypted.
            "Referer": f"{site}/",
        }
        kind = http.client.HTTPSConnection if encrypted else http.client.HTTPConnection
        self._connection = kind(urlsplit(site).netloc, timeout=120)
        # Answers by the web process that a proxy names.
        self.answers: Counter[str] = Counter()
        self._used = 0.0

    def get(self, path: str) -> tuple[int, Any]:
        return self._exchange("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        return self._exchange("POST", path, body)

    def _exchange(self, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
        """Until it is answered: a kept connection may have ended just now. A server that is gone does not
        come back."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self._send(method, path, body)
                return self._answer()
            except (http.client.HTTPException, ConnectionError):
                self._connection.close()
                if time.monotonic() > until:
                    raise

    def post_and_hang_up(self, path: str, body: dict[str, Any]) -> None:
        """The request may arrive or not; its answer does not."""
        self._send("POST", path, body)
        self._connection.close()

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> None:
        if time.monotonic() - self._used > KEPT_ALIVE_SECONDS:
            # The server has hung up by now.
            self._connection.close()
        data = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, data, self._headers)

    def _answer(self) -> tuple[int, Any]:
        response = self._connection.getresponse()
        answer = response.read()
        self._used = time.monotonic()
        self.answers[response.headers.get("Web", "")] += 1
        return response.status, json.loads(answer) if answer else None
