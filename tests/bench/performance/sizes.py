"""How large each section's data are, and how long it measures."""

from __future__ import annotations

from dataclasses import dataclass

from tests.bench.data import TREC_8, Size

TEN = Size(runs=24, groups=8, topics=20, depth=200, documents=4000)


@dataclass(frozen=True)
class Sizes:
    # Of the campaign on which people judge in company.
    company: Size = TREC_8
    assessors: int = 20
    # Judgments a second of all assessors together.
    rate: float = 30.0
    seconds: float = 60.0
    # Of each of ten campaigns.
    campaign: Size = TEN
    workers: tuple[int, ...] = (1, 2, 4)
    topics: int = 10_000
    judgments: int = 1_000_000
    documents: int = 2_000_000
    listeners: int = 1000


FULL = Sizes()
SMALL = Sizes(
    seconds=30.0,
    workers=(1, 2),
    topics=300,
    judgments=20_000,
    documents=100_000,
    listeners=200,
)
