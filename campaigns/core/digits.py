"""Whole numbers as people and programs type them."""

from __future__ import annotations

import re


def read_digits(text: str, most: int = 9) -> int | None:
    """The number that the text spells by at most so many digits; None for any other text.

    `int` alone would also take signs, blanks, underscores and the digits of other scripts.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most else None


def digits_or_zero(text: str, most: int = 9) -> int:
    """The same; 0, which is refused everywhere or nothing has, for any other text."""
    return read_digits(text, most) or 0


def natural_key(text: str) -> list[tuple[int, int, str]]:
    """Digits by their value: topic 9 before topic 10."""
    parts = re.findall(r"(\d+)|(\D+)", text.casefold())
    return [(0, int(digits), "") if digits else (1, 0, words) for digits, words in parts]
