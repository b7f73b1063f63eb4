"""The role that serves requests adds to the log, and can change, delete or disable nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import psycopg2
import pytest
from django.core.checks import run_checks
from django.db import connection
from psycopg2.errors import ForeignKeyViolation, InsufficientPrivilege

from campaigns.log.privileges import LOG_TABLES, restrict_roles
from campaigns.models import Campaign, Deed, Judgment
from config.embedded.postgres import OWNER, SITE
from tests.campaigns.factories import Api, make_campaign
from tests.plumbing.servers.services import pair
from tests.plumbing.servers.site_role import make_site_role

ON_TABLES = [
    "UPDATE {table} SET campaign_id = campaign_id",
    "DELETE FROM {table}",
    "TRUNCATE {table} CASCADE",
    "INSERT INTO {table} SELECT * FROM {table} ON CONFLICT (id) DO UPDATE SET campaign_id = 0",
    "MERGE INTO {table} old USING {table} new ON old.id = new.id WHEN MATCHED THEN DELETE",
    "SELECT * FROM {table} FOR UPDATE",
    "LOCK TABLE {table}",
    "DROP TRIGGER {trigger} ON {table}",
    "CREATE TRIGGER own BEFORE INSERT ON {table} EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE RULE own AS ON INSERT TO {table} DO INSTEAD NOTHING",
    "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "ALTER TABLE {table} ALTER campaign_id DROP NOT NULL",
    "ALTER TABLE {table} RENAME TO other",
    "ALTER TABLE {table} OWNER TO site",
    "DROP TABLE {table} CASCADE",
]
AROUND_THEM = [
    f"SET ROLE {OWNER}",
    f"SET SESSION AUTHORIZATION {OWNER}",
    "SET session_replication_role = replica",
    f"ALTER ROLE {SITE} SUPERUSER",
    "ALTER FUNCTION campaigns_delete_log SECURITY INVOKER",
    "DROP FUNCTION campaigns_restrict_log",
    "CREATE FUNCTION own() RETURNS void LANGUAGE sql AS ''",
    "COPY campaigns_deed TO PROGRAM 'cat'",
]
TRIGGER = "SELECT quote_ident(tgname) FROM pg_trigger WHERE tgrelid = %s::regclass LIMIT 1"


@pytest.fixture
def campaign(transactional_db: None) -> Campaign:
    campaign = make_campaign()
    Api(campaign, "Small-grace").judge("1", "a", 1)
    return campaign


@pytest.fixture
def site(campaign: Campaign) -> Iterator[psycopg2.extensions.connection]:
    """Signed in as the role, beside the tests' own connection."""
    make_site_role()
    server = urlsplit(pair.urls["DATABASE_URL"])
    name = connection.settings_dict["NAME"]
    address = server._replace(netloc=server.netloc.replace(OWNER, SITE), path=f"/{name}").geturl()
    with closing(psycopg2.connect(address)) as signed_in:
        yield signed_in


def refusal_of(site: psycopg2.extensions.connection, sql: str, given: list[Any] | None = None) -> str | None:
    """The name of the error that refuses the statement; None if it is not refused."""
    try:
        with site, site.cursor() as cursor:
            cursor.execute(sql, given)
    except psycopg2.Error as error:
        return type(error).__name__
    return None


def test_the_role_can_only_add_to_the_log(site: psycopg2.extensions.connection) -> None:
    wanted = dict.fromkeys(AROUND_THEM, "InsufficientPrivilege")
    for table in LOG_TABLES:
        with site, site.cursor() as cursor:
            cursor.execute(TRIGGER, [table])
            [(trigger,)] = cursor.fetchall()
            cursor.execute(f"SELECT count(*) FROM {table}")
            # Grants nothing, with a warning: the statements below are refused all the same.
            cursor.execute(f"GRANT ALL ON {table} TO {SITE}")
        wanted |= {sql.format(table=table, trigger=trigger): "InsufficientPrivilege" for sql in ON_TABLES}
    assert {sql: refusal_of(site, sql) for sql in wanted} == wanted
    assert (Judgment.objects.count(), Deed.objects.exists()) == (1, True)


def test_a_log_goes_only_with_the_whole_campaign(
    site: psycopg2.extensions.connection, campaign: Campaign
) -> None:
    for sql in ("SELECT campaigns_delete_log(%s)", "DELETE FROM campaigns_campaign WHERE id = %s"):
        assert refusal_of(site, sql, [campaign.id]) == ForeignKeyViolation.__name__
    again = "INSERT INTO campaigns_campaign SELECT * FROM campaigns_campaign; "
    assert refusal_of(site, f"SELECT campaigns_delete_log(%s); {again}", [campaign.id]) is not None
    assert Judgment.objects.count() == 1


def test_only_an_account_is_replaced_and_only_by_a_pseudonym(
    site: psycopg2.extensions.connection, campaign: Campaign
) -> None:
    forget = "SELECT campaigns_forget_person(%s, '', %s, '{person}', false)"
    grace = Judgment.objects.get().assessor_id
    for given in ([grace, "Small-alan"], [0, "person-0123abcd"], [grace, "person-0123abcd "]):
        assert refusal_of(site, forget, given) == "RaiseException"


def test_a_role_that_only_reads_calls_no_function(site: psycopg2.extensions.connection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP ROLE IF EXISTS reader; CREATE ROLE reader")
        cursor.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        # As a restore leaves them.
        cursor.execute("GRANT EXECUTE ON FUNCTION campaigns_delete_log, campaigns_forget_person TO PUBLIC")
        restrict_roles(using="default")
        try:
            for call in ("campaigns_delete_log(1)", "campaigns_forget_person(1, '', '', '{}', true)"):
                cursor.execute("SET ROLE reader")
                with pytest.raises(Exception, match="permission denied") as caught:
                    cursor.execute(f"SELECT {call}")
                assert isinstance(caught.value.__cause__, InsufficientPrivilege)
        finally:
            cursor.execute("RESET ROLE")
            cursor.execute("DROP OWNED BY reader; DROP ROLE reader")


def warnings() -> list[str]:
    return [found.id for found in run_checks(include_deployment_checks=True) if found.id == "campaigns.W001"]


@pytest.mark.django_db
def test_the_deployment_check_warns_of_an_owner_that_serves() -> None:
    assert warnings() == ["campaigns.W001"]


def test_the_deployment_check_accepts_the_role(as_site: None) -> None:
    assert warnings() == []
