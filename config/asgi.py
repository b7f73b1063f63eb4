"""Ordinary views run on a fixed set of threads whose database connections last; only the live event
streams, which would each hold a thread for hours, run as coroutines."""

import os
from typing import Any

from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from config.client_disconnect import Hangups
from config.environment import whole

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

WEB_THREADS = whole("WEB_THREADS", 12)

if settings.SECRET_KEY == settings.UNSAFE_SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY is not set: sessions could be forged by anybody")

# Django types its application more narrowly than the WSGI protocol does.
wsgi: Any = get_wsgi_application()
pages = Hangups(WSGIMiddleware(wsgi, workers=WEB_THREADS))
streams = get_asgi_application()

# Models can be imported only once the applications are ready.
from campaigns.core.database import WEB, limit_connections  # noqa: E402
from campaigns.notifications.notices import WorkerWatch  # noqa: E402

limit_connections(WEB)


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["type"] == "http" and scope["path"].endswith("/events/"):
        await streams(scope, receive, send)
    else:
        await pages(scope, receive, send)


async def _lifespan(receive: Any, send: Any) -> None:
    watch = WorkerWatch()
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            watch.start()
        else:
            watch.stop()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
