"""The table of topics: what a row shows, which are shown, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaigns.collection.assignments import assignees_by_topic
from campaigns.core.digits import natural_key
from campaigns.models import Campaign
from campaigns.pages.setup.methods import label_of
from campaigns.pages.tables import Column, TablePage, table_page
from campaigns.results.topic_rows import (
    JudgingProgress,
    TopicRow,
    judging_now,
    judging_progress,
    mean_residuals,
    topics_of,
)
from campaigns.templatetags.contexts import CampaignContext

LONGEST_SEARCH = 200
# A form offers so many topics to choose from; of more, a number is typed.
MOST_CHOICES = 500
# So few are found without a filter.
FEW_TOPICS = 10
OF_MINIMUM = ("left", "enough")

STATES: dict[str, str | Promise] = {
    "": gettext_lazy("any"),
    "left": gettext_lazy("open, minimum not reached"),
    "enough": gettext_lazy("minimum reached"),
    "untouched": gettext_lazy("nothing judged yet"),
    "now": gettext_lazy("being judged now"),
    "unassigned": gettext_lazy("open, unassigned"),
    "closed": gettext_lazy("closed"),
}


@dataclass(frozen=True)
class TopicLine:
    """A topic as the page lists it: who judges it now, what serves it, who is to judge it. `residual`: mean
    over the runs, None where nothing is computed; `left`: documents to judge up to the minimum."""

    topic: TopicRow
    judging: list[str]
    method: str
    assigned: list[str]
    closed: bool
    residual: float | None = None
    left: int = 0

    def is_in(self, state: str) -> bool:
        match state:
            case "left":
                return not self.closed and bool(self.topic.left)
            case "enough":
                return not self.topic.left
            case "untouched":
                return not self.topic.judged
            case "now":
                return bool(self.judging)
            case "unassigned":
                return not self.closed and not self.assigned
            case "closed":
                return self.closed
        return True

    @property
    def place(self) -> int:
        """Judged now, begun, not begun, closed."""
        if self.closed:
            return 3
        return 0 if self.judging else 2 - bool(self.topic.judged)


COLUMNS: list[Column[TopicLine]] = [
    Column("number", gettext_lazy("No."), lambda line: natural_key(line.topic.number), numeric=True),
    Column("title", gettext_lazy("Topic"), lambda line: line.topic.title.casefold()),
    Column("judged", gettext_lazy("Judged"), lambda line: line.topic.judged, numeric=True, falls=True),
    Column("share", gettext_lazy("Share of the minimum"), hidden=True),
    Column("relevant", gettext_lazy("Relevant"), lambda line: line.topic.relevant, numeric=True, falls=True),
    Column("pool", gettext_lazy("Pool"), lambda line: line.topic.pool, numeric=True, falls=True),
    Column("residual", gettext_lazy("Mean residual"), lambda line: line.residual, falls=True),
    Column("method", gettext_lazy("Selection method"), lambda line: line.method.casefold()),
    Column("assigned", gettext_lazy("Assigned to"), lambda line: line.assigned or None),
    Column("state", pgettext_lazy("of a topic", "State"), lambda line: line.place),
]


@dataclass(frozen=True)
class TopicFilter:
    words: str
    state: str

    @classmethod
    def asked(cls, query: QueryDict) -> TopicFilter:
        state = query.get("state", "")
        return cls(query.get("words", "").strip()[:LONGEST_SEARCH], state if state in STATES else "")

    def __bool__(self) -> bool:
        return bool(self.words or self.state)

    def only(self, lines: Sequence[TopicLine]) -> list[TopicLine]:
        """Topics whose number begins so, and those with all of the words in title, number or people's names;
        of these the ones in the state."""
        words = self.words.casefold().split()
        return [line for line in lines if line.is_in(self.state) and _has(line, words)]


class TopicTable(CampaignContext, template="campaigns/topics/_topics.html"):
    """The live part of the topics page: one page of those that the filter finds."""

    total: int
    done: JudgingProgress
    table: TablePage[TopicLine]
    shown: list[TopicLine]
    asked: TopicFilter
    filtering: bool


def topic_table(request: HttpRequest, campaign: Campaign, path: str) -> TopicTable:
    asked = TopicFilter.asked(request.GET)
    lines = topic_lines(campaign)
    done = judging_progress(campaign=campaign, topics=[line.topic for line in lines])
    shown = asked.only(lines)
    if request.GET.get("sort", "").removeprefix("-") == "residual":
        shown = _with_residuals(campaign, shown)
    table = table_page(request, shown, COLUMNS, path=path)
    filtering, rows = bool(asked) or len(lines) > FEW_TOPICS, _with_residuals(campaign, table.rows)
    return TopicTable(campaign, len(lines), done, table, rows, asked, filtering)


def topic_lines(campaign: Campaign) -> list[TopicLine]:
    now = judging_now(campaign=campaign)
    marks = {row[0]: row[1:] for row in campaign.topics.values_list("id", "method", "closed_at")}
    given = assignees_by_topic(campaign=campaign)
    labels = {method: label_of(method) if method else "" for method in {row[0] for row in marks.values()}}
    return [
        TopicLine(
            topic,
            now.get(topic.id, []),
            labels[method],
            given.get(topic.id, []),
            closed_at is not None,
            left=_left(campaign, topic),
        )
        for topic in topics_of(campaign=campaign)
        for method, closed_at in [marks[topic.id]]
    ]


def topic_choices(campaign: Campaign) -> list[tuple[str, str]]:
    """Number and title of each topic for a form (templates/campaigns/topics/_choice.html); of too many, one
    more than it offers."""
    return list(campaign.topics.values_list("number", "title")[: MOST_CHOICES + 1])


def offered_states(campaign: Campaign) -> dict[str, str | Promise]:
    if campaign.min_judgments:
        return STATES
    return {key: STATES[key] for key in STATES if key not in OF_MINIMUM}


def _left(campaign: Campaign, topic: TopicRow) -> int:
    return topic.left if campaign.min_judgments else max(0, (topic.pool or 0) - topic.judged)


def _with_residuals(campaign: Campaign, lines: list[TopicLine]) -> list[TopicLine]:
    found = mean_residuals(campaign=campaign, topics=[line.topic.id for line in lines])
    return [replace(line, residual=found.get(line.topic.id)) for line in lines]


def _has(line: TopicLine, words: Sequence[str]) -> bool:
    text = " ".join([line.topic.title, *line.assigned, *line.judging]).casefold()
    return has_words(line.topic.number, text, words)


def has_words(number: str, text: str, words: Sequence[str]) -> bool:
    """True if the topic's number begins with each of the words, or its text has it; both casefolded."""
    return all(number.casefold().startswith(word) or _stands_in(word, text) for word in words)


def _stands_in(word: str, text: str) -> bool:
    """Anywhere; but 7 is no part of 107."""
    return any(one.startswith(word) for one in text.split()) if word.isdigit() else word in text
