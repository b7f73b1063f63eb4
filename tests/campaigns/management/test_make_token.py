from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from campaigns.models import ApiToken, Campaign
from tests.campaigns.factories import holding, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def test_the_secret_alone_is_printed(campaign: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("make_token", "Small-ada", "--scope", "judge", "--scope", "read", "--campaign", "small")
    secret = capsys.readouterr().out.removesuffix("\n")
    assert holding(secret).get("/api/v1/campaigns/small/").status_code == 200
    token = ApiToken.objects.get()
    assert (token.scopes, token.campaign, token.expires_at) == (["read", "judge"], campaign, None)
    deed = campaign.deeds.latest("id")
    assert (deed.kind, deed.actor_name) == ("token made", "the command line")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nobody", "--scope", "read"], "no account named nobody"),
        (["Small-ada"], "--scope"),
        (["Small-ada", "--scope", "everything"], "invalid choice"),
        (
            ["Small-ada", "--scope", "read", "--campaign", "other"],
            "there is no campaign other; there are small",
        ),
        (["Small-ada", "--scope", "read", "--campaign", "smal"], r"no campaign smal; did you mean small\?"),
        (["Small-ada", "--scope", "read", "--days", "0"], "1 to 3660 days"),
        (["Small-ada", "--scope", "read", "--name", ""], "enter a name for the token"),
    ],
)
def test_refusals_print_no_secret(
    campaign: Campaign, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("make_token", *arguments)
    assert "assess_" not in capsys.readouterr().out
    assert not ApiToken.objects.exists()
