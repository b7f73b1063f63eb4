"""Invitations and tokens in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User

from campaigns.models import ApiToken, Invitation, Team
from campaigns.pages.sentences.people import (
    invitation_sentence,
    invitation_state,
    kappa_words,
    list_line_effect,
    refused_invitation_sentence,
    token_end,
)
from campaigns.people.invitation_lists import LineState, ListLine

PAST, FUTURE = datetime(2020, 3, 2, 12, tzinfo=UTC), datetime(2999, 3, 2, 12, tzinfo=UTC)


def invitation(**values: object) -> Invitation:
    return Invitation(**{"role": "assessor", "expires_at": FUTURE, **values})


@pytest.mark.parametrize(
    ("refused", "sentence"),
    [
        (
            None,
            "This invitation does not exist. Check that you copied the whole link. After a reminder, only "
            "the link in the latest email is valid.",
        ),
        (
            invitation(used_at=PAST, capacity=30),
            "As many people as may have joined by this link. If you are one of them, sign in.",
        ),
        (invitation(used_at=PAST), "This link has already been used. If you used it, sign in."),
        (invitation(revoked_at=PAST), "An organiser has taken it back."),
        (invitation(expires_at=PAST), "It expired on 2 March 2020, 12:00 UTC."),
    ],
)
def test_refused_invitation_has_a_reason(refused: Invitation | None, sentence: str) -> None:
    assert refused_invitation_sentence(refused) == sentence


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            invitation(role="organiser"),
            "You are invited to organise this relevance assessment campaign together with others.",
        ),
        (
            invitation(role="participant", team=Team(name="a<b")),
            "You are invited to take part with the team a&lt;b: it hands in runs, and they are evaluated.",
        ),
        (invitation(), "You are invited to judge documents in this relevance assessment campaign."),
        (
            invitation(created_by=User(username="eve")),
            "You are invited to judge documents in this relevance assessment campaign. The invitation is "
            "from eve.",
        ),
    ],
)
def test_invitation_names_the_role_and_the_inviter(given: Invitation, sentence: str) -> None:
    assert invitation_sentence(given) == sentence


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (invitation(), "open until 2 March 2999, 12:00"),
        (invitation(used_at=PAST), "used by –"),
        (invitation(used_at=PAST, used_by=User(username="eve")), "used by eve"),
        (invitation(revoked_at=PAST), '<span class="soft">revoked</span>'),
        (invitation(expires_at=PAST), '<span class="soft">expired</span>'),
        (
            invitation(used_at=PAST, capacity=1200, joined=1200),
            '1,200 of 1,200 joined<br><span class="soft">full</span>',
        ),
        (invitation(capacity=30, joined=4), "4 of 30 joined<br>open until 2 March 2999, 12:00"),
    ],
)
def test_invitation_has_a_state(given: Invitation, state: str) -> None:
    assert invitation_state(given) == state


@pytest.mark.parametrize(
    ("state", "can_email", "effect"),
    [
        (LineState.WRONG, True, '<span class="chip bad">wrong</span> No role “&lt;b&gt;”'),
        (LineState.MEMBER, True, '<span class="soft">is a member: left as it is</span>'),
        (LineState.INVITED, True, '<span class="soft">has an open invitation: left as it is</span>'),
        (LineState.NEW, True, '<span class="chip good">new</span> gets an email with a link'),
        (LineState.NEW, False, '<span class="chip good">new</span> gets a link, which you pass on'),
    ],
)
def test_line_of_a_list_has_an_effect(state: LineState, can_email: bool, effect: str) -> None:
    line = ListLine(1, "eve@example.org", "assessor", (), state, "no role “<b>”")
    assert list_line_effect(line, can_email) == effect


@pytest.mark.parametrize(
    ("token", "end"),
    [
        (ApiToken(revoked_at=PAST, expires_at=FUTURE), "–"),
        (ApiToken(), "until revoked"),
        (ApiToken(expires_at=FUTURE), "until 2 March 2999, 12:00"),
    ],
)
def test_token_has_an_end(token: ApiToken, end: str) -> None:
    assert token_end(token) == end


@pytest.mark.parametrize(
    ("kappa", "words"),
    [
        (-0.01, "poor agreement"),
        (-0.004, "slight agreement"),
        (0.2, "slight agreement"),
        (0.21, "fair agreement"),
        (0.404, "fair agreement"),
        (0.6, "moderate agreement"),
        (0.61, "substantial agreement"),
        (0.8, "substantial agreement"),
        (0.81, "almost perfect agreement"),
    ],
)
def test_kappa_has_the_words_of_landis_and_koch(kappa: float, words: str) -> None:
    assert kappa_words(kappa) == words
