"""Addresses that take files: how large a file each takes, and who may send one.

The web server asks before it stores a byte. Views check the same again, by the rules of the API.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from http.cookies import CookieError, SimpleCookie
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.db import Error, close_old_connections
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from campaigns.formats.errors import COLLECTION_BYTES, LAB_BYTES, QRELS_BYTES, RUN_BYTES, TOPICS_BYTES
from campaigns.formats.recognition.heads import HEAD_BYTES
from campaigns.people.members import role_of
from campaigns.people.teams import place_of
from campaigns.people.tokens import find_token

# A form's other fields, and what stands around the file in it.
FORM_BYTES = 1 << 20

FILE_BYTES = {
    "api:collection": COLLECTION_BYTES,
    "api:topics": TOPICS_BYTES,
    "api:runs": RUN_BYTES,
    "api:qrels": QRELS_BYTES,
    "api:files": COLLECTION_BYTES,
    "api:recognition": HEAD_BYTES,
    "api:training-items": TOPICS_BYTES,
    "campaigns:training": TOPICS_BYTES,
    "campaigns:new-from-bundle": COLLECTION_BYTES,
    "api:lab-collections": LAB_BYTES,
    "lab:home": LAB_BYTES,
    "api:team-runs": RUN_BYTES,
    "campaigns:team": RUN_BYTES,
}
# All others are the organisers'.
OF_PARTICIPANTS = frozenset({"api:team-runs", "campaigns:team"})

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True)
class UploadAddress:
    """`slug`: the campaign's, or None where the upload makes one. `max_bytes`: of the whole request body.
    `of_participants`: whether teams send files there."""

    slug: str | None
    max_bytes: int
    of_participants: bool = False


class Sender(Enum):
    ADMITTED = auto()
    NOT_ADMITTED = auto()
    UNKNOWN = auto()


def upload_address(method: str, path: str, headers: Headers) -> UploadAddress | None:
    """The address of a form with files, or None where files are not taken."""
    if method != "POST" or not header(headers, b"content-type").lower().startswith(b"multipart/form-data"):
        return None
    try:
        match = resolve(path)
    except Resolver404:
        return None
    file_bytes = FILE_BYTES.get(match.view_name)
    if file_bytes is None:
        return None
    # No file is longer packed than unpacked, but for a few bytes.
    most = min(file_bytes, settings.MAX_UNPACKED_BYTES) + FORM_BYTES
    return UploadAddress(match.kwargs.get("slug"), most, match.view_name in OF_PARTICIPANTS)


def names_sender(headers: Headers) -> bool:
    """True if a request names an account at all, truly or not."""
    session = f"{settings.SESSION_COOKIE_NAME}=".encode()
    return bool(header(headers, b"authorization")) or session in header(headers, b"cookie")


def find_sender(headers: Headers, address: UploadAddress | None) -> Sender:
    """Find the account that sends this, and check that it may send files to `address`. Reads the database."""
    close_old_connections()
    try:
        user = _token_owner(headers) or _session_owner(headers)
        if user is None:
            return Sender.UNKNOWN
        if address is None or address.slug is None:
            return Sender.ADMITTED
        return Sender.ADMITTED if _may_send(user, address.slug, address) else Sender.NOT_ADMITTED
    except Error:
        # The view meets the same error, and answers as the site does without its database.
        return Sender.NOT_ADMITTED
    finally:
        close_old_connections()


def _may_send(user: User, slug: str, address: UploadAddress) -> bool:
    if address.of_participants:
        return place_of(user=user, slug=slug) is not None
    role = role_of(user=user, slug=slug)
    return role is not None and role.is_organiser


def header(headers: Headers, name: bytes) -> bytes:
    """The header of this lower-case name, or nothing; several are joined as HTTP has it."""
    joint = b"; " if name == b"cookie" else b", "
    return joint.join(value for key, value in headers if key == name)


def _token_owner(headers: Headers) -> User | None:
    words = header(headers, b"authorization").decode("latin-1").split()
    if len(words) != 2 or words[0].lower() != "token":
        return None
    token = find_token(words[1])
    return token.user if token else None


def _session_owner(headers: Headers) -> User | None:
    try:
        cookies = SimpleCookie(header(headers, b"cookie").decode("latin-1"))
    except CookieError:
        return None
    cookie = cookies.get(settings.SESSION_COOKIE_NAME)
    if cookie is None:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookie.value)
    user = get_user(request)
    return user if isinstance(user, User) else None
