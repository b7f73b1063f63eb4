from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

if TYPE_CHECKING:
    # The framework reads its settings, and with them this module, before it has its views.
    from rest_framework.views import APIView


class OneForm(DefaultContentNegotiation):
    """Every address answers in one form, which is in its description, whatever is asked for: whoever wants
    qrels as text/plain or an image as image/* says so, and no renderer of the framework offers that."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first: Any = next(iter(renderers))
        return first, first.media_type


class OnlyMethods(BaseMetadata):
    """OPTIONS tells the methods, in `Allow`. All else is in the description; docstrings are for those who
    read the code."""

    def determine_metadata(self, request: Request, view: APIView) -> None:
        return None
