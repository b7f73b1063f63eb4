"""Judgments with inclusion probabilities: five columns a line, `topic docno rel method iprob`."""

from __future__ import annotations

from enum import IntEnum

from campaigns.formats.names import check_name


class CameBy(IntEnum):
    """How a document came to be judged, as the fourth column says it. Readers take the documents of the
    first and the last kind as certain to be judged, whatever the fifth column says."""

    OTHERWISE = 0
    SAMPLE = 1
    BOTH = 2


def format_prel(topic: str, docno: str, grade: int, method: CameBy, inclusion: float) -> str:
    """One judgment as a line, its newline included; the probability is read back to the last bit.

    `ValueError` for a name that a line cannot hold, or a probability outside (0, 1].
    """
    check_name("topic", topic)
    check_name("docno", docno)
    if not 0 < inclusion <= 1:
        raise ValueError(f"inclusion probability {inclusion} of {docno} is outside (0, 1]")
    return f"{topic} {docno} {grade} {method.value} {float(inclusion)!r}\n"
