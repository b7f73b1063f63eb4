"""The sentences as filters and tags of templates."""

from __future__ import annotations

from inspect import getmembers, isfunction

from django import template

from campaigns.pages.sentences import (
    chips,
    documents,
    due_dates,
    forecasts,
    judgments,
    mails,
    measures,
    next_steps,
    pairs,
    people,
    runs,
    setup,
    topics,
    verdict,
)

register = template.Library()

MODULES = (
    *(
        chips,
        due_dates,
        documents,
        forecasts,
        judgments,
        mails,
        measures,
        next_steps,
        pairs,
        people,
        runs,
    ),
    *(setup, topics, verdict),
)

for module in MODULES:
    for name, sentence in getmembers(module, isfunction):
        if sentence.__module__ == module.__name__ and not name.startswith("_"):
            register.filter(name, sentence)
            register.simple_tag(sentence)
