"""Text of people stands in the direction of its own script, wherever a template prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings

TEMPLATES = settings.BASE_DIR / "templates"
# The last part of a variable that holds what people wrote, in any script.
WRITTEN = re.compile(
    r"(?:^|[._])(?:title|description|narrative|note|comment|reason|message|piece|query|text|excerpt|body|"
    r"question|answer|definition|detail|collection_name)(?<!^page\.body)$|^(?:campaign|team|row|one|part|collection)\.name$|^field\.value$"
)
PIECES = re.compile(
    r"\{%-?\s*comment.*?endcomment\s*-?%\}|\{#.*?#\}"
    r"|\{%\s*block (?:page_)?title\s*%\}"
    r"(?:\{%\s*block page_title\s*%\}\{%\s*endblock\s*%\})?.*?\{%\s*endblock\s*%\}"
    r"|\{%\s*blocktranslate.*?endblocktranslate\s*%\}|<!--.*?-->|\{\{(?P<variable>.*?)\}\}"
    r"|\{%\s*firstof (?P<first>(?:(?! as ).)*?)%\}|\{%.*?%\}"
    r"|</(?P<closed>[a-zA-Z][\w-]*)\s*>|<(?P<opened>[a-zA-Z][\w-]*)"
    r"(?P<attributes>(?:\{\{.*?\}\}|\{%.*?%\}|\"[^\"]*\"|[^<>\"])*)>",
    re.DOTALL,
)
VOID = {"input", "br", "img", "meta", "link", "hr", "path", "rect", "line", "circle", "use", "col", "source"}
# Nothing of these has a direction of its own, or the browser shows it by itself.
UNDIRECTED = {"title", "option", "script", "style", "textarea", "text", "tspan", "desc"}


def undirected(template: str) -> Iterator[tuple[str, tuple[str, int, int]]]:
    """Variables outside an element with `dir`, each with the innermost element around it and its place."""
    stack: list[tuple[str, bool, int, int]] = []
    for piece in PIECES.finditer(template):
        if piece["opened"]:
            directed = bool(stack and stack[-1][1]) or "dir=" in piece["attributes"]
            if piece["opened"] == "bdi" or piece["opened"] in UNDIRECTED:
                directed = True
            if piece["opened"] not in VOID and not piece["attributes"].endswith("/"):
                end = piece.start("attributes")
                stack.append((piece["opened"], directed, end, piece.end()))
        elif piece["closed"]:
            while stack and stack.pop()[0] != piece["closed"]:
                pass
        elif printed := piece["variable"] or piece["first"]:
            name = re.split(r"[|\s]", printed.strip())[0]
            if WRITTEN.search(name) and not (stack and stack[-1][1]):
                inner = stack[-1] if stack else ("", False, -1, -1)
                yield name, (inner[0], inner[2], piece.start())


@pytest.mark.parametrize(
    "name", sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html"))
)
def test_text_of_people_has_its_own_direction(name: str) -> None:
    template = (TEMPLATES / name).read_text(encoding="utf-8")
    assert [f"{variable} in <{inner[0]}>" for variable, inner in undirected(template)] == []


def test_missing_direction_is_noticed() -> None:
    assert [name for name, _ in undirected("<p>{{ topic.title|default:1 }}</p>")] == ["topic.title"]
    assert [name for name, _ in undirected("<p>{% firstof one.title one.docno %}</p>")] == ["one.title"]
    assert not list(undirected("<p>{% firstof one.title one.docno as words %}</p>"))
    assert not list(undirected('<li dir="auto"><a href="{{ title }}">{{ title }}</a> {{ n }}</li>'))
