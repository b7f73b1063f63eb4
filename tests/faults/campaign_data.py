"""Make the campaign of a kill run: `python -m tests.faults.campaign_data SEED`.

It is on the database of the environment. Prints its address, and the tokens of its organiser and assessors,
as JSON.
"""

from __future__ import annotations

import json
import sys
from random import Random

import django

ASSESSORS, TOPICS, RUNS, DEPTH, POOL = 5, 20, 6, 300, 500
PERSISTENCE = 0.9

Lists = dict[str, dict[str, list[str]]]


def lists_of(seed: int) -> Lists:
    """Run → topic → docnos, best first."""
    random = Random(seed)
    pools = {str(topic): [f"T{topic}-{each:03}" for each in range(POOL)] for topic in range(1, TOPICS + 1)}
    return {
        f"run{run}": {topic: random.sample(pool, DEPTH) for topic, pool in pools.items()}
        for run in range(RUNS)
    }


def main(seed: int) -> None:
    django.setup()
    from campaigns.models import TokenScope
    from campaigns.people import members, tokens
    from tests.campaigns.factories import make_campaign, make_user

    campaign = make_campaign("Faults", lists_of(seed), p=PERSISTENCE)
    names = [f"assessor{number}" for number in range(ASSESSORS)]
    for name in names:
        make_user(name)
        members.add_member(campaign=campaign, username=name, role="assessor")
    made = {
        user.username: tokens.make(user=user, name="faults", scopes=TokenScope.values)[1]
        for user in (membership.user for membership in campaign.memberships.select_related("user"))
        if user.username in (*names, "Faults-ada")
    }
    print(json.dumps({"slug": campaign.slug, "organiser": made.pop("Faults-ada"), "assessors": made}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
