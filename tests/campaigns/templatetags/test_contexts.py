"""Every name in a template is a field of each context class that it is rendered with, or bound in it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import pytest
from django.conf import settings
from django.template import Template
from django.template.loader_tags import IncludeNode

import assess
import campaigns
from campaigns.templatetags.contexts import PageContext
from tests.plumbing.templates.names import Scope, Walk, classes, compiled, own_names, scope_of

FOLDER = settings.BASE_DIR / "templates"

import_module("config.web.refusals")
for package in (assess, campaigns):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.startswith(("campaigns.migrations", "campaigns.management")):
            import_module(module.name)

CLASSES = sorted(set(classes()), key=lambda one: (one.__module__, one.__name__))


@cache
def passed_names() -> dict[str, set[str]]:
    """By template, the names that some `{% include … with %}` gives it: its parameters."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for file in FOLDER.rglob("*.*"):
        for node in compiled(str(file.relative_to(FOLDER))).nodelist.get_nodes_by_type(IncludeNode):
            assert isinstance(node, IncludeNode)
            found[str(node.template.var)] |= node.extra_context.keys()
    return found


def walk_of(context: type[PageContext]) -> Walk:
    walk = Walk(passed_names())
    for name in filter(None, (context.template, *context.fragments)):
        walk.template(compiled(name), scope_of(context))
    return walk


@pytest.mark.parametrize("context", CLASSES, ids=lambda one: one.__name__)
def test_templates_read_what_their_classes_give(context: type[PageContext]) -> None:
    assert sorted(set(walk_of(context).faults)) == []


@pytest.mark.parametrize("context", CLASSES, ids=lambda one: one.__name__)
def test_classes_give_what_their_templates_read(context: type[PageContext]) -> None:
    walk = walk_of(context)
    assert sorted(own_names(context) - walk.read) == []


# Templates that read names without a class, and who gives them.
WITHOUT_CLASS = {
    "campaigns/api_docs.html": "drf-spectacular's view",
    "campaigns/tables/_filter.html": "the tag filter_bar",
    "campaigns/tables/_filter_button.html": "the tag filter_bar",
    "django/forms/field.html": "the tag field",
}


def test_classes_reach_every_template() -> None:
    reached = {name for context in CLASSES for name in walk_of(context).templates}
    others = [str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.*")]
    faults: dict[str, list[str]] = {}
    for name in sorted(set(others) - reached):
        walk = Walk(passed_names())
        walk.template(compiled(name), {"campaign": None})
        if walk.faults:
            faults[name] = walk.faults
    assert faults.keys() == WITHOUT_CLASS.keys(), faults


def test_include_passes_what_its_template_reads() -> None:
    walk = Walk({"_empty.html": {"title", "words", "act", "href", "reads"}})
    text = (
        "{% include '_empty.html' with words='none' %}{% include '_empty.html' with wrods='none' href='/' %}"
    )
    walk.template(Template(text, name="planted"), dict(SCOPE))
    assert walk.faults == []
    walk = Walk({"campaigns/account/_password.html": {"id"}})
    text = "{% include 'campaigns/account/_password.html' with label='a' %}"
    walk.template(Template(text, name="planted"), dict(SCOPE))
    assert ["“id”" in fault for fault in walk.faults] == [True]


@dataclass(frozen=True)
class Row:
    tag: str
    best: float | None


SCOPE: Scope = {
    "campaign": None,
    "rows": list[Row],
    "pairs": list[tuple[Row, int]],
    "row": Row | None,
    "by_name": dict[str, Row],
}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{{ rwos }}", "rwos"),
        ("{{ rows|length|default:none_such }}", "none_such"),
        ("{% if rows and not rwos %}{% endif %}", "rwos"),
        ("{% for one in rows %}{{ one.tga }}{% endfor %}", "tga"),
        ("{% for one in rows %}{% empty %}{{ one }}{% endfor %}", "one"),
        ("{% for one, n in rows %}{% endfor %}{{ n }}", "n"),
        ("{% for one, n, m in pairs %}{% endfor %}", "3 parts"),
        ("{% for one, n in pairs %}{{ one.tga }}{% endfor %}", "tga"),
        ("{% for name, one in by_name.items %}{{ one.tga }}{% endfor %}", "tga"),
        ("{% with first=row.tag %}{{ frist }}{% endwith %}", "frist"),
        ("{% with first=row.tag %}{% endwith %}{{ first }}", "first"),
        ("{% load i18n %}{% blocktranslate with t=row.tga %}{{ t }}{% endblocktranslate %}", "tga"),
        ("{% load i18n %}{% blocktranslate %}{{ tag }}{% endblocktranslate %}", "tag"),
        ("{% load i18n %}{% translate 'a' as b %}{{ c }}", "c"),
        ("{% load counts %}{% count 'runs' rwos %}", "rwos"),
        ("{% load components %}{% field 'a' label=lable %}<input {{ control }}>{% endfield %}", "lable"),
        ("{% load components %}{% field 'a' label='l' %}<input {{ cotnrol }}>{% endfield %}", "cotnrol"),
        ("{% url 'campaigns:run' slg %}", "slg"),
        ("{% include '_empty.html' with words=wrods %}", "wrods"),
        ("{% for one in rows %}{{ forloop.lsat }}{% endfor %}", "lsat"),
        ("{% extends 'base.html' %}{% block main %}{{ rwos }}{% endblock %}", "rwos"),
        ("{% load rail %}{% rail %}", "campaign"),
    ],
)
def test_walk_finds_a_planted_typo(text: str, fault: str) -> None:
    walk = Walk(passed_names())
    walk.template(Template(text, name="planted"), dict(SCOPE))
    assert [fault in found for found in walk.faults] == [True]


def test_walk_accepts_bound_names() -> None:
    text = """{% extends 'base.html' %}{% load i18n components %}{% block main %}
      {% for one in rows %}{{ forloop.first }}{{ one.tag }}{{ one.best|default:'' }}{% endfor %}
      {% for one, n in pairs %}{{ one.tag.lower }}{{ n }}{% endfor %}
      {% for name, one in by_name.items %}{{ name }}{{ one.tag }}{% endfor %}{{ rows.0.tag }}
      {% translate 'a' as b %}{{ b }}{% url 'campaigns:list' as where %}{{ where }}
      {% blocktranslate count n=rows|length %}{{ n }}{% plural %}{{ n }} {{ request }}{% endblocktranslate %}
      {% field 'a' label=b %}<input {{ control }}>{% endfield %}{{ user.is_superuser }}{% endblock %}"""
    walk = Walk(passed_names())
    walk.template(Template(text, name="planted"), dict(SCOPE))
    assert walk.faults == []
