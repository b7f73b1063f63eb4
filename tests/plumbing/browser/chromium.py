"""A real Chromium: found on the machine, or installed by `python -m tests.plumbing.browser.chromium`.

The headless shell is the same engine without windows and profiles: a new visit takes a quarter of the
processor time that it takes in the whole browser.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

SHELLS = ["chromium-headless-shell", "chrome-headless-shell"]
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
# Tried in this order: not every system packages the shell.
PACKAGES = ["chromium-headless-shell", "chromium"]
# As Playwright lays out what it downloads.
DOWNLOADED_SHELLS = ["chromium_headless_shell-*/chrome-*/*headless*shell"]
DOWNLOADED_BROWSERS = [
    "chromium-*/chrome-*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
]
REFUSED = (
    "No Chromium, and none could be installed. The browser tests need one: install the package `chromium` "
    "(Debian, Ubuntu, Fedora, Alpine) or Google Chrome, or set CHROMIUM to the program's path."
)


def find() -> str | None:
    """Its path: the program that CHROMIUM names, a headless shell, or else a whole browser."""
    if named := os.environ.get("CHROMIUM"):
        return named if os.access(named, os.X_OK) else None
    return _on_path(SHELLS) or _downloaded(DOWNLOADED_SHELLS) or find_browser()


def find_browser() -> str | None:
    """A whole browser, as people use it."""
    return _on_path(BROWSERS) or _downloaded(DOWNLOADED_BROWSERS)


def _on_path(names: Sequence[str]) -> str | None:
    folders = f"{os.environ.get('PATH', '')}:/usr/bin:/snap/bin"
    return next(filter(None, (shutil.which(name, path=folders) for name in names)), None)


def _downloaded(patterns: Sequence[str]) -> str | None:
    # Asking Playwright itself would start its driver; the folder's layout is plain.
    home = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = [path for pattern in patterns for path in sorted(home.glob(pattern))]
    return str(found[-1]) if found else None


def find_or_install() -> str | None:
    return find() or _install_by_apt() or _install_by_playwright()


@cache
def version_or_reason() -> str:
    path = find()
    return _version(path) if path else "no Chromium"


def _version(path: str) -> str:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() or f"Chromium of unknown version ({path})"


def _install_by_apt() -> str | None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    print("Installing Chromium by apt-get …", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "-qq", "--no-install-recommends", "fonts-liberation"]
    for command in (["apt-get", "update", "-qq"], *([*install, package] for package in PACKAGES)):
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
        if path := find():
            return path
    return None


def _install_by_playwright() -> str | None:
    print("Installing Chromium by Playwright …", flush=True)
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"])
    return find()


def main() -> int:
    path = find_or_install()
    if path is None:
        print(f"{REFUSED}\n(this is {platform.platform()})", file=sys.stderr)
        return 1
    print(f"{_version(path)} ({path})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
