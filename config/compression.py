"""Compressed answers, where that is safe: what programs read, never pages.

A page holds a token against forged requests beside words that its address may have brought, and from the
lengths of many compressed copies the token could be guessed (BREACH). JSON and exports hold no such secret.
Live events go out as they come, and packed files are small already. Scripts and styles: `static_files`.
"""

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

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
# "gzip;q=0" names gzip to say that it is not wanted; Django sees the name alone.
_REFUSED = re.compile(r"\bgzip\s*;\s*q\s*=\s*0(\.0*)?\s*(,|$)", re.IGNORECASE)


class CompressData(GZipMiddleware):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
        if kind not in COMPRESSED_API_TYPES:
            return response
        if _REFUSED.search(request.headers.get("Accept-Encoding", "")):
            patch_vary_headers(response, ["Accept-Encoding"])
            return response
        return super().process_response(request, response)
