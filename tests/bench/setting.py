from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property

from tests.bench.data import TREC_8, Size, SyntheticCampaign, make_campaign

# A bar on the terminal: description and total in, a function that advances it by one out.
Bar = Callable[[str, int], AbstractContextManager[Callable[[], object]]]


@dataclass
class Bench:
    """What every section is given. The data is made once, when first asked for."""

    seed: int
    judgments: int
    bar: Bar
    size: Size = field(default=TREC_8)

    @cached_property
    def campaign(self) -> SyntheticCampaign:
        with self.bar("Making data", self.size.topics) as advance:
            return make_campaign(self.seed, self.size, advance)
