"""The description of the API, for programs and as a page."""

from __future__ import annotations

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.negotiation import DefaultContentNegotiation


class SchemaView(SpectacularAPIView):
    # As YAML or JSON, as is asked for.
    content_negotiation_class = DefaultContentNegotiation


class DocsView(SpectacularSwaggerSplitView):
    url_name = "api:schema"
    template_name = "campaigns/api_docs.html"
