from django import template

register = template.Library()


@register.filter
def grouped(number: int | float | None) -> str:
    """12345 → 12,345; whole numbers only, for counts."""
    return "" if number is None else f"{round(number):,}"


@register.filter
def field_of(row: dict[str, object], name: str) -> object:
    return row.get(name, "")
