"""Checks of a campaign's settings, each by itself: by name, the values that a campaign can have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from campaigns.configuration.methods import LARGEST
from campaigns.configuration.scale import check_grades
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.models.campaign import ANCHOR_COUNTS, Policy, ScoreFloats, TopicChoice
from campaigns.quality.flags import FLAG_SETTINGS

# Line ends would end a mail's subject; what turns the direction of writing makes one name look like another.
_NOT_SHOWN = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# What may be set when a campaign is made and changed afterwards; slug and collection stay, and the seed
# stays from the first opening on.
CAMPAIGN_SETTINGS = (
    "name",
    "guidelines",
    "p",
    "score_precision",
    "method",
    "options",
    "scope",
    "batch",
    "anchors",
    "grades",
    "relevant_from",
    "unjudged_not_relevant",
    "min_judgments",
    "budget",
    "due_at",
    "topic_choice",
    "training_required",
    "development_required",
    "assessors_close",
    "search_judging",
    "shown_fields",
    "overlap_share",
    "overlap_assessors",
    "repeat_share",
    "note_on_disagreement",
    "policy",
    *FLAG_SETTINGS,
    "seed",
)
LARGEST_REPEAT_SHARE = 0.5
MOST_ASSESSORS = 20
LONGEST_SECONDS = 3600
LONGEST_GUIDELINES = 100_000
# The least and the most of whole numbers.
SETTING_RANGES = {
    "batch": (1, 1_000_000),
    "min_judgments": (0, 1_000_000),
    "budget": (1, LARGEST),
    "seed": (0, LARGEST),
}
# Years far from these are slips, and some of them are no date in every time zone.
FIRST_YEAR, LAST_YEAR = 2000, 2199


def check_campaign_name(name: str) -> None:
    if _NOT_SHOWN.search(name):
        raise Refusal("bad_name", gettext("it contains characters that cannot be shown"), field="name")
    if not any(character.isalnum() for character in name):
        raise Refusal("bad_name", gettext("the name needs a letter or a digit"), field="name")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse values, of the right type, that no campaign can have, each by itself."""
    unknown = set(settings) - set(CAMPAIGN_SETTINGS)
    if unknown:
        raise Refusal(
            "unknown_setting", gettext("no such setting: %(names)s") % {"names": ", ".join(sorted(unknown))}
        )
    if "name" in settings:
        check_campaign_name(settings["name"])
    if "p" in settings and not 0 < settings["p"] < 1:
        raise Refusal(
            "bad_p", gettext("p lies between 0 and 1, not at %(p)s") % {"p": f"{settings['p']:g}"}, field="p"
        )
    if "score_precision" in settings and settings["score_precision"] not in ScoreFloats.values:
        detail = gettext("scores are compared as floats of 64 or 32 bits, not %(bits)s")
        bits = {"bits": settings["score_precision"]}
        raise Refusal("bad_score_precision", detail % bits, field="score_precision")
    _check_ranges(settings)
    if "anchors" in settings and settings["anchors"] not in ANCHOR_COUNTS:
        there = ", ".join(map(str, ANCHOR_COUNTS))
        detail = gettext("there are %(there)s anchors, not %(anchors)s")
        raise Refusal(
            "bad_anchors", detail % {"there": there, "anchors": settings["anchors"]}, field="anchors"
        )
    if "grades" in settings:
        check_grades(settings["grades"])
    if "topic_choice" in settings and settings["topic_choice"] not in TopicChoice.values:
        wrong = gettext("%(topic_choice)s is no way to come to topics") % {
            "topic_choice": settings["topic_choice"]
        }
        raise Refusal("bad_topic_choice", wrong, field="topic_choice")
    if "policy" in settings and settings["policy"] not in Policy.values:
        detail = gettext("%(policy)s is no policy for grades") % {"policy": settings["policy"]}
        raise Refusal("bad_policy", detail, field="policy")
    _check_sharing(settings)
    _check_flags(settings)
    _check_due(settings)


def _check_ranges(settings: Mapping[str, Any]) -> None:
    if len(settings.get("guidelines", "")) > LONGEST_GUIDELINES:
        detail = gettext("guidelines have at most %(most)s characters")
        raise Refusal("too_long", detail % {"most": group_digits(LONGEST_GUIDELINES)}, field="guidelines")
    for name, (least, most) in SETTING_RANGES.items():
        value = settings.get(name)
        if value is not None and not least <= value <= most:
            detail = gettext("%(name)s is a whole number from %(least)s to %(most)s, not %(value)s")
            said = {"least": group_digits(least), "most": group_digits(most), "value": group_digits(value)}
            raise Refusal("out_of_range", detail % {"name": name, **said}, field=name)


def _check_due(settings: Mapping[str, Any]) -> None:
    due = settings.get("due_at")
    if due is not None and not FIRST_YEAR <= due.year <= LAST_YEAR:
        years = {"first": FIRST_YEAR, "last": LAST_YEAR}
        detail = gettext("a due date lies in the years %(first)s to %(last)s") % years
        raise Refusal("bad_due_at", detail, field="due_at")


def _check_sharing(settings: Mapping[str, Any]) -> None:
    for name, most in (("overlap_share", 1.0), ("repeat_share", LARGEST_REPEAT_SHARE)):
        if name in settings and not 0 <= settings[name] <= most:
            detail = gettext("a share lies between 0 and %(most)s, not at %(share)s") % {
                "most": f"{most:g}",
                "share": f"{settings[name]:g}",
            }
            raise Refusal("bad_share", detail, field=name)
    people = settings.get("overlap_assessors", 2)
    if not 2 <= people <= MOST_ASSESSORS:
        detail = gettext("from 2 to %(most_assessors)s people can judge a document, not %(people)s") % {
            "most_assessors": MOST_ASSESSORS,
            "people": people,
        }
        raise Refusal("bad_overlap_assessors", detail, field="overlap_assessors")


def _check_flags(settings: Mapping[str, Any]) -> None:
    for name, most in (("judgments", LARGEST), ("seconds", LONGEST_SECONDS), ("grades", 1), ("unread", 1)):
        value = settings.get(f"flag_{name}", 0)
        if not 0 <= value <= most:
            detail = gettext("a threshold for flags lies between 0 and %(most)s, not at %(value)s") % {
                "most": f"{most:g}" if most < LARGEST else most,
                "value": f"{value:g}",
            }
            raise Refusal("bad_flag", detail, field=f"flag_{name}")
