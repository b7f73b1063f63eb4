"""The sections of docs/commands.md, one for each command, as its parser describes itself."""

from __future__ import annotations

import re
from argparse import Action, ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from django.core.management import get_commands, load_command_class

from config.embedded.cli import serve_parser
from config.embedded.machine import PROJECT

PAGE = PROJECT / "docs" / "commands.md"
# Rows of so many commands stand in one table.
SHARED = 4
TABLE_HEAD = "| argument | meaning |\n|---|---|"
BEGIN, END = "<!-- commands -->\n", "<!-- end -->\n"
# Django's own command behind a check of ours: Django documents its options.
OF_DJANGO = {"migrate", "createsuperuser"}
# Handled before Django: the supervisor's own.
SUPERVISORS = {"serve", "demo"}
# Of every Django command.
OPTIONS_OF_ALL = {
    *("-h", "--help", "-v", "--version", "--verbosity", "--settings", "--pythonpath"),
    *("--traceback", "--no-color", "--force-color", "--skip-checks"),
}
LIST_OF_FORMS = re.compile(r"\. Forms: .*", re.DOTALL)


def page() -> str:
    """Return the page with its sections as they follow from the parsers."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return before + BEGIN + "\n".join(_sections()) + END + rest.partition(END)[2]


def commands_of_ours() -> set[str]:
    return {name for name, app in get_commands().items() if app in ("campaigns", "assess")} - OF_DJANGO


def parser_of(command: str) -> ArgumentParser:
    if command in SUPERVISORS:
        return serve_parser(command)
    app = get_commands()[command]
    assert isinstance(app, str)
    return load_command_class(app, command).create_parser("manage.py", command)


def own_actions(parser: ArgumentParser) -> list[Action]:
    return [one for one in parser._actions if not set(one.option_strings) & OPTIONS_OF_ALL]


def _sections() -> Iterator[str]:
    parsers = {command: parser_of(command) for command in sorted(commands_of_ours() | SUPERVISORS)}
    rows = {name: [_row(parser, one) for one in own_actions(parser)] for name, parser in parsers.items()}
    counts = Counter(row for own in rows.values() for row in own)
    shared = {row: f"`{row.split('`')[1].split()[0]}`" for row, count in counts.items() if count >= SHARED}
    yield f"### Arguments of several commands\n\n{TABLE_HEAD}"
    yield from shared
    yield ""
    for command, own in rows.items():
        yield f"### {command}\n\n{_escaped(parsers[command].description or '')}\n"
        yield f"Shortest form: `{shortest_form(command, parsers[command])}`\n\n{TABLE_HEAD}"
        yield from sorted((row for row in own if row not in shared), key=lambda row: row.startswith("| `-"))
        yield ""
        if others := [shared[row] for row in own if row in shared]:
            yield f"Also [these arguments](#arguments-of-several-commands): {', '.join(others)}.\n"


def shortest_form(command: str, parser: ArgumentParser) -> str:
    """The command with what it cannot do without; of alternatives the first."""
    groups = parser._mutually_exclusive_groups
    first = {group._group_actions[0] for group in groups if group.required}
    others = {one for group in groups for one in group._group_actions} - first
    needed = [one for one in own_actions(parser) if one in first or (one.required and one not in others)]
    return " ".join([command, *(_shown(one).replace("\\|", "|") for one in needed)])


def _row(parser: ArgumentParser, action: Action) -> str:
    words = parser._get_formatter()._expand_help(action)
    if isinstance(action.default, Path):
        words = words.replace(str(action.default), "`.embedded` in the program’s folder")
    words = LIST_OF_FORMS.sub(". [All measures](measures.md#all-measures)", words)
    required = " **Required.**" if action.option_strings and action.required else ""
    return f"| `{_shown(action)}` | {_escaped(words)}{required} |"


def _shown(action: Action) -> str:
    value = action.metavar or (
        "\\|".join(map(str, action.choices)) if action.choices else action.dest.upper().replace("_", "-")
    )
    if action.nargs in ("+", "*"):
        value = f"{value}…"
    value = str(value).replace("\\|", "|").replace("|", "\\|")
    if not action.option_strings:
        return value
    return action.option_strings[-1] if action.nargs == 0 else f"{action.option_strings[-1]} {value}"


def _escaped(words: str) -> str:
    """Text that Markdown shows as it is written."""
    return re.sub(r"([|*<>_\[\]])", r"\\\1", words).replace("\\[All measures\\](", "[All measures](")
