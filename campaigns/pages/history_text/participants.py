"""Sentences about teams, the runs that they hand in, and what is published."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.pages.history_text.sentences import CampaignLinks, Saying, Sentence, plain, sentence
from campaigns.templatetags.figures import zoned


def handed_in_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = (
        _("handed in {run} for {team}, priority {priority}, in place of {replaced}; SHA-256 {sha256}")
        if "replaced" in detail
        else _("handed in {run} for {team}, priority {priority}; SHA-256 {sha256}")
    )
    known = {name: detail.get(name, "") for name in ("run", "team", "priority", "replaced", "sha256")}
    return sentence(words, **known)


def rules_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    changes = "; ".join(_rule(name, *values) for name, values in detail["changes"].items())
    return sentence(_("changed the rules of handing in: {changes}"), changes=changes)


def _rule(name: str, old: Any, new: Any) -> str:
    if name == "deadline":
        old, new = (zoned(datetime.fromisoformat(value)) if value else "–" for value in (old, new))
        return _("deadline {old} → {new}").format(old=old, new=new)
    return _("runs a team {old} → {new}").format(old=old, new=new)


def published_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    public, labels = detail["audience"] == "public", detail["anonymous"]
    if public:
        words = (
            _("published the {leaderboard} for everyone, with labels in place of names")
            if labels
            else _("published the {leaderboard} for everyone")
        )
    else:
        words = (
            _("published the {leaderboard} for participants, with labels in place of names")
            if labels
            else _("published the {leaderboard} for participants")
        )
    # Older entries do not name the measure.
    by = f" ({measure})" if (measure := detail.get("measure")) else ""
    return sentence(f"{words}{{by}}", leaderboard=at.page("leaderboard", _("leaderboard")), by=by)


PARTICIPANT_SENTENCES: dict[str, Saying] = {
    "team made": plain(gettext_lazy("added the team {team}"), team="teams"),
    "team removed": plain(gettext_lazy("removed the team {team}")),
    "team left": plain(gettext_lazy("took {person} out of the team {team}")),
    "run handed in": handed_in_sentence,
    "submission changed": plain(
        gettext_lazy("changed priority or description of {run} of {team}; priority {priority}")
    ),
    "submission withdrawn": plain(gettext_lazy("withdrew {run} of {team}")),
    "hand-in rules": rules_sentence,
    "scores released": plain(gettext_lazy("released the scores to the teams")),
    "scores withheld": plain(gettext_lazy("withheld the scores from the teams")),
    "leaderboard published": published_sentence,
    "leaderboard withdrawn": plain(gettext_lazy("took the leaderboard back")),
}
