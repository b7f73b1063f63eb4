"""Sentences about search engines, their query configurations and pulls."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from campaigns.pages.history_text.sentences import CampaignLinks, Saying, Sentence, plain, sentence


def engine_changed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    names = {
        "name": _("name"),
        "url": _("address"),
        "scheme": _("credentials"),
        "login": _("user name"),
        "secret": _("secret"),
        "certificate": _("certificate"),
        "timeout": _("timeout"),
        "rate": pgettext("engine", "requests per second"),
    }
    fields = ", ".join(names.get(name, name) for name in detail["fields"])
    return sentence(
        _("changed the engine {engine}: {fields}"), engine=at.page("engines", detail["engine"]), fields=fields
    )


ENGINE_SENTENCES: dict[str, Saying] = {
    "engine added": plain(gettext_lazy("connected the engine {engine} at {host}"), engine="engines"),
    "engine changed": engine_changed_sentence,
    "engine removed": plain(gettext_lazy("removed the engine {engine}")),
    "query saved": plain(gettext_lazy("saved the query {query}, version {version}, of the engine {engine}")),
    "pull started": plain(gettext_lazy("started to pull the run {run} by {query}, version {version}")),
    "pull paused": plain(gettext_lazy("paused the pull of the run {run}")),
    "pull resumed": plain(gettext_lazy("resumed the pull of the run {run}")),
    "pull removed": plain(gettext_lazy("removed the pull of the run {run}")),
}
