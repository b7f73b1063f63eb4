#!/usr/bin/env python
"""Every command of the project: `python manage.py help` lists them."""

import os
import sys
import traceback
from collections.abc import Callable

from campaigns.management.offline import FILE_COMMANDS
from campaigns.management.offline.command_line import run_file_command


def main(arguments: list[str]) -> int:
    command = arguments[1] if len(arguments) > 1 else ""
    if command in FILE_COMMANDS:
        run_file_command(arguments)
        return 0

    # The servers are imported only now: commands on files start in half the time without them.
    from config.embedded.application import SUPERVISED_VARIABLE as SUPERVISED
    from config.embedded.cli import run_with_services, serve
    from config.embedded.supervisor import use_running_services

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if command == "serve":
        return serve(arguments[2:])
    if command == "demo" and SUPERVISED not in os.environ:
        return serve(arguments[2:], first="demo")
    database = bool(os.environ.get("DATABASE_URL")) or use_running_services(os.environ, command)
    if command in ("backup", "restore") and not database:
        return run_with_services(arguments[1:])

    from django.core.management import execute_from_command_line

    return _without_traceback(lambda: execute_from_command_line(arguments), database=database)


def _without_traceback(run: Callable[[], None], *, database: bool) -> int:
    """The exit code; a full disk, or a database that is missing, is an error message."""
    try:
        run()
    except Exception as error:
        from django.db import OperationalError

        from campaigns.core.database import is_disk_full as is_no_room
        from campaigns.core.database import is_unavailable
        from config.embedded.application import SUPERVISED_VARIABLE as SUPERVISED
        from config.embedded.supervisor import NO_DATABASE

        if is_no_room(error):
            print(f"The disk is full; nothing more was stored.\n{error}", file=sys.stderr)
            return 1
        if SUPERVISED in os.environ and is_unavailable(error):
            # The supervisor runs `migrate` again.
            traceback.print_exc()
            return os.EX_TEMPFAIL
        if database or not isinstance(error, OperationalError):
            raise
        print(f"{NO_DATABASE}\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
