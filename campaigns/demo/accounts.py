"""The demonstration's two accounts. Their passwords are made once and kept beside the data, to be shown
at every start."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User

from campaigns.core.errors import Refused
from campaigns.models import Membership

ROLES = {"ada": Membership.Role.ORGANISER, "grace": Membership.Role.ASSESSOR}


@dataclass(frozen=True)
class Login:
    """`password` is empty when only its hash is left."""

    username: str
    role: str
    password: str


def known_logins(folder: Path) -> list[Login]:
    kept = _kept(folder)
    return [Login(username, role, kept.get(username, "")) for username, role in ROLES.items()]


def make_accounts(folder: Path) -> list[Login]:
    """Both accounts with new passwords. Somebody else's account of such a name is left alone."""
    for username in ROLES:
        if User.objects.filter(username=username).exists():
            raise Refused(
                "user_exists", f"there is an account named “{username}”, which the demo did not make"
            )
    passwords = {username: _pronounceable() for username in ROLES}
    for username, password in passwords.items():
        User.objects.create_user(username=username, password=password)
    _keep(folder, passwords)
    return known_logins(folder)


def _pronounceable() -> str:
    """Easy to type from a screen: `tomiva-kulero`, one of 10¹¹."""
    syllables = [secrets.choice("bdfghklmnprstvz") + secrets.choice("aeiou") for _ in range(6)]
    return "".join(syllables[:3]) + "-" + "".join(syllables[3:])


def _file(folder: Path) -> Path:
    return folder / "logins.json"


def _kept(folder: Path) -> dict[str, str]:
    return dict(json.loads(_file(folder).read_text())) if _file(folder).exists() else {}


def _keep(folder: Path, passwords: dict[str, str]) -> None:
    _file(folder).unlink(missing_ok=True)
    descriptor = os.open(_file(folder), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(passwords, file)
