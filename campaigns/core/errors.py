"""The error that pages, API and commands show to the user."""

from __future__ import annotations


class Refusal(Exception):
    """A wish that the campaign's rules do not allow; `code` is for programs, `detail` for people."""

    def __init__(self, code: str, detail: str, *, field: str = "", status: int = 400) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.field = field
        self.status = status
