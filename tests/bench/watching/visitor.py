"""A signed-in browser, as far as HTTP goes: cookies, one kept connection, no parsing of pages."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

KEPT_ALIVE_SECONDS = 4
PASSWORD = "only for the bench"


class Visitor:
    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._cookies: dict[str, str] = {}
        self._used = 0.0

    def sign_in(self, username: str, password: str) -> None:
        self.request("GET", "/sign-in/")
        form = {"username": username, "password": password}
        status, _ = self.form("/sign-in/", form)
        if status != 302:
            raise RuntimeError(f"{username} could not sign in: {status}")

    def form(self, path: str, fields: dict[str, str]) -> tuple[int, bytes]:
        fields = {**fields, "csrfmiddlewaretoken": self._cookies.get("csrftoken", "")}
        return self.request("POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def get(self, path: str) -> Any:
        status, body = self.request("GET", path)
        if status not in (200, 204):
            raise RuntimeError(f"GET {path}: {status} {body[:300]!r}")
        return json.loads(body) if body else None

    def post(self, path: str, body: dict[str, Any]) -> Any:
        status, answer = self.request("POST", path, json.dumps(body).encode(), "application/json")
        if status not in (200, 201):
            raise RuntimeError(f"POST {path}: {status} {answer[:300]!r}")
        return json.loads(answer)

    def upload(self, path: str, name: str, content: bytes) -> Any:
        boundary = uuid.uuid4().hex
        head = f'Content-Disposition: form-data; name="file"; filename="{name}"'
        lines = [f"--{boundary}", head, "Content-Type: application/octet-stream", "", ""]
        body = "\r\n".join(lines).encode() + content + f"\r\n--{boundary}--\r\n".encode()
        status, answer = self.request("POST", path, body, f"multipart/form-data; boundary={boundary}")
        if status != 201:
            raise RuntimeError(f"POST {path}: {status} {answer[:300]!r}")
        return json.loads(answer)

    def request(
        self, method: str, path: str, body: bytes | None = None, content_type: str = ""
    ) -> tuple[int, bytes]:
        headers = self._headers()
        if content_type:
            headers["Content-Type"] = content_type
        if time.monotonic() - self._used > KEPT_ALIVE_SECONDS:
            # The server has hung up by now.
            self._connection.close()
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        self._keep(response)
        answer = response.read()
        self._used = time.monotonic()
        return response.status, answer

    def events(self, path: str) -> Iterator[tuple[str, Any]]:
        """The server-sent events of a stream, on a connection of its own, until it is closed."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        connection.request("GET", path, headers=self._headers())
        response = connection.getresponse()
        kind = ""
        for line in iter(response.readline, b""):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)

    @property
    def cookies(self) -> str:
        """As a request's header has them."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def _headers(self) -> dict[str, str]:
        headers = {"Cookie": self.cookies, "X-CSRFToken": self._cookies.get("csrftoken", "")}
        return {name: value for name, value in headers.items() if value}

    def _keep(self, response: http.client.HTTPResponse) -> None:
        for header in response.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(header).items():
                self._cookies[name] = morsel.value
