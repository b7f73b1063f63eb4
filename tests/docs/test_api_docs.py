"""The commands of docs/api.md, run as they stand there against the live site."""

import re
import shutil
import subprocess

import pytest
from django.contrib.auth.models import User

from campaigns.services import tokens
from config.embedded.places import PROJECT
from tests.campaigns.building import make_campaign

COMMANDS = re.findall(r"```sh\n(.*?)```", (PROJECT / "docs" / "api.md").read_text(), re.DOTALL)


def test_each_command_does_what_is_said(live_site: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    make_campaign("News 2026")
    user = User.objects.get(username="News 2026-ada")
    _, secret = tokens.make(user=user, name="docs", scopes=["read", "judge", "organise"])
    assert COMMANDS
    for command in COMMANDS:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            env={"PATH": "/usr/bin:/bin", "SITE": live_site, "TOKEN": secret},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert done.stdout
