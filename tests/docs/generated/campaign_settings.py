"""The page docs/campaign-settings.md: every setting of a campaign, as the table of settings has it."""

from __future__ import annotations

from collections.abc import Iterator

from config.embedded.machine import PROJECT

PAGE = PROJECT / "docs" / "campaign-settings.md"
HEAD = """\
# Campaign settings

This page lists the settings of a campaign, by the names that [the API](api.md) and bundles use. The
[organiser’s guide](organiser.md#set-up) explains how to choose them.

- **Assessors**: whether assessors see the setting too. Organisers see all.
- **After a change**: what is computed again. Judgments are always kept.
- **Copied**: whether [a copy of the campaign](organiser.md) takes it over. Bundles hold every setting.

`make error-codes` writes this page from the code.

| setting | default | meaning | assessors | after a change | copied | since |
|---|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page as it follows from the code."""
    return HEAD + "".join(_lines())


def _lines() -> Iterator[str]:
    from campaigns.api.shapes.settings import default_words
    from campaigns.setup.settings import SETTINGS

    for one in SETTINGS:
        default = default_words(one) if one.name != "name" else ""
        meaning = "; ".join(filter(None, [one.description, one.remark]))
        again = " and ".join(["scores, queues"] * one.scores or ["queues"] * one.queues) or "–"
        seen, copied = ("no" if one.organisers_only else "yes"), ("yes" if one.copied else "no")
        cells = [f"`{one.name}`", default or "–", meaning, seen, again, copied, one.since]
        yield f"| {' | '.join(cells)} |\n"
