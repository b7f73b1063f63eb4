"""The commands and the Python of docs/api.md, run as they stand there against the live site."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from campaigns.people import tokens
from config.embedded.machine import PROJECT
from tests.campaigns.factories import make_campaign
from tests.plumbing.programs import finished

DOCS = (PROJECT / "docs" / "api.md").read_text()
COMMANDS = re.findall(r"```sh\n(.*?)```", DOCS, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
# The interpreter of the tests, whatever the system has.
PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"


def secret_of_an_organiser() -> str:
    make_campaign("News 2026")
    user = User.objects.get(username="News 2026-ada")
    return tokens.make(user=user, name="docs", scopes=["read", "judge", "organise"])[1]


def test_each_command_does_what_is_said(live_site: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    secret = secret_of_an_organiser()
    assert COMMANDS
    for command in COMMANDS:
        done = finished(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=PROJECT,
            env={"PATH": PATH, "SITE": live_site, "TOKEN": secret},
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert done.stdout


def test_the_python_does_what_is_said(live_site: str, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = PYTHON
    exec(example, {"SITE": live_site, "TOKEN": secret_of_an_organiser()})
    said = capsys.readouterr().out
    assert "/nonexistent.run: no such file" in said
    assert "[201, 201]" in said
