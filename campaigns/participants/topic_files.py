"""The campaign's topics as a file, for teams to run: every topic, in the wording that assessors see."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from django.http import Http404, HttpResponse
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.formats.reading.plain_text import one_line
from campaigns.formats.tables import json_lines
from campaigns.models import Campaign, Topic
from campaigns.participants.rules import rules_of

# A line's end, not a paragraph's.
_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
# Names of TREC's tags, and of the topic's fields.
_TAGS = {"query": "title", "question": "description", "narrative": "narrative"}


def _xml(topics: Iterable[Topic]) -> Generator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n'
    for topic in topics:
        yield f"<topic number={quoteattr(topic.number)}>\n"
        for tag, name in _TAGS.items():
            if text := getattr(topic, name):
                yield f"<{tag}>{escape(text)}</{tag}>\n"
        for row in topic.further_fields:
            lines = _BREAK.sub("<br/>", escape(row["value"]))
            yield f"<field name={quoteattr(row['name'])}>{lines}</field>\n"
        yield "</topic>\n"
    yield "</topics>\n"


def _json_lines(topics: Iterable[Topic]) -> Generator[str]:
    names = ("number", "title", "description", "narrative", "further_fields")
    return json_lines({name: getattr(topic, name) for name in names} for topic in topics)


def _tab_lines(topics: Iterable[Topic]) -> Generator[str]:
    for topic in topics:
        yield f"{topic.number}\t{one_line(topic.title or topic.description)}\n"


@dataclass(frozen=True)
class TopicForm:
    kind: str
    lines: Callable[[Iterable[Topic]], Generator[str]]


# By the ending of the file.
TOPIC_FORMS = {
    "xml": TopicForm("application/xml", _xml),
    "jsonl": TopicForm("application/x-ndjson", _json_lines),
    "tsv": TopicForm("text/tab-separated-values", _tab_lines),
}


def topic_file(campaign: Campaign, ending: str) -> HttpResponse:
    """For participants, from when the organisers allow runs to be handed in."""
    if ending not in TOPIC_FORMS:
        raise Http404
    if rules_of(campaign).deadline is None:
        raise Refusal("hand_in_not_open", gettext("runs cannot be handed in yet"), status=409)
    form = TOPIC_FORMS[ending]
    text = "".join(form.lines(campaign.topics.order_by("position")))
    headers = {"Content-Disposition": f'attachment; filename="{campaign.slug}.topics.{ending}"'}
    return HttpResponse(text, content_type=f"{form.kind}; charset=utf-8", headers=headers)
