"""The site as an installed program: `judged-site COMMAND` runs what `manage.py COMMAND` runs in a clone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROJECT = Path(__file__).with_name("project")


def main() -> int:
    """Run the command that the arguments name; its exit code."""
    if not os.environ.get("DATA_DIR"):
        # An update replaces the program's folder, so data have a place of their own.
        os.environ["DATA_DIR"] = str(_user_data_folder() / "judged-site")
    sys.path.insert(0, str(PROJECT))
    import manage

    return manage.main(sys.argv)


def _user_data_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    given = os.environ.get("XDG_DATA_HOME")
    return Path(given) if given else Path.home() / ".local" / "share"
