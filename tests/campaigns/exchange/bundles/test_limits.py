"""What a bundle may cost before its signature is checked."""

from __future__ import annotations

import io
from zipfile import ZipFile

import pytest

from campaigns.exchange.bundles.reader import open_bundle
from campaigns.formats.errors import FormatError


def test_a_zip_of_very_many_entries_is_refused_unread() -> None:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"{number:05d}", b"")
    with pytest.raises(FormatError, match="its list of entries is longer than 1,048,576 bytes"):
        open_bundle(file, "b.zip", max_bytes=1 << 30)
