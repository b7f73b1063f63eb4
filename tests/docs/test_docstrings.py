"""Docstrings name what they describe: they begin with a noun or an imperative."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("assess", "campaigns", "config", "evaluation", "selection")
# A sentence that opens with one of these has no subject, or hides it in its end.
OPENING = re.compile(
    r"(As|By|How|Of|That|Those|What|Whatever|When|Whenever|Where|Wherever|Whether|"
    r"Which|Who|Whoever|Whom|Whose|Why)\b"
)
NAMED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


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
