"""Compressed answers, where that is safe: what programs read, never pages.

A page holds a token against forged requests beside words that its address may have brought, and from the
lengths of many compressed copies the token could be guessed (BREACH). JSON and exports hold no such secret.
Live events go out as they come, and packed files are small already. Scripts and styles: `static_files`.
"""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

COMPRESSED = {
    "application/json",
    "application/problem+json",
    "application/vnd.oai.openapi",
    "application/x-ndjson",
    "text/csv",
    "text/plain",
}


class CompressData(GZipMiddleware):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
        if kind not in COMPRESSED:
            return response
        return super().process_response(request, response)
