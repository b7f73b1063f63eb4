"""Docstrings and local names are nouns of the thing they describe, or imperatives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("assess", "campaigns", "config", "distribution", "evaluation", "judged", "selection")
# A sentence that opens with one of these has no subject, or hides it in its end.
OPENING = re.compile(
    r"(As|By|How|Of|That|Those|What|Whatever|When|Whenever|Where|Wherever|Whether|"
    r"Which|Who|Whoever|Whom|Whose|Why)\b"
)
# These say that something was computed or asked for, not what it is.
VAGUE = {"found", "kept", "said", "wish"}
NOT_YET_CLEANED = (
    "assess",
    "campaigns/api",
    "campaigns/exchange",
    "campaigns/formats",
    "campaigns/lab/studies",
    "campaigns/pages",
    "campaigns/setup",
    "campaigns/templatetags",
)
NAMED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def product_files() -> Iterator[Path]:
    yield ROOT / "manage.py"
    for folder in PRODUCT:
        yield from (file for file in (ROOT / folder).rglob("*.py") if "migrations" not in file.parts)


def indirect_docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Line and first word of each docstring that begins with one of these words."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, NAMED) and (word := OPENING.match(ast.get_docstring(node) or "")):
            yield node.body[0].lineno, word[0]


def test_docstrings_begin_with_a_noun_or_an_imperative() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{line} begins with {word}"
        for file in product_files()
        for line, word in indirect_docstrings(file.read_text())
    ]
    assert wrong == []


def test_modules_classes_and_functions_are_read() -> None:
    source = '"""What."""\nclass A:\n    """Of it."""\n    async def f(self):\n        """Whether: so."""\n'
    assert list(indirect_docstrings(source)) == [(1, "What"), (3, "Of"), (5, "Whether")]
    assert not list(indirect_docstrings('"""Byte order of a file."""\ndef f() -> None: ...\n'))


def vague_names(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of each parameter and local variable that does not name its content."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTION))
    for node in {inner for function in functions for inner in ast.walk(function)}:
        if isinstance(node, ast.arg) and node.arg in VAGUE:
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE:
            yield node.lineno, node.id


def test_local_names_name_their_content() -> None:
    names = {file: file.relative_to(ROOT).as_posix() for file in product_files()}
    wrong = [
        f"{name}:{line} binds {word}"
        for file, name in names.items()
        if not name.startswith(tuple(f"{room}/" for room in NOT_YET_CLEANED))
        for line, word in vague_names(file.read_text())
    ]
    assert wrong == []


def test_parameters_and_all_ways_of_binding_are_read() -> None:
    source = (
        "found = 1\ndef f(said, *kept):\n  if wish := said: pass\n"
        "  for found, _ in kept: print(wish)\n  return lambda found: [said for said in kept]\n"
    )
    assert sorted(vague_names(source)) == [
        (2, "kept"),
        (2, "said"),
        (3, "wish"),
        (4, "found"),
        (5, "found"),
        (5, "said"),
    ]
