"""What a session and a stored password are made of, and when a session ends."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from django.conf import settings as project
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.campaigns.factories import make_user, signed_in

NAME, PASSWORD = "ada", "long enough to pass"
TWO_WEEKS = 14 * 24 * 3600
# The tests hash passwords in one round, so the site's own hashers are read outside of them.
SHOW = "import json; from config import settings; from django.conf import global_settings as usual; "
SHOW += "print(json.dumps(getattr(settings, 'PASSWORD_HASHERS', usual.PASSWORD_HASHERS)))"


def sign_in(client: Client) -> str:
    """The key of the session."""
    User.objects.create_user(NAME, password=PASSWORD)
    client.post("/sign-in/", {"username": NAME, "password": PASSWORD})
    return client.cookies["sessionid"].value


@pytest.mark.django_db
def test_signing_in_takes_a_new_random_key() -> None:
    client = Client()
    planted = client.session
    planted["planted"] = True
    planted.save()
    key = sign_in(client)
    # 32 of 36 characters by `secrets` are 165 bits.
    assert (len(key), key == planted.session_key) == (32, False)
    assert not Session.objects.filter(session_key=planted.session_key).exists()


@pytest.mark.django_db
def test_signing_out_ends_the_session_on_the_server() -> None:
    client = Client()
    key = sign_in(client)
    client.post("/sign-out/")
    again = Client()
    again.cookies["sessionid"] = key
    assert again.get("/campaigns/").status_code == 302
    assert not Session.objects.filter(session_key=key).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["deactivated", "deleted", "new password"])
def test_a_session_ends_with_its_account_or_password(end: str) -> None:
    user = make_user(NAME)
    client = signed_in(NAME)
    assert client.get("/campaigns/").status_code == 200
    if end == "deleted":
        user.delete()
    else:
        user.is_active = end != "deactivated"
        user.password = "changed" if end == "new password" else user.password
        user.save()
    assert client.get("/campaigns/").status_code == 302
    assert client.get("/api/v1/campaigns/").status_code == 401


@pytest.mark.django_db
def test_use_does_not_extend_a_session() -> None:
    make_user(NAME)
    client = signed_in(NAME)
    ends = Session.objects.get().expire_date
    for _ in range(2):
        answer = client.get("/campaigns/")
        assert (answer.status_code, "sessionid" in answer.cookies) == (200, False)
    assert Session.objects.get().expire_date == ends
    assert 0.9 * TWO_WEEKS < (ends - timezone.now()).total_seconds() <= TWO_WEEKS


def test_passwords_are_hashed_slowly() -> None:
    done = subprocess.run([sys.executable, "-c", SHOW], cwd=project.BASE_DIR, capture_output=True, check=True)
    assert json.loads(done.stdout)[0] == "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    assert PBKDF2PasswordHasher.iterations >= 600_000
    assert PBKDF2PasswordHasher().encode(PASSWORD, "salt", 1).startswith("pbkdf2_sha256$")
