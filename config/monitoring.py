"""Addresses for monitoring; the time that each answer takes, and the id under which a request is logged.

Probes come by any host name, without a session, and have to work while the rest does not; so these answer
before everything else looks at the request.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare
from prometheus_client import CONTENT_TYPE_LATEST

from campaigns.operations.metrics import metrics_text
from campaigns.operations.process_metrics import REQUESTS, ROUTES, UPLOADS, measured, start_process
from campaigns.operations.readiness import readiness
from config.logs import start_request
from config.web.middleware import POLICY

logger = logging.getLogger(__name__)

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
HTTP_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
UPLOAD_TYPE = "multipart/form-data"
HEALTH = "/healthz"
HEALTH_HEADERS = {
    "Allow": "GET, HEAD",
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


async def healthz(scope: dict[str, Any], send: Any) -> None:
    """Answer without thread, session or database, so the answer shows that the event loop runs."""
    allowed = scope["method"] in ("GET", "HEAD")
    status, body = (200, b"alive\n") if allowed else (405, b"GET or HEAD\n")
    headers = {**HEALTH_HEADERS, "Content-Length": str(len(body))}
    fields = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def readyz(request: HttpRequest) -> HttpResponseBase:
    """Readiness for requests; only a monitor with the token learns the missing parts."""
    state = readiness()
    body: dict[str, object] = {"ready": state.ready}
    if _has_token(request):
        body["checks"] = asdict(state)
    return JsonResponse(body, status=200 if state.ready else 503)


def metrics(request: HttpRequest) -> HttpResponseBase:
    """Figures for monitoring; 404 without the token."""
    if not _has_token(request):
        return HttpResponse("Not found\n", status=404, content_type="text/plain; charset=utf-8")
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_LATEST)


PROBES = {"/readyz": readyz, "/metrics": metrics}


def _has_token(request: HttpRequest) -> bool:
    given = request.META.get("HTTP_AUTHORIZATION", "")
    return measured() and constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}")


class MonitoringMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        start_process()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id = _request_id(request)
        start_request(request, request_id)
        response = self._answer(request)
        response.headers["X-Request-ID"] = request_id
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        if probe := PROBES.get(request.path_info):
            safe = request.method in ("GET", "HEAD")
            response = probe(request) if safe else HttpResponseNotAllowed(["GET", "HEAD"])
            response.headers["Cache-Control"] = "no-store"
            return response
        if measured() and request.content_type == UPLOAD_TYPE:
            with UPLOADS.track_inprogress():
                return self._timed(request)
        return self._timed(request)

    def _timed(self, request: HttpRequest) -> HttpResponseBase:
        start = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - start
        # The site's own names only: addresses may hold secrets, and strangers could make any number.
        route, status = _route(request), response.status_code
        method = request.method if request.method in HTTP_METHODS else "other"
        if measured():
            REQUESTS.labels(_part(route), f"{status // 100}xx").observe(seconds)
            ROUTES.labels(route).observe(seconds)
        logger.info("%s %s: %s in %.0f ms", method, route, status, 1000 * seconds)
        return response


def _request_id(request: HttpRequest) -> str:
    """The one that a proxy gave, so that its log and ours can be read together."""
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    return given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _route(request: HttpRequest) -> str:
    """The name of the view, never the address."""
    if request.resolver_match is not None:
        return request.resolver_match.view_name
    return "static" if request.path_info.startswith(settings.STATIC_URL) else "none"


def _part(route: str) -> str:
    """`api`, `campaigns`, `assess`, …; `site` for pages outside of these."""
    namespace, separator, _ = route.partition(":")
    return namespace if separator or route in ("static", "none") else "site"
