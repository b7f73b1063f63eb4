"""A campaign's name, and the name that it has in addresses."""

from __future__ import annotations

import re

from django.utils.text import slugify
from django.utils.translation import gettext

from campaigns.core.errors import Refused
from campaigns.models import Campaign

LONGEST_SLUG = 80
# Where the name has no letter that addresses know.
USUAL_SLUG = "campaign"
# Line ends would end a mail's subject; what turns the direction of writing makes one name look like another.
_NOT_SHOWN = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def check_name(name: str) -> None:
    if _NOT_SHOWN.search(name):
        raise Refused("bad_name", gettext("it holds characters that cannot be shown"), field="name")
    if not any(character.isalnum() for character in name):
        raise Refused("bad_name", gettext("the name needs a letter or a digit"), field="name")


def slug_of(name: str) -> str:
    """Made of the name; of one in another script, a free one that anybody can type."""
    slug = slugify(name)[:LONGEST_SLUG].strip("-")
    return slug or _free_slug()


def _free_slug() -> str:
    taken = set(Campaign.objects.filter(slug__startswith=USUAL_SLUG).values_list("slug", flat=True))
    numbered = (f"{USUAL_SLUG}-{number}" for number in range(2, len(taken) + 3))
    return next(slug for slug in (USUAL_SLUG, *numbered) if slug not in taken)
