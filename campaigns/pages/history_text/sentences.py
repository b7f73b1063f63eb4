"""A sentence of the history in two forms: as plain text, and with links to what it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from campaigns.core.phrases import isolate


@dataclass(frozen=True)
class Link:
    text: str
    address: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Sentence:
    """`template`: translated, with a place in braces for each value."""

    template: str
    values: Mapping[str, object]

    @property
    def plain(self) -> str:
        return self.template.format_map({name: isolate(value) for name, value in self.values.items()})

    @property
    def html(self) -> SafeString:
        if not self.values:
            return conditional_escape(self.template)
        return format_html(self.template, **{name: _linked(value) for name, value in self.values.items()})


def _linked(value: object) -> object:
    if isinstance(value, Link):
        return format_html('<a href="{}">{}</a>', value.address, isolate(value.text))
    return isolate(value) if isinstance(value, str) else value


def sentence(template: str, **values: object) -> Sentence:
    return Sentence(template, values)


@dataclass(frozen=True)
class CampaignLinks:
    """Links to a campaign's pages."""

    slug: str

    def topic(self, number: str) -> Link:
        return Link(number, reverse("campaigns:topic", args=[self.slug, number]))

    def document(self, topic: str, docno: str) -> Link:
        why = reverse("campaigns:why", args=[self.slug, topic])
        return Link(docno, f"{why}?{urlencode({'docno': docno})}")

    def page(self, name: str, text: str) -> Link:
        return Link(text, reverse(f"campaigns:{name}", args=[self.slug]))


# Makes the sentence of an entry by its detail.
Saying = Callable[[dict[str, Any], CampaignLinks], Sentence]


def plain(words: str | Promise, **pages: str) -> Saying:
    """A sentence that only names fields of the detail. A topic is a link, and so is a field of `pages`, to
    the page of that name."""

    def value_of(name: str, detail: dict[str, Any], at: CampaignLinks) -> object:
        if name in pages:
            return at.page(pages[name], detail[name])
        return at.topic(detail[name]) if name == "topic" else detail[name]

    def say(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
        template = str(words)
        names = [name for _, name, *_ in Formatter().parse(template) if name]
        return Sentence(template, {name: value_of(name, detail, at) for name in names})

    return say


# Raised where a sentence lacks what it speaks of, or finds something else.
UNFIT = (AttributeError, IndexError, KeyError, NoReverseMatch, TypeError, ValueError)
MOST_LISTED = 4


def shorten_list(names: list[str]) -> str:
    """The first few, and how many more."""
    rest = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" + {rest}" if rest > 0 else "")
