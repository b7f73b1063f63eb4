"""Write the pages of docs/ that follow from the code: `make error-codes`."""

from __future__ import annotations

import os

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from tests.docs.generated import campaign_settings, command_reference, error_codes, limits

    for one in (campaign_settings, command_reference, error_codes, limits):
        one.PAGE.write_text(one.page())
