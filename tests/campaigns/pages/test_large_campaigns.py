"""Every page and every list of the API, opened in a campaign of ten thousand topics: few statements, few
bytes, and little work for each topic."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from campaigns.judging.tasks import count_all
from campaigns.models import Campaign
from tests.campaigns.factories import signed_in
from tests.campaigns.large_campaign import LargeSize, make_large_campaign

SIZE = LargeSize(documents=20_000, judged=7, ranked_every=50, depth=4)
MOST_BYTES, MOST_STATEMENTS = 500_000, 60
# Of Python functions. To look at each topic a few times costs as many; to look at each pair of topics, or at
# each topic of each run, costs a hundred times that.
MOST_CALLS = 1_000_000
# Rows that come from the database: each topic a few times. And rows that it reads for them: of each topic
# those of its judgments, assignments and claims, but not those of each run.
MOST_ROWS, MOST_ROWS_READ = 50_000, 1_500_000

# Addresses that show neither page nor list of a campaign, each with the reason.
NO_PAGES = {
    r"^(sign-in|sign-out|join|reset|emails-off|language)/": "of signing in, without a campaign",
    r"^accounts/|^administration/|^account/|^tokens/": "of accounts, without a campaign",
    r"^lab/|^api/v1/lab/": "of studies, whose sizes are their own",
    r"^help/|^api/v1/(schema|docs|client)/|worker\.js|guide\.": "the same whatever the campaign",
    r"/events/$": "a stream without an end",
    r"exports/report\.pdf$": "a download of the page above it",
    r"exports/<|/bundle/$|history/<|/prels/$|/qrels/$|\.<slug:|\.json$|/file/$|receipt": "a download",
    r"teams?/runs/<int:submission>/$": "a file as it was handed in, or of one run",
    r"exports/figures/": "a drawing, which the worker makes",
    r"/content/$": "a document as it is",
}
PEOPLE = ("ada", "grace7", "carl7")
# What an address asks for beside its path.
QUERIES = {
    "api/v1/campaigns/<slug:slug>/documents/": "?q=body",
    "api/v1/campaigns/<slug:slug>/search/": "?topic=5001&q=body",
    "api/v1/campaigns/<slug:slug>/priorities/": "?topic=5001",
    "api/v1/campaigns/<slug:slug>/next/": "?topic=5007",
    "api/v1/campaigns/<slug:slug>/ahead/": "?topic=5007",
    "campaigns/<slug:slug>/curves/": "?run={run}",
    "campaigns/<slug:slug>/document/": "?docno={docno}",
}


@dataclass(frozen=True)
class Cost:
    """Cost of one request."""

    statements: int
    rows: int
    rows_read: int
    size: int
    calls: int

    @property
    def is_too_dear(self) -> bool:
        few = self.statements <= MOST_STATEMENTS and self.size <= MOST_BYTES
        quick = self.rows <= MOST_ROWS and self.rows_read <= MOST_ROWS_READ and self.calls <= MOST_CALLS
        return not (few and quick)


@dataclass
class Counter:
    calls: int = 0
    rows: list[int] = field(default_factory=list)

    def profile(self, frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            self.calls += 1

    def execute(self, run: Callable[..., Any], sql: str, given: Any, many: bool, context: Any) -> Any:
        found = run(sql, given, many, context)
        self.rows.append(max(context["cursor"].cursor.rowcount, 0))
        return found


@pytest.fixture(scope="module")
def campaign(module_rows: None) -> Campaign:
    made = make_large_campaign("Large", SIZE)
    # As a worker does every few seconds.
    count_all(campaign=Campaign.objects.get(id=made.id))
    return made


def addresses(entries: list[Any] | None = None, before: str = "") -> Iterator[str]:
    for entry in get_resolver().url_patterns if entries is None else entries:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry.url_patterns, route)
        elif isinstance(entry, URLPattern) and not any(re.search(one, route) for one in NO_PAGES):
            yield route


@pytest.fixture(scope="module")
def values(campaign: Campaign) -> dict[str, object]:
    """Values in addresses, by the names of their parameters."""
    example = campaign.guideline_examples.select_related("document", "topic").order_by("position")[0]
    first = {name: getattr(campaign, name).order_by("id")[0].id for name in ("runs", "teams", "webhooks")}
    return {
        "slug": campaign.slug,
        "number": "5001",
        "docno": example.document.docno,
        "part": "runs",
        "username": f"{campaign.slug}-grace7",
        "run": first["runs"],
        "team": first["teams"],
        "webhook": first["webhooks"],
        "example": example.id,
        **dict.fromkeys(("delivery", "engine", "configuration", "pull", "invitation", "item", "question"), 1),
        "step": "judging",
    }


def address_of(route: str, values: dict[str, object]) -> str:
    path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values[found[1]]), route)
    return f"/{path}{QUERIES.get(route, '').format(**values)}"


def cost_of(client: Client, address: str) -> Cost | None:
    """Cost of the second request; None unless the first shows something."""
    if client.get(address).status_code != 200:
        return None
    counter, read_before = Counter(), rows_read()
    with CaptureQueriesContext(connection) as captured, connection.execute_wrapper(counter.execute):
        before = sys.getprofile()
        sys.setprofile(counter.profile)
        try:
            reply = client.get(address)
        finally:
            sys.setprofile(before)
    size = len(reply.getvalue())
    return Cost(len(captured), sum(counter.rows), rows_read() - read_before, size, counter.calls)


def rows_read() -> int:
    """Rows of tables that the transaction of the test has read so far."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables"
        )
        return int(cursor.fetchone()[0])


@pytest.mark.django_db
@pytest.mark.timeout(900)
def test_every_page_bears_ten_thousand_topics(campaign: Campaign, values: dict[str, object]) -> None:
    clients = [signed_in(f"{campaign.slug}-{name}") for name in PEOPLE]
    opened, dear = 0, []
    for route in addresses():
        address = address_of(route, values)
        costs = [cost for client in clients if (cost := cost_of(client, address))]
        opened += bool(costs)
        dear += [(address, cost) for cost in costs if cost.is_too_dear]
    assert not dear, "\n".join(f"{address}: {cost}" for address, cost in dear)
    assert opened > 80
