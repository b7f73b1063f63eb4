"""A small OpenID provider on a local port: discovery, authorisation, tokens with PKCE, keys, userinfo.

It approves every sign-in. What it says can be changed, as a provider that errs or is attacked would.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

CLIENT_ID, CLIENT_SECRET = "assess", "a secret of provider and site alone"
KEY_ID = "first"


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def usual_key() -> rsa.RSAPrivateKey:
    return new_key()


class Provider:
    """`person`: claims about who signs in. `changes`: to the ID token's claims; None leaves one out."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.key = self.signing_key = usual_key()
        self.algorithm = "RS256"
        self.person: dict[str, Any] = {}
        self.changes: dict[str, Any] = {}
        self.config_changes: dict[str, Any] = {}
        # Claims that only userinfo has, and its sub if it differs.
        self.thin = False
        self.userinfo_changes: dict[str, Any] = {}
        self.cancels = False
        self.asked: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            **self.config_changes,
        }

    def keys(self) -> dict[str, Any]:
        public = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": KEY_ID, "alg": "RS256", "use": "sig"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes next."""
        assert asked["client_id"] == CLIENT_ID
        assert asked["response_type"] == "code"
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        if self.cancels:
            answer = {"error": "access_denied"}
        else:
            code = secrets.token_urlsafe()
            self._codes[code] = asked
            answer = {"code": code}
        return f"{asked['redirect_uri']}?{urlencode({**answer, 'state': asked['state']})}"

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        asked = self._codes.pop(form.get("code", ""), None)
        expected = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).decode().rstrip("=")
        if (
            asked is None
            or authorization != f"Basic {expected}"
            or form["redirect_uri"] != asked["redirect_uri"]
            or challenge != asked["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "of userinfo", "token_type": "Bearer", "id_token": self._id_token(asked)}

    def _id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        person = {"sub": self.person["sub"]} if self.thin else self.person
        claims = {
            key: value for key, value in {**claims, **person, **self.changes}.items() if value is not None
        }
        key: Any = None if self.algorithm == "none" else self.signing_key
        if self.algorithm == "HS256":
            key = CLIENT_SECRET
        return jwt.encode(claims, key, self.algorithm, headers={"kid": KEY_ID})


class Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.provider.asked.append(parts.path)
        match parts.path:
            case "/.well-known/openid-configuration":
                self._answer(200, self.provider.configuration())
            case "/keys":
                self._answer(200, self.provider.keys())
            case "/userinfo" if self.headers["Authorization"] == "Bearer of userinfo":
                self._answer(200, {**self.provider.person, **self.provider.userinfo_changes})
            case "/authorize":
                self.send_response(302)
                self.send_header("Location", self.provider.authorize(dict(parse_qsl(parts.query))))
                self.send_header("Content-Length", "0")
                self.end_headers()
            case _:
                self._answer(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.provider.asked.append(self.path)
        self._answer(*self.provider.exchange(dict(parse_qsl(body)), self.headers["Authorization"] or ""))

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def running_provider(port: int = 0) -> Iterator[Provider]:
    class OwnHandler(Handler):
        """With a provider of its own, as several may run at once."""

    with ThreadingHTTPServer(("127.0.0.1", port), OwnHandler) as server:
        OwnHandler.provider = Provider(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
        thread.start()
        try:
            yield OwnHandler.provider
        finally:
            server.shutdown()
            thread.join()
