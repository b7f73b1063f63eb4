"""Checks of a campaign's settings, each by itself: a function of the setting's name and its value."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from campaigns.configuration.methods import LARGEST
from campaigns.configuration.scale import check_grades
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.models.campaign import (
    ANCHOR_COUNTS,
    JudgmentCopies,
    Policy,
    ScoreFloats,
    ServingOrder,
    TopicChoice,
)

Check = Callable[[str, Any], None]

# Line ends would end a mail's subject; what turns the direction of writing makes one name look like another.
_NOT_SHOWN = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

LARGEST_REPEAT_SHARE = 0.5
MOST_ASSESSORS = 20
LONGEST_SECONDS = 3600
LONGEST_GUIDELINES = 100_000
LONGEST_MEASURES = 200
# Years far from these are slips, and some of them are no date in every time zone.
FIRST_YEAR, LAST_YEAR = 2000, 2199


def check_campaign_name(name: str, value: str) -> None:
    if _NOT_SHOWN.search(value):
        raise Refusal("bad_name", gettext("it contains characters that cannot be shown"), field=name)
    if not any(character.isalnum() for character in value):
        raise Refusal("bad_name", gettext("the name needs a letter or a digit"), field=name)


def check_guidelines(name: str, value: str) -> None:
    if len(value) > LONGEST_GUIDELINES:
        detail = gettext("guidelines have at most %(most)s characters")
        raise Refusal("too_long", detail % {"most": group_digits(LONGEST_GUIDELINES)}, field=name)


def check_p(name: str, value: float) -> None:
    if not 0 < value < 1:
        detail = gettext("p lies between 0 and 1, not at %(p)s")
        raise Refusal("bad_p", detail % {"p": f"{value:g}"}, field=name)


def check_scale(name: str, value: list[dict[str, Any]]) -> None:
    check_grades(value)


def check_due(name: str, value: datetime | None) -> None:
    if value is not None and not FIRST_YEAR <= value.year <= LAST_YEAR:
        years = {"first": FIRST_YEAR, "last": LAST_YEAR}
        detail = gettext("a due date lies in the years %(first)s to %(last)s") % years
        raise Refusal("bad_due_at", detail, field=name)


def check_overlap_assessors(name: str, value: int) -> None:
    if not 2 <= value <= MOST_ASSESSORS:
        detail = gettext("from 2 to %(most_assessors)s people can judge a document, not %(people)s") % {
            "most_assessors": MOST_ASSESSORS,
            "people": value,
        }
        raise Refusal("bad_overlap_assessors", detail, field=name)


def within(least: int, most: int) -> Check:
    """Return the check of a whole number from `least` to `most`; None passes."""

    def check(name: str, value: int | None) -> None:
        if value is not None and not least <= value <= most:
            detail = gettext("%(name)s is a whole number from %(least)s to %(most)s, not %(value)s")
            numbers = {"least": least, "most": most, "value": value}
            values = {one: group_digits(number) for one, number in numbers.items()}
            raise Refusal("out_of_range", detail % {"name": name, **values}, field=name)

    return check


def share_up_to(most: float) -> Check:
    """Return the check of a share from 0 to `most`."""

    def check(name: str, value: float) -> None:
        if not 0 <= value <= most:
            detail = gettext("a share lies between 0 and %(most)s, not at %(share)s") % {
                "most": f"{most:g}",
                "share": f"{value:g}",
            }
            raise Refusal("bad_share", detail, field=name)

    return check


def threshold_up_to(most: int) -> Check:
    """Return the check of a flag's threshold, from 0 to `most`."""

    def check(name: str, value: float) -> None:
        if not 0 <= value <= most:
            detail = gettext("a threshold for flags lies between 0 and %(most)s, not at %(value)s") % {
                "most": f"{most:g}" if most < LARGEST else most,
                "value": f"{value:g}",
            }
            raise Refusal("bad_flag", detail, field=name)

    return check


def check_score_precision(name: str, value: int) -> None:
    if value not in ScoreFloats.values:
        detail = gettext("scores are compared as floats of 64 or 32 bits, not %(bits)s")
        raise Refusal("bad_score_precision", detail % {"bits": value}, field=name)


def check_anchors(name: str, value: int) -> None:
    if value not in ANCHOR_COUNTS:
        detail = gettext("there are %(there)s anchors, not %(anchors)s")
        values = {"there": ", ".join(map(str, ANCHOR_COUNTS)), "anchors": value}
        raise Refusal("bad_anchors", detail % values, field=name)


def check_serving_order(name: str, value: str) -> None:
    if value not in ServingOrder.values:
        detail = gettext("the serving order is one of %(there)s, not “%(value)s”")
        values = {"there": ", ".join(ServingOrder.values), "value": value}
        raise Refusal("bad_serving_order", detail % values, field=name)


def check_topic_choice(name: str, value: str) -> None:
    if value not in TopicChoice.values:
        detail = gettext("%(topic_choice)s is no way to come to topics")
        raise Refusal("bad_topic_choice", detail % {"topic_choice": value}, field=name)


def check_judgment_copies(name: str, value: str) -> None:
    if value not in JudgmentCopies.values:
        detail = gettext("judgments are copied to one of %(there)s, not “%(value)s”")
        values = {"there": ", ".join(JudgmentCopies.values), "value": value}
        raise Refusal("bad_judgment_copies", detail % values, field=name)


def check_policy(name: str, value: str) -> None:
    if value not in Policy.values:
        detail = gettext("%(policy)s is no policy for grades")
        raise Refusal("bad_policy", detail % {"policy": value}, field=name)
