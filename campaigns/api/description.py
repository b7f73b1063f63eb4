"""The description of the API, for programs and as a page, and the Python client for download."""

from __future__ import annotations

import threading
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, cast

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_vary_headers
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaigns.api.streams import EventsView
from campaigns.exchange.downloads import if_changed

CLIENT = "assess_client.py"
_writing = threading.Lock()


def with_events(endpoints: list[Any]) -> list[Any]:
    """The event stream is a coroutine, which the framework's views cannot be; its doorkeeper stands in."""
    path = "/api/v1/campaigns/{slug}/events/"
    regex = "^api/v1/campaigns/<slug:slug>/events/"
    return [*endpoints, (path, regex, "GET", EventsView.as_view())]


def without_marks(result: Any, **_: object) -> Any:
    """Without what drf-spectacular notes for itself."""
    if isinstance(result, list):
        return [without_marks(each) for each in result]
    if not isinstance(result, dict):
        return result
    return {name: without_marks(each) for name, each in result.items() if name != "x-spec-enum-id"}


class JsonRefusalView(APIView):
    """View that refuses in JSON, as the API does, in whichever format it answers."""

    def handle_exception(self, exc: Exception) -> Response:
        request: Any = self.request
        request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
        return super().handle_exception(exc)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # type: ignore[override]
        """The methods, in `Allow`, which every answer has."""
        return HttpResponse()


class SchemaView(JsonRefusalView, SpectacularAPIView):
    # As YAML or JSON, as is asked for.
    content_negotiation_class = DefaultContentNegotiation

    @extend_schema(exclude=True)
    def get(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        renderer = request.accepted_renderer
        with _writing:
            # Its first readers would each make it, all at once.
            body, etag = _written(renderer.__class__)
        answer = HttpResponse(body, content_type=renderer.media_type)
        if renderer.charset:
            answer.headers["Content-Type"] += f"; charset={renderer.charset}"
        answer.headers["Content-Disposition"] = f'inline; filename="schema.{renderer.format}"'
        answer.headers["ETag"], answer.headers["Cache-Control"] = etag, "no-cache"
        patch_vary_headers(answer, ["Accept"])
        found: HttpResponseBase = get_conditional_response(request, etag=etag, response=answer) or answer
        return found


@cache
def _written(renderer: type[BaseRenderer]) -> tuple[bytes, str]:
    """The description and its tag, the same for all, in the language of the code. As YAML it lies beside this
    file (`make schema`); as JSON it takes a second of processor time, once."""
    body: bytes
    if renderer.format == "yaml":
        body = Path(__file__).with_name("schema.yaml").read_bytes()
    else:
        with translation.override("en"):
            made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
        body = cast(bytes, renderer().render(made))
    return body, f'W/"{blake2b(body, digest_size=16).hexdigest()}"'


class DocsView(JsonRefusalView, SpectacularSwaggerSplitView):
    url_name = "api:schema"
    template_name = "campaigns/api_docs.html"


class ClientView(JsonRefusalView):
    """The client of the API, for those who have nothing but Python; it holds nothing of this site."""

    permission_classes = (AllowAny,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponseBase:
        source, version = _client()

        def make() -> HttpResponseBase:
            headers = {"Content-Disposition": f'attachment; filename="{CLIENT}"'}
            return HttpResponse(source, content_type="text/x-python; charset=utf-8", headers=headers)

        return if_changed(request, (version,), make)


@cache
def _client() -> tuple[bytes, str]:
    source = Path(__file__).with_name("client.py").read_bytes()
    return source, sha256(source).hexdigest()
