"""All that is counted over whole logs, so that it can be done before anybody waits for it."""

from __future__ import annotations

from campaigns.models import Campaign
from campaigns.services.agreement import ALIKE
from campaigns.services.counted_acts import ACTS, GIVEN
from campaigns.services.owed import WAITING
from campaigns.services.sharing import SHARED
from campaigns.services.tallies import PEOPLE, TOPICS, counts_of

KINDS = (TOPICS, PEOPLE, ACTS, GIVEN, SHARED, ALIKE, WAITING)


def count_all(*, campaign: Campaign) -> None:
    """Bring every count up to the log's end, and to the rules that hold now."""
    for kind in KINDS:
        counts_of(campaign, kind)
