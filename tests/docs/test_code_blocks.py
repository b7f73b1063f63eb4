"""Every code block of the docs: `sh demo` runs here on the demo, from a fresh site to qrels.

The blocks of api.md, cookbook.md and webhooks.md run in tests of their own. What needs hours, containers
or another server is read: its syntax, its commands and their options.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from campaigns.management.demo import loading
from config.embedded.machine import PROJECT
from config.embedded.processes import Child
from tests.docs.generated.command_reference import parser_of
from tests.docs.pages import Block, blocks
from tests.plumbing.programs import finished

KINDS = {"sh", "sh demo", "python", "json", "text"}
COMPOSE = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
COMPOSE_COMMANDS = {"build", "up", "run", "stop", "exec", "logs", "down", "ps", "pull"}
# The number of judgments that the tutorial's script makes, in topic 5.
BY_SCRIPT = 10


def name_of(block: Block) -> str:
    return f"{block.page}: {block.code.strip().splitlines()[0][:40]}"


def calls(block: Block) -> list[list[str]]:
    """The words of each line, without variables set before and what follows a pipe or redirection."""
    joined = re.sub(r"\\\n", " ", block.code)
    found = []
    for line in joined.splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words.pop(0)
        ends = [place for place, word in enumerate(words) if word in ("|", ">", "&&")]
        found.append(words[: ends[0]] if ends else words)
    return [words for words in found if words]


def test_every_block_says_what_it_is() -> None:
    assert {block.kind for block in blocks()} <= KINDS


@pytest.mark.parametrize("block", blocks("sh"), ids=name_of)
def test_commands_and_their_options_exist(block: Block) -> None:
    done = finished(["bash", "-n", "-c", block.code])
    assert done.returncode == 0, done.stderr
    for words in calls(block):
        if "manage.py" in words:
            command, *arguments = words[words.index("manage.py") + 1 :]
            if command == "help":
                parser_of(arguments[0])
                continue
            # An unknown option or a wrong value ends the test with the parser's words.
            parser_of(command).parse_args(arguments)
        if words[:2] == ["docker", "compose"]:
            assert words[2] in COMPOSE_COMMANDS
        if words[0] == "make":
            assert re.search(rf"^{words[1]}:", (PROJECT / "Makefile").read_text(), re.MULTILINE)


def test_compose_services_in_the_docs_exist() -> None:
    stopped = [
        words[3:]
        for block in blocks("sh")
        for words in calls(block)
        if words[:3] == ["docker", "compose", "stop"]
    ]
    assert stopped
    assert {service for services in stopped for service in services} <= set(COMPOSE["services"])


@pytest.fixture
def demo(
    celery_worker: Child, live_site: str, live_environment: dict[str, str], demo_folder: Path, tmp_path: Path
) -> tuple[Path, dict[str, str]]:
    """A folder like that of a clone in which the demo runs, and its environment."""
    (tmp_path / ".embedded").mkdir()
    place = tmp_path / ".embedded" / "demo"
    place.mkdir()
    for file in demo_folder.iterdir():
        (place / file.name).symlink_to(file)
    loading.load(place)
    (tmp_path / "manage.py").symlink_to(PROJECT / "manage.py")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return tmp_path, {**live_environment, "PATH": path, "PYTHONPATH": str(PROJECT), "SITE": live_site}


def test_the_tutorial_ends_with_qrels(demo: tuple[Path, dict[str, str]]) -> None:
    folder, environment = demo
    said = {}
    for block in [
        one for page in ("tutorial.md", "commands.md") for one in blocks("sh demo") if one.page == page
    ]:
        done = finished(["bash", "-euo", "pipefail", "-c", block.code], cwd=folder, env=environment)
        assert done.returncode == 0, (block.code, done.stdout, done.stderr)
        said[block.code] = done.stdout
    lines = {name: (folder / name).read_text().splitlines() for name in ("demo.qrels", "script.qrels")}
    assert all(len(line.split()) == 4 for line in lines["script.qrels"])
    assert len(lines["script.qrels"]) == len(lines["demo.qrels"]) + BY_SCRIPT
    table = next(out for code, out in said.items() if "evaluate" in code)
    assert "okapi-all-fields" in table
