from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Shape


class ProblemRow(Shape):
    line = serializers.IntegerField(allow_null=True, help_text="of the file that was sent, or null")
    field = serializers.CharField(help_text="which field or parameter; empty: the whole")
    detail = serializers.CharField()


class Problem(Shape):
    """Why not. `code` is for programs and never changes; `detail` is for people, in their language."""

    code = serializers.CharField()
    detail = serializers.CharField()
    errors = ProblemRow(many=True)  # type: ignore[assignment]  # fields leave the class


# What every program should be ready for, by status: what it means, and an example.
MEANINGS: dict[int, tuple[str, str, str, str]] = {
    400: ("The request is not as it should be", "invalid", "the request is not as it should be", "topic"),
    401: (
        "Neither session nor token",
        "not_authenticated",
        "Authentication credentials were not provided.",
        "",
    ),
    403: ("Not with this role or token", "organisers_only", "only the campaign's organisers may do this", ""),
    404: ("Nothing here that you may see", "not_found", "there is nothing here that you may see", ""),
    405: ("Not by this method", "method_not_allowed", 'Method "PUT" not allowed.', ""),
    409: ("Not as things stand", "campaign_not_open", "“News 2026” is closed", ""),
    410: ("Used up, taken back or expired", "invitation_used", "this invitation has been used", ""),
    411: (
        "Of unknown length",
        "length_required",
        "say how long the body is (Content-Length); sent in chunks it is not read",
        "",
    ),
    413: ("Too large", "too_large", "at most 5,242,880 bytes are read at once, files not counted", ""),
    415: (
        "Not in this form",
        "unsupported_media_type",
        'Unsupported media type "text/plain"',
        "",
    ),
    429: ("Too often; Retry-After says when to ask again", "throttled", "Request was throttled.", ""),
}


def example_of(status: int) -> dict[str, object]:
    _, code, detail, field = MEANINGS[status]
    rows = [{"line": None, "field": field, "detail": "This field is required."}] if field else []
    return {"code": code, "detail": detail, "errors": rows}
