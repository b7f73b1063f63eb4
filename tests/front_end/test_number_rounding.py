"""Scripts and server round by one rule."""

from __future__ import annotations

import json
import math
import subprocess

import pytest
from django.utils import translation

from campaigns.core import decimals
from campaigns.core.decimals import decimal
from tests.campaigns.core.decimal_samples import sample
from tests.plumbing.checks import NODE, ROOT


@pytest.mark.parametrize("language", ["en", "de"])
def test_scripts_round_as_the_server_does(language: str) -> None:
    values = sample()
    sent = json.dumps([None if math.isnan(value) else value for value in values])
    command = [NODE, "tests/front_end/pages/round_numbers.js", language]
    done = subprocess.run(command, input=sent, cwd=ROOT, check=True, capture_output=True, text=True)
    rules = (decimals.score, decimals.base, decimals.top, decimals.p_value, decimals.percentage)
    with translation.override(language):
        for value, found in zip(values, json.loads(done.stdout), strict=True):
            expected = [*(decimal(value, digits) for digits in range(5)), decimal(value, 1, trim=True)]
            assert found == expected + [rule(value) for rule in rules], value.hex()
