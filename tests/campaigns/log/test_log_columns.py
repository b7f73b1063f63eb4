"""The columns of the judgment log are listed once; exports and API have these, in this order."""

from __future__ import annotations

from campaigns.api.shapes.judging.judgments import Logged
from campaigns.log.judgments import LOG_COLUMNS


def test_api_shape_has_the_logs_columns() -> None:
    assert list(Logged().fields) == list(LOG_COLUMNS)
