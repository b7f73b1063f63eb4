"""Invitations, agreement and tokens in words."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from campaigns.core.phrases import group_digits
from campaigns.models import ApiToken, Invitation
from campaigns.pages.sentences.chips import chip
from campaigns.pages.sentences.message import joined, message, soft
from campaigns.people.invitation_lists import LineState, ListLine
from campaigns.templatetags.figures import moment, zoned


def refused_invitation_sentence(invitation: Invitation | None) -> str:
    """State why its link cannot be used."""
    if not invitation:
        return _(
            "This invitation does not exist. Check that you copied the whole link. After a reminder, only "
            "the link in the latest email is valid."
        )
    if invitation.state == "used" and invitation.is_for_class:
        return _("As many people as may have joined by this link. If you are one of them, sign in.")
    if invitation.state == "used":
        return _("This link has already been used. If you used it, sign in.")
    if invitation.state == "revoked":
        return _("An organiser has taken it back.")
    return _("It expired on %(date)s.") % {"date": zoned(invitation.expires_at)}


def invitation_sentence(invitation: Invitation) -> SafeString:
    if invitation.role == "organiser":
        text = message(
            _("You are invited to organise this relevance assessment campaign together with others.")
        )
    elif invitation.team:
        words = _(
            "You are invited to take part with the team %(team)s: it hands in runs, and they are evaluated."
        )
        text = message(words, team=invitation.team.name)
    else:
        text = message(_("You are invited to judge documents in this relevance assessment campaign."))
    inviter = invitation.created_by
    source = _("The invitation is from %(name)s.") % {"name": inviter.get_username()} if inviter else ""
    return joined(text, source)


def invitation_state(invitation: Invitation) -> SafeString:
    match invitation.state:
        case "open":
            state = message(_("open until %(until)s"), until=moment(invitation.expires_at))
        case "used" if invitation.is_for_class:
            state = soft(pgettext("link for a class", "full"))
        case "used":
            name = invitation.used_by.username if invitation.used_by else "–"
            state = message(_("used by %(name)s"), name=name)
        case "revoked":
            state = soft(_("revoked"))
        case "expired":
            state = soft(_("expired"))
    if not invitation.is_for_class:
        return state
    joined_text = _("%(joined)s of %(most)s joined")
    values = {"joined": group_digits(invitation.joined), "most": group_digits(invitation.capacity)}
    return format_html("{}<br>{}", joined_text % values, state)


def kappa_words(kappa: float) -> str:
    """Name a kappa by the scale of Landis and Koch (1977), as it is shown, to two digits."""
    shown = round(kappa, 2)
    if shown < 0:
        return _("poor agreement")
    if shown <= 0.2:
        return _("slight agreement")
    if shown <= 0.4:
        return _("fair agreement")
    if shown <= 0.6:
        return _("moderate agreement")
    if shown <= 0.8:
        return _("substantial agreement")
    return _("almost perfect agreement")


def list_line_effect(line: ListLine, can_email: bool) -> SafeString:
    """State the effect of a line of a list of invitations."""
    match line.state:
        case LineState.WRONG:
            return joined(chip(_("wrong"), "bad"), line.problem[:1].upper() + line.problem[1:])
        case LineState.MEMBER:
            return soft(_("is a member: left as it is"))
        case LineState.INVITED:
            return soft(_("has an open invitation: left as it is"))
        case LineState.NEW:
            effect = _("gets an email with a link") if can_email else _("gets a link, which you pass on")
            return joined(chip(pgettext("invitation", "new"), "good"), effect)


def token_end(token: ApiToken) -> str:
    if token.state == "revoked":
        return "–"
    if token.expires_at is None:
        return _("until revoked")
    return _("until %(until)s") % {"until": moment(token.expires_at)}
