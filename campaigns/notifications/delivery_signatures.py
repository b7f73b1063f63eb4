"""Secrets that deliveries are signed with, and signatures as "Standard Webhooks" 1.0 has them.

A secret is shown once. It has to be read again for every delivery, so it is not hashed but sealed with a key
made of the site's own: who gets hold of the database alone cannot sign."""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Iterable

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PREFIX = "whsec_"
SECRET_BYTES = 32


class UnreadableSecret(Exception):
    """Sealed with a key that is neither SECRET_KEY nor among SECRET_KEY_FALLBACKS."""


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def seal(secret: str) -> str:
    return _seals().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    try:
        return _seals().decrypt(sealed).decode()
    except InvalidToken:
        raise UnreadableSecret from None


def signatures(*, keys: Iterable[str], id: str, timestamp: int, body: bytes) -> str:
    """The header's value: one signature for each secret; the receiver's must be among them."""
    signed = f"{id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_signature(secret, signed)}" for secret in keys)


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def _seals() -> MultiFernet:
    """Seals with SECRET_KEY, and also opens what was sealed with a former one."""
    return MultiFernet([_seal(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _seal(secret_key: str) -> Fernet:
    key = HKDF(SHA256(), 32, salt=None, info=b"assess: sealing secrets of webhooks")
    return Fernet(base64.urlsafe_b64encode(key.derive(secret_key.encode())))
