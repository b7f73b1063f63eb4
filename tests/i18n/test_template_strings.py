"""No template says anything that is not marked as translatable."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
MARKED = re.compile(
    r"\{% blocktranslate.*?%\}.*?\{% endblocktranslate %\}|"
    r"\{% block \w+_class %\}.*?\{% endblock %\}",
    re.DOTALL,
)
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
WORD = re.compile(r"[A-Za-z]{2,}")
SAID = {"aria-label", "title", "placeholder", "alt", "label", "data-label", "data-confirm", "hx-confirm"}
# The product's name, a button's letters (it is named otherwise), a format, an index, other tools; addresses,
# files.
SAME_EVERYWHERE = {"Assess", "Aa", "CSV", "AP", "BEIR", "GET", "POST", "Hugging", "Face", "ir", "datasets"}
ADDRESS = re.compile(
    r"https?://\S+|/(?:api|campaigns)/\S*|[\w.]*\.(?:txt|csv|jsonl?|svg|pdf|png|zip|py|qrels|prels|strata)"
)


class Said(HTMLParser):
    """The words that a page's reader sees or hears."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside.append(tag)
        self.found += [value for name, value in attrs if name in SAID and value]

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.inside):
            self.found.append(data)


def unmarked(source: str) -> list[str]:
    reader = Said()
    reader.feed(TAGS.sub("", MARKED.sub("", source)))
    plain = [ADDRESS.sub("", text).strip() for text in reader.found]
    return [text for text in plain if set(WORD.findall(text)) - SAME_EVERYWHERE]


def test_what_is_not_marked_is_found() -> None:
    assert unmarked('<p title="so">Well</p>{% translate "fine" %} {{ words }}') == ["so", "Well"]


@pytest.mark.parametrize("place", TEMPLATES, ids=lambda place: str(place.relative_to(settings.BASE_DIR)))
def test_everything_a_template_says_is_marked(place: Path) -> None:
    assert unmarked(place.read_text()) == []


# A percent sign after a figure is written by `with_percent`, or stands in a marked string.
SHARE = re.compile(r"(?:FIGURE|\d+)\s?%(?!\w)")


def unmarked_shares(source: str) -> list[str]:
    reader = Said()
    reader.feed(re.sub(r"\{%.*?%\}", "", re.sub(r"\{\{.*?\}\}", "FIGURE", MARKED.sub("", source))))
    return [share for text in reader.found for share in SHARE.findall(text)]


@pytest.mark.parametrize("place", TEMPLATES, ids=lambda place: str(place.relative_to(settings.BASE_DIR)))
def test_percentages_follow_the_language(place: Path) -> None:
    assert unmarked_shares(place.read_text()) == []


def test_percentages_outside_of_marked_strings_are_found() -> None:
    said = '<p title="{{ share }}%">95 % {{ share|with_percent }} {% translate "5%" %}</p><b width="9%"></b>'
    assert unmarked_shares(said) == ["FIGURE%", "95 %"]
