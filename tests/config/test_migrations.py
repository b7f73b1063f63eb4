import io

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_the_tables_match_the_models() -> None:
    said = io.StringIO()
    try:
        call_command("makemigrations", "--check", "--dry-run", stdout=said)
    except SystemExit:
        pytest.fail(f"a migration is missing:\n{said.getvalue()}", pytrace=False)
