"""Topics and documents as files give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.names import what_is_wrong_with_name

PLAIN = "text/plain"
HTML = "text/html"
MARKDOWN = "text/markdown"


@dataclass(frozen=True)
class TopicRecord:
    """A topic. `number` is text, as written, without blanks around it; `line` is where it begins."""

    number: str
    title: str
    description: str = ""
    narrative: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class DocumentRecord:
    """A document. `line` is where it begins in its file."""

    docno: str
    title: str
    body: str
    content_type: str = PLAIN
    line: int = field(default=0, compare=False)


def checked_topics(records: Iterator[TopicRecord], errors: ErrorList) -> list[TopicRecord]:
    """All topics, with an error for each that has no usable number, no text, or another's number."""
    first: dict[str, int] = {}
    topics = []
    for topic in records:
        if reason := what_is_wrong_with_name("topic", topic.number):
            errors.add(topic.line, f"{reason}: {quote(topic.number)}", "topic")
        elif topic.number in first:
            where = f"the first begins in line {first[topic.number]}"
            errors.add(topic.line, f"topic {quote(topic.number)} a second time; {where}", "topic")
        elif not (topic.title or topic.description):
            errors.add(topic.line, f"topic {quote(topic.number)} has neither title nor description", "title")
        first.setdefault(topic.number, topic.line)
        topics.append(topic)
    return topics
