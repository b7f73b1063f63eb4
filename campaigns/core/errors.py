"""The error that pages, API and commands show to the user."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext

from evaluation.name_suggestions import nearest_name


class Refusal(Exception):
    """A wish that the campaign's rules do not allow; `code` is for programs, `detail` for people."""

    def __init__(self, code: str, detail: str, *, field: str = "", status: int = 400) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.field = field
        self.status = status


def unknown_act(act: str | None) -> Refusal:
    """Refusal of a page that has no such act."""
    detail = gettext("there is no action “%(other)s” here") % {"other": (act or "")[:40]}
    return Refusal("unknown_act", detail, field="act")


def with_nearest(detail: str, name: str, known: Collection[str]) -> str:
    """The error's sentence for an unknown name, with the nearest known name if one is near."""
    near = nearest_name(name, known)
    return (
        gettext("%(detail)s; did you mean “%(name)s”?") % {"detail": detail, "name": near} if near else detail
    )
