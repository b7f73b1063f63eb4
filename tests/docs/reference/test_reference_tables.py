"""Every setting and command that the docs name exists, and those that exist are in the docs."""

import ast
import re
from argparse import SUPPRESS
from pathlib import Path
from types import ModuleType

import pytest
from django.apps import apps

from config.embedded.cli import serve_parser
from config.embedded.machine import PROJECT
from tests.docs.generated import campaign_settings, command_reference, error_codes, limits
from tests.docs.generated.command_reference import (
    OPTIONS_OF_ALL,
    SUPERVISORS,
    commands_of_ours,
    own_actions,
    parser_of,
)
from tests.plumbing.programs import finished

README = (PROJECT / "README.md").read_text()
COMMANDS, SETTINGS, OPERATIONS = (
    (PROJECT / "docs" / name).read_text() for name in ("commands.md", "settings.md", "operations.md")
)
# The reading of a setting: env.str("NAME"…), os.environ.get("NAME"…).
READ = re.compile(
    r"(?:\benv\.\w+|environ\.get|\b(?:boolean|whole|number|port|one_of|log_level|time_zone|rate|origins|hosts_and_networks|\w+_settings))\(\s*\"([A-Z][A-Z_]+)\""
)
# Set by the supervisor for its children, or by Django's own convention, never by hand.
INTERNAL = {"DJANGO_SETTINGS_MODULE", "XDG_RUNTIME_DIR", "PYTHONPATH", "PATH"}
# Defaults that the program computes, so the table describes them.
COMPUTED_DEFAULTS = {
    "SECRET_KEY": "generated at the first start, stored in the data folder",
    "DATA_DIR": "`.embedded` in the program’s folder",
    "LOG_FORMAT": "`plain`",
    "OPENID_NAME": "the issuer’s host name",
    "FILE_UPLOAD_TEMP_DIR": "the system’s folder for temporary files",
}
# Beginnings of what is no phrase of a noun or a verb.
FRAGMENT = re.compile(r"(of|what|whether|how|from|by|after|as|the same|\d)\b", re.IGNORECASE)
# Options of a value that is only used where it is given, and those of which one of several must be given.
WITHOUT_DEFAULT = {
    *("--runs", "--qrels", "--prels", "--strata", "--orders", "--collection", "--ir-dataset", "--judgments"),
    *("--per-topic", "--residual", "--tau", "--topic-method", "--page", "--figure"),
    *("--order-out", "--qrels-out", "--prels-out", "--strata-out", "--subtopics"),
}


def table(page: str) -> list[list[str]]:
    """The rows of the page's table, cell by cell."""
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def sources() -> list[str]:
    files = [*(PROJECT / "config").rglob("*.py"), PROJECT / "manage.py"]
    return [file.read_text() for file in files]


def settings_that_are_read() -> set[str]:
    return {name for source in sources() for name in READ.findall(source)} - INTERNAL


def literal_defaults() -> dict[str, set[str]]:
    """By setting: the defaults that its readers are called with, as the table shows them."""
    found: dict[str, set[str]] = {}
    for call in (node for source in sources() for node in ast.walk(ast.parse(source))):
        match call:
            case ast.Call(args=[ast.Constant(value=str(name)), *others]):
                named = READ.search(f'{ast.unparse(call.func)}("{name}"')
                if not named or name in {*COMPUTED_DEFAULTS, *INTERNAL}:
                    continue
                given = [each.value for each in call.keywords if each.arg == "default"] or others[:1]
                shown = {shown_default(ast.literal_eval(default)) for default in given}
                found.setdefault(name, set()).update(shown)
    return {name: shown or {"none"} for name, shown in found.items()}


def shown_default(value: object) -> str:
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case int() | float():
            return f"`{value:g}`"
        case list():
            return f"`{','.join(value)}`" if value else "none"
    return f"`{value}`" if value else "none"


def test_settings_table_is_complete_and_true() -> None:
    documented = {row[0].strip("`") for row in table(SETTINGS)}
    assert documented == settings_that_are_read()


def test_settings_table_shows_the_defaults_of_the_code() -> None:
    documented = {row[0].strip("`"): row[1] for row in table(SETTINGS)}
    computed = {name: documented.pop(name) for name in COMPUTED_DEFAULTS}
    assert computed == COMPUTED_DEFAULTS
    assert {name: {default} for name, default in documented.items()} == literal_defaults()


def test_settings_table_explains_every_setting() -> None:
    assert all(len(row) == 3 and row[2] for row in table(SETTINGS))


def test_commands_table_is_complete() -> None:
    documented = re.findall(r"^\| \[`(\w+)`\]\(#\1\) \|", COMMANDS, re.MULTILINE)
    assert sorted(documented) == sorted(commands_of_ours() | SUPERVISORS)


@pytest.mark.parametrize("writer", [campaign_settings, command_reference, error_codes, limits])
def test_generated_page_is_that_of_the_code(writer: ModuleType) -> None:
    assert writer.PAGE.read_text() == writer.page(), "run make error-codes"


@pytest.mark.parametrize("command", sorted(commands_of_ours() | {"serve"}))
def test_every_argument_has_help_and_its_default(command: str) -> None:
    parser = parser_of(command)
    formatter = parser._get_formatter()
    for action in parser._actions:
        name = action.metavar or action.dest
        assert action.help, f"{command}: {name} has no help"
        is_ours = not set(action.option_strings) & OPTIONS_OF_ALL
        if is_ours and action.option_strings and action.default not in (None, False, "", [], (), SUPPRESS):
            assert "default" in formatter._expand_help(action), f"{command}: {name} hides its default"


@pytest.mark.parametrize("command", sorted(commands_of_ours() | SUPERVISORS))
def test_help_of_an_option_is_a_noun_with_its_default(command: str) -> None:
    parser = parser_of(command)
    for action in own_actions(parser):
        words = parser._get_formatter()._expand_help(action)
        subject = re.sub(r"^(with|for) [^:]+: ", "", words)
        assert not FRAGMENT.match(subject), f"{command} {action.option_strings}: “{words}” has no noun"
        takes_value = bool(action.option_strings) and action.nargs != 0
        if takes_value and not action.required and not set(action.option_strings) & WITHOUT_DEFAULT:
            assert "default" in words, f"{command} {action.option_strings}: “{words}” names no default"


def test_help_of_demo_mentions_the_demo() -> None:
    assert "Make the demo campaign" in serve_parser("demo").format_help()
    assert "demo" not in serve_parser("serve").format_help().lower()


def test_operations_page_counts_the_tables_of_a_backup() -> None:
    # That of the applied migrations has no model.
    tables = 1 + len(apps.get_models(include_auto_created=True))
    assert set(re.findall(r"rows of (\d+) tables", OPERATIONS)) == {str(tables)}


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\bmake ([a-z]+)\b(?= |`)", README))))
def test_every_make_target_exists(target: str) -> None:
    done = finished(["make", "--dry-run", target], cwd=PROJECT)
    assert done.returncode == 0, done.stderr


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 120


def test_the_license_is_whole() -> None:
    text = Path(PROJECT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
