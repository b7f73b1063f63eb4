"""What no request may hold, and the Content Security Policy of every page: our own files only, nothing
inline."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from campaigns.api.framework.problems import refusal

POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "worker-src 'self'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


class Readable:
    """Postgres stores no NUL, and no honest address, query or cookie holds one. What is not UTF-8 would be
    guessed at, and some names that Python knows are no character sets at all."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return refusal(400, "invalid", "the address holds a NUL character")
        if any("\0" in value for value in request.COOKIES.values()):
            return refusal(400, "invalid", "a cookie holds a NUL character")
        charset = (request.content_params or {}).get("charset", "utf-8").lower()
        if charset not in ("utf-8", "utf8", "us-ascii"):
            return refusal(415, "unsupported_media_type", "send it as UTF-8")
        return self.get_response(request)


class ContentSecurityPolicy:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
