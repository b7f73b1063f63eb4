"""Statements that are planned once for a connection: they say the same as when they are not."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from pytest_django import Settings

from campaigns.core.database import Statement
from campaigns.models import Membership
from campaigns.people.members import role_of
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db(transaction=True)

SUM = Statement(
    "sum_of_test",
    "SELECT %(more)s + n, n %% 2 FROM unnest(%(numbers)s) n WHERE %(more)s IS NOT NULL",
    numbers="int[]",
    more="int",
)
GIVEN = {"numbers": [1, 2], "more": 10}


def prepared() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements WHERE name = %s", [SUM.name])
        return [name for (name,) in cursor]


def test_it_is_kept_by_the_connection_and_made_again_for_the_next() -> None:
    for _ in range(2):
        connection.close()
        assert prepared() == []
        assert [SUM.rows(GIVEN), SUM.rows({**GIVEN, "numbers": [4]})] == [[(11, 1), (12, 0)], [(14, 0)]]
        assert prepared() == [SUM.name]


def test_it_outlives_a_rollback() -> None:
    connection.close()
    with transaction.atomic():
        SUM.rows(GIVEN)
        transaction.set_rollback(True)
    assert SUM.row(GIVEN) == (11, 1)
    assert SUM.row({**GIVEN, "numbers": []}) is None


def test_behind_a_pooler_nothing_is_kept_and_all_is_the_same(settings: Settings) -> None:
    settings.PREPARED_STATEMENTS = False
    connection.close()
    assert SUM.rows(GIVEN) == [(11, 1), (12, 0)]
    assert prepared() == []
    connection.close()


def test_statements_that_cannot_be_told_apart_or_are_not_typed_are_refused() -> None:
    with pytest.raises(ValueError, match="two statements are called sum_of_test"):
        Statement(SUM.name, "SELECT 1")
    with pytest.raises(ValueError, match="not just the parameters"):
        Statement("untyped_test", "SELECT %(one)s", other="int")


def test_a_role_is_read_as_the_orm_reads_it() -> None:
    campaign = make_campaign("Small")
    ada, stranger = User.objects.get(username="Small-ada"), User.objects.create_user("stranger")
    found = role_of(user=ada, slug=campaign.slug)
    stored = Membership.objects.select_related("campaign").get(user=ada, campaign=campaign)
    assert found is not None
    for one, other in ((found, stored), (found.campaign, stored.campaign)):
        names = [field.attname for field in one._meta.concrete_fields]
        assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]
    assert role_of(user=stranger, slug=campaign.slug) is None
    assert role_of(user=ada, slug="unknown") is None
