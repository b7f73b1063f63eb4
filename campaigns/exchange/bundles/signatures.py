"""Signature of a bundle's maker: Ed25519 over its manifest, which holds the checksums of all the rest."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from campaigns.core.errors import Refusal

ALGORITHM = "Ed25519"
_PURPOSE = b"assess: signing bundles"
_BEGINNING = b"assess bundle\n"


def signature_of(manifest: bytes) -> dict[str, str]:
    key = _key()
    return {
        "algorithm": ALGORITHM,
        "public_key": key.public_key().public_bytes_raw().hex(),
        "signature": key.sign(_BEGINNING + manifest).hex(),
    }


def own_key_or_empty() -> str:
    """The site's public key, or nothing where it has no secret of its own to make one of."""
    try:
        return own_key()
    except Refusal:
        return ""


def own_key() -> str:
    """The public key by which others know this site's bundles."""
    return _key().public_key().public_bytes_raw().hex()


def is_signed(manifest: bytes, *, public_key: str, signature: str) -> bool:
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(signature), _BEGINNING + manifest)
    except (ValueError, InvalidSignature):
        return False
    return True


def _key() -> Ed25519PrivateKey:
    secret = settings.BUNDLE_KEY or settings.SECRET_KEY
    if secret == settings.UNSAFE_SECRET_KEY:
        detail = "bundles are signed with a key of this site: set BUNDLE_KEY or SECRET_KEY"
        raise Refusal("no_key", detail, status=503)
    derived = HKDF(SHA256(), 32, salt=None, info=_PURPOSE).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(derived)
