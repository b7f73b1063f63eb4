"""A Chromium on this machine, for what is measured or tested in a browser."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]


def find() -> str | None:
    """Its path: the one that CHROMIUM names, one on the PATH, or the one Playwright has downloaded."""
    if named := os.environ.get("CHROMIUM"):
        return named if os.access(named, os.X_OK) else None
    for name in NAMES:
        if path := shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/bin:/snap/bin"):
            return path
    return _downloaded()


def _downloaded() -> str | None:
    # Asking Playwright itself would start its driver; the folder's layout is plain.
    home = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = sorted(home.glob("chromium-*/chrome-*/chrome")) + sorted(
        home.glob("chromium-*/chrome-mac*/*.app/Contents/MacOS/*")
    )
    return str(found[-1]) if found else None
