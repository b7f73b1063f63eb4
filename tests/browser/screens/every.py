"""Every page, and every state of it at which a person may stop: how to get there, and when it is there."""

from __future__ import annotations

from tests.browser.screens.accounts import OTHERS
from tests.browser.screens.assessing import ASSESSING
from tests.browser.screens.organising import ORGANISING

ALL = [*ASSESSING, *ORGANISING, *OTHERS]
