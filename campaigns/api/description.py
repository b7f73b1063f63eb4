"""The description of the API, for programs and as a page."""

from __future__ import annotations

from typing import Any

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView


class RefusesInJson(APIView):
    """Whatever form the answer has, a refusal has that of the API's."""

    def handle_exception(self, exc: Exception) -> Response:
        request: Any = self.request
        request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
        return super().handle_exception(exc)


class SchemaView(RefusesInJson, SpectacularAPIView):
    # As YAML or JSON, as is asked for.
    content_negotiation_class = DefaultContentNegotiation


class DocsView(RefusesInJson, SpectacularSwaggerSplitView):
    url_name = "api:schema"
    template_name = "campaigns/api_docs.html"
