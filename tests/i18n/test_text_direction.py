"""Text of people stands in the direction of its own script, and turns no sentence of the site around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils.safestring import mark_safe

from campaigns.core.phrases import isolate_runs
from campaigns.pages.history_text.sentences import Link, sentence

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
            if re.search(r"\|\s*isolated\b", printed):
                continue
            if WRITTEN.search(name) and not (stack and stack[-1][1]):
                inner = stack[-1] if stack else ("", False, -1, -1)
                yield name, (inner[0], inner[2], piece.start())


@pytest.mark.parametrize(
    "name", sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html"))
)
def test_text_of_people_has_its_own_direction(name: str) -> None:
    template = (TEMPLATES / name).read_text(encoding="utf-8")
    assert [f"{variable} in <{inner[0]}>" for variable, inner in undirected(template)] == []


OPENED = re.compile(r"<([a-z][\w-]*)((?:\{\{.*?\}\}|\{%.*?%\}|\"[^\"]*\"|[^<>\"])*)>", re.DOTALL)
TAGS = re.compile(
    r"<bdi>.*?</bdi>|<(?:\{\{.*?\}\}|\{%.*?%\}|\"[^\"]*\"|[^<>\"])*>|\{%\s*firstof.*?%\}", re.DOTALL
)
# Sentences of the site, with names of people in them.
SENTENCES = re.compile(r"\{\{\s*(?:\w+\.)*(?:detail|message|problem)\s*(?:\|(?!isolated)[\w:\"']+\s*)*\}\}")
ALIKE = {
    "help/search.html": "a page of the handbook and its excerpt are in one language",
    "administration/administration.html": "a log's message is no sentence of the site",
}


def turned(template: str) -> Iterator[str]:
    """Elements with `dir="auto"` that hold words of the site: a name in them would turn these, too."""
    for opened in OPENED.finditer(template):
        if 'dir="auto"' not in opened[2]:
            continue
        depth, end = 1, len(template)
        for tag in re.finditer(rf"<(/?){opened[1]}\b", template[opened.end() :]):
            depth += -1 if tag[1] else 1
            if not depth:
                end = opened.end() + tag.start()
                break
        text = TAGS.sub("", template[opened.end() : end])
        words = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", text, flags=re.DOTALL)
        if "translate" in text or re.search(r"\w", words) or SENTENCES.search(text):
            yield " ".join(text.split())


@pytest.mark.parametrize(
    "name", sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html"))
)
def test_names_turn_no_sentence(name: str) -> None:
    template = (TEMPLATES / name).read_text(encoding="utf-8")
    if name not in ALIKE:
        assert list(turned(template)) == []
        assert SENTENCES.findall(template) == []


def test_turned_sentences_are_noticed() -> None:
    assert list(turned('<p dir="auto">{% translate "Topic" %} {{ title }}</p>'))
    assert list(turned('<p dir="auto">{{ refused.detail|capfirst }}.</p>'))
    assert list(turned('<p dir="auto"><b>by {{ name }}</b></p>'))
    assert not list(turned('<p dir="auto">{% firstof title _("none") %}</p>'))


ARABIC = "تجربة"


def rendered(source: str, **values: object) -> str:
    return Template("{% load i18n %}" + source).render(Context(values))


def test_names_within_translated_sentences_are_isolated() -> None:
    """By whichever way a name comes into `blocktranslate`."""
    ways = [
        "{% blocktranslate with name=row.name %}copy of {{ name }}{% endblocktranslate %}",
        "{% blocktranslate %}copy of {{ plain }}{% endblocktranslate %}",
        "{% blocktrans with name=row.name asvar said %}copy of {{ name }}{% endblocktrans %}{{ said }}",
        "{% blocktrans count n=2 with name=row.name %}x{% plural %}copy of {{ name }}{% endblocktrans %}",
    ]
    for name, shown in {
        ARABIC: f"\u2068{ARABIC}\u2069",
        f"<{ARABIC}> 5": f"\u2068&lt;{ARABIC}&gt; 5\u2069",
        "a\u202eb": "\u2068a\u202eb\u2069",
        "Ada & 5": "Ada &amp; 5",
    }.items():
        said = [rendered(way, row={"name": name}, plain=name) for way in ways]
        assert said == [f"copy of {shown}"] * len(ways)
    assert (
        rendered("{% blocktranslate %}{{ n }} of {{ more }}{% endblocktranslate %}", n=5, more="") == "5 of "
    )


def test_parts_of_finished_sentences_are_isolated() -> None:
    sentence = f"{ARABIC} {ARABIC}-2: line 5, <b> & {ARABIC}"
    alone = f"\u2068{ARABIC} {ARABIC}\u2069-2: line 5, &lt;b&gt; &amp; \u2068{ARABIC}\u2069"
    assert rendered("{{ said|isolated }}", said=sentence) == alone
    link = mark_safe(f'<a href="/{ARABIC}">{ARABIC}</a>: 5')
    assert rendered("{{ said|isolated }}", said=link) == f'<a href="/{ARABIC}">\u2068{ARABIC}\u2069</a>: 5'
    assert rendered("{{ said|isolated }}", said="of \u2068א\u2069: 5") == "of \u2068א\u2069: 5"
    # Many letters without an end.
    assert isolate_runs(f"{ARABIC}{' ' * 200_000}").endswith(" ")


def test_sentences_of_the_history_isolate_names() -> None:
    told = sentence("made {name}: {link}", name=ARABIC, link=Link(ARABIC, "/x"))
    alone = f"\u2068{ARABIC}\u2069"
    assert told.plain == f"made {alone}: {alone}"
    assert told.html == f'made {alone}: <a href="/x">{alone}</a>'


def test_missing_direction_is_noticed() -> None:
    assert [name for name, _ in undirected("<p>{{ topic.title|default:1 }}</p>")] == ["topic.title"]
    assert [name for name, _ in undirected("<p>{% firstof one.title one.docno %}</p>")] == ["one.title"]
    assert not list(undirected("<p>{% firstof one.title one.docno as words %}</p>"))
    assert not list(undirected('<li dir="auto"><a href="{{ title }}">{{ title }}</a> {{ n }}</li>'))
