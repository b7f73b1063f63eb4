"""Sentences about teams, the runs that they hand in, and what is published."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from campaigns.pages.history_text.sentences import CampaignLinks, Sentence, sentence
from campaigns.templatetags.figures import zoned


def team_made_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    return sentence(_("added the team {team}"), team=at.page("teams", detail["team"]))


def team_removed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    return sentence(_("removed the team {team}"), team=detail["team"])


def team_left_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    return sentence(_("took {person} out of the team {team}"), person=detail["person"], team=detail["team"])


def handed_in_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = (
        _("handed in {run} for {team}, priority {priority}, in place of {replaced}; SHA-256 {sha256}")
        if "replaced" in detail
        else _("handed in {run} for {team}, priority {priority}; SHA-256 {sha256}")
    )
    known = {name: detail.get(name, "") for name in ("run", "team", "priority", "replaced", "sha256")}
    return sentence(words, **known)


def submission_changed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("changed priority or description of {run} of {team}; priority {priority}")
    return sentence(words, **{name: detail[name] for name in ("run", "team", "priority")})


def submission_withdrawn_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    return sentence(_("withdrew {run} of {team}"), run=detail["run"], team=detail["team"])


def rules_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    changes = "; ".join(_rule(name, *values) for name, values in detail["changes"].items())
    return sentence(_("changed the rules of handing in: {changes}"), changes=changes)


def _rule(name: str, old: Any, new: Any) -> str:
    if name == "deadline":
        old, new = (zoned(datetime.fromisoformat(value)) if value else "–" for value in (old, new))
        return _("deadline {old} → {new}").format(old=old, new=new)
    return _("runs a team {old} → {new}").format(old=old, new=new)


def scores_released_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    return sentence(_("released the scores to the teams"))


def scores_withheld_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    return sentence(_("withheld the scores from the teams"))


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
    return sentence(words, leaderboard=at.page("leaderboard", _("leaderboard")))


def unpublished_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    return sentence(_("took the leaderboard back"))


PARTICIPANT_SENTENCES: dict[str, Callable[[dict[str, Any], CampaignLinks], Sentence]] = {
    "team made": team_made_sentence,
    "team removed": team_removed_sentence,
    "team left": team_left_sentence,
    "run handed in": handed_in_sentence,
    "submission changed": submission_changed_sentence,
    "submission withdrawn": submission_withdrawn_sentence,
    "hand-in rules": rules_sentence,
    "scores released": scores_released_sentence,
    "scores withheld": scores_withheld_sentence,
    "leaderboard published": published_sentence,
    "leaderboard withdrawn": unpublished_sentence,
}
