"""Contexts of templates as dataclasses: a template reads the fields of its class, and nothing else.

`tests/campaigns/templatetags/test_contexts.py` compares the names in every template with its classes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, dataclass_transform

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from campaigns.models import Campaign


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class PageContext:
    """Names that `template` reads: fields and properties. Every subclass is a frozen dataclass. A field that
    holds another context is a part, whose names join the page's. `fragments`: further templates of them."""

    template: ClassVar[str] = ""
    fragments: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, template: str = "", kw_only: bool = False) -> None:
        if template:
            cls.template = template
        dataclass(frozen=True, kw_only=kw_only)(cls)

    def names(self) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            shown |= value.names() if isinstance(value, PageContext) else {field.name: value}
        return shown | {name: getattr(self, name) for name in property_names(type(self))}

    def html(self, request: HttpRequest | None = None, template: str = "") -> SafeString:
        # Templates of all pages test `campaign`, so it always exists.
        return render_to_string(template or self.template, {"campaign": None} | self.names(), request)


class CampaignContext(PageContext):
    campaign: Campaign


def property_names(context: type[PageContext]) -> list[str]:
    kinds = {name: type(value) for each in reversed(context.__mro__) for name, value in vars(each).items()}
    return [name for name, kind in kinds.items() if kind.__name__ in ("property", "cached_property")]


def render_page(
    request: HttpRequest, page: PageContext, *, status: int | None = None, template: str = ""
) -> HttpResponse:
    """Status: that of the page's `refused` where none is given. `template`: one of its fragments."""
    refused = getattr(page, "refused", None)
    return HttpResponse(page.html(request, template), status=status or getattr(refused, "status", 200))
