"""Publication of results to teams and to everybody: the organiser releases and publishes them, and can revoke
both."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import Campaign, HandIn, Membership
from campaigns.models.participants import Audience
from campaigns.participants.rules import lock_rules, rules_of
from campaigns.people.teams import is_participant


def release_scores(*, campaign: Campaign, released: bool) -> HandIn:
    """Release or withhold the score ranges: each team sees those of its own runs."""
    with transaction.atomic():
        row = lock_rules(campaign)
        if (row.scores_released_at is not None) != released:
            row.scores_released_at = timezone.now() if released else None
            row.save(update_fields=["scores_released_at"])
            audit.note(campaign=campaign, kind="scores released" if released else "scores withheld")
    return row


def publish_leaderboard(
    *, campaign: Campaign, audience: str | None = None, anonymous: bool | None = None
) -> HandIn:
    """`audience`: none takes it back. `anonymous`: labels in place of names. Both by default as they were."""
    if audience is not None and audience not in Audience.values:
        detail = gettext("the leaderboard is for none, participants or public")
        raise Refusal("unknown_audience", detail, field="leaderboard")
    with transaction.atomic():
        row = lock_rules(campaign)
        before = row.leaderboard, row.anonymous
        row.leaderboard = row.leaderboard if audience is None else audience
        row.anonymous = row.anonymous if anonymous is None else anonymous
        if before == (row.leaderboard, row.anonymous):
            return row
        row.published_at = timezone.now() if row.leaderboard != Audience.NONE else None
        row.save(update_fields=["leaderboard", "anonymous", "published_at"])
        if row.leaderboard != Audience.NONE:
            state = {"audience": row.leaderboard, "anonymous": row.anonymous, "measure": campaign.measure}
            audit.note(campaign=campaign, kind="leaderboard published", **state)
        elif before[0] != Audience.NONE:
            audit.note(campaign=campaign, kind="leaderboard withdrawn")
    return row


def may_see_leaderboard(*, campaign: Campaign, user: User | None) -> bool:
    """Organisers always, so that they see it before they publish it."""
    audience = rules_of(campaign).leaderboard
    if audience == Audience.PUBLIC:
        return True
    if user is None:
        return False
    if audience == Audience.PARTICIPANTS and is_participant(user=user, campaign=campaign):
        return True
    organisers = campaign.memberships.filter(role=Membership.Role.ORGANISER)
    return organisers.filter(user=user).exists()
