"""A real Chromium: found on the machine, or installed by `python -m tests.plumbing.chromium`."""

import os
import platform
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
PACKAGES = ["chromium", "fonts-liberation"]
REFUSED = (
    "No Chromium, and none could be installed. The browser tests need one: install the package `chromium` "
    "(Debian, Ubuntu, Fedora, Alpine) or Google Chrome, or set CHROMIUM to the program's path."
)


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
    install = ["apt-get", "install", "--yes", "-qq", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update", "-qq"], install):
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
    return find()


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
