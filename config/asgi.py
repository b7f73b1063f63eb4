"""Ordinary views run on a fixed set of threads whose database connections last, uploads on few of their own.
Only the live event streams, which would each hold a thread for hours, run as coroutines."""

import os
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from config.environment import whole
from config.web.client_disconnect import DisconnectMonitor
from config.web.connections import raise_open_file_limit
from config.web.headers import unambiguous
from config.web.upload_folder import UploadFolder
from config.web.view_threads import ViewThreads

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

WEB_THREADS = whole("WEB_THREADS", 12, least=1)
UPLOAD_THREADS = whole("UPLOAD_THREADS", 2, least=1)

if settings.SECRET_KEY == settings.UNSAFE_SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY is not set: sessions could be forged")

# Django types its application more narrowly than the WSGI protocol does.
wsgi: Any = get_wsgi_application()
streams = get_asgi_application()

# Models can be imported only once the applications are ready.
from campaigns.core.database import WEB, limit_connections  # noqa: E402
from campaigns.notifications.notices import WorkerWatch  # noqa: E402
from config.monitoring import HEALTH, healthz  # noqa: E402
from config.web.request_bodies import RequestBodies, without_body  # noqa: E402

pages = ViewThreads(wsgi, WEB_THREADS)
uploads = ViewThreads(wsgi, UPLOAD_THREADS)
site = RequestBodies(
    DisconnectMonitor(pages),
    DisconnectMonitor(uploads),
    threads=pages.executor,
    slow_seconds=settings.SLOW_CLIENT_SECONDS,
)

limit_connections(WEB)


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    scope = unambiguous(scope)
    if scope["type"] != "http":
        await send({"type": "websocket.close", "code": 1000})
    elif scope["path"] == HEALTH:
        await healthz(scope, send)
    elif scope["path"].endswith("/events/"):
        await streams(*without_body(scope, receive), send)
    else:
        await site(scope, receive, send)


async def _lifespan(receive: Any, send: Any) -> None:
    watch = WorkerWatch()
    folder = UploadFolder(settings.FILE_UPLOAD_TEMP_DIR)
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            raise_open_file_limit()
            # Django's own files have names, and outlive a process that is killed.
            settings.FILE_UPLOAD_TEMP_DIR = str(folder.open())
            watch.start()
        else:
            watch.stop()
            folder.close()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
