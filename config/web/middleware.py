"""Middleware for every request and answer: what a request may hold, the page's security policy, compression.

Only what programs read is compressed, never pages. A page holds a token against forged requests beside words
that its address may have brought, and from the lengths of many compressed copies the token could be guessed
(BREACH). JSON and exports hold no such secret. Live events go out as they come, and packed files are small
already. Scripts and styles: `config.web.static_files`.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

from campaigns.core.problems import refusal
from config.web.static_files import refuses_gzip

# Our own files only, nothing inline.
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
COMPRESSED_API_TYPES = {
    "application/json",
    "application/problem+json",
    "application/vnd.oai.openapi",
    "application/vnd.oai.openapi+json",
    "application/yaml",
    "application/x-ndjson",
    "text/csv",
    "text/plain",
}


class RequestTextMiddleware:
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


class ContentSecurityPolicyMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class NoStoreMiddleware:
    """Pages and answers hold what only their reader may see, so browsers and proxies store none of them.
    A view may set another policy. Static files are answered before."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class CompressionMiddleware(GZipMiddleware):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
        if kind not in COMPRESSED_API_TYPES:
            return response
        # Django looks for the word "gzip" alone.
        if refuses_gzip(request):
            patch_vary_headers(response, ["Accept-Encoding"])
            return response
        return super().process_response(request, response)
