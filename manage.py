#!/usr/bin/env python
"""Every command of the project: `python manage.py help` lists them."""

import os
import sys


def main(arguments: list[str]) -> int:
    from config.embedded.application import SUPERVISED_VARIABLE as SUPERVISED
    from config.embedded.cli import serve
    from config.embedded.supervisor import NO_DATABASE, use_running_services

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    command = arguments[1] if len(arguments) > 1 else ""
    if command == "serve":
        return serve(arguments[2:])
    if command == "demo" and SUPERVISED not in os.environ:
        return serve(arguments[2:], first="demo")
    database = bool(os.environ.get("DATABASE_URL")) or use_running_services(os.environ)

    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    from campaigns.core.database import is_disk_full as is_no_room

    try:
        execute_from_command_line(arguments)
    except Exception as error:
        if is_no_room(error):
            print(f"The disk is full; nothing more was stored.\n{error}", file=sys.stderr)
            return 1
        if database or not isinstance(error, OperationalError):
            raise
        print(f"{NO_DATABASE}\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
