"""The database role under which web and worker serve."""

from __future__ import annotations

import pytest
from django.db import connection

from config.embedded.postgres import SITE, SITE_ROLE


def make_site_role() -> None:
    """In the tests' database, which they use as its owner."""
    with connection.cursor() as cursor:
        cursor.execute(SITE_ROLE)


@pytest.fixture
def as_site(db: None) -> None:
    """The rest of the test has the rights of the site's own processes."""
    make_site_role()
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {SITE}")
