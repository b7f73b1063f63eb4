"""The methods in an organiser's words, and which other settings each of them heeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext, gettext_noop

from campaigns.models.campaign import Method
from selection.registry import METHODS

Heeds = Literal["p", "scope", "batch"]


@dataclass(frozen=True)
class Described:
    words: str
    heeds: tuple[Heeds, ...] = ()
    matters: str = ""


@dataclass(frozen=True)
class Offered:
    """A method as the form shows it."""

    name: str
    label: str
    words: str
    heeds: tuple[Heeds, ...]
    matters: str


GROUPS: dict[str, dict[Method, Described]] = {
    gettext_noop("By rank-biased precision"): {
        Method.C: Described(
            gettext_noop("Documents that could still lift the runs most likely to be best. Recommended."),
            ("p", "scope", "batch"),
            gettext_noop("p decides how fast a document's weight falls with its rank."),
        ),
        Method.B: Described(
            gettext_noop("Documents that matter most to the runs whose scores are least certain."),
            ("p", "scope", "batch"),
            gettext_noop("p decides how fast a document's weight falls with its rank."),
        ),
        Method.A: Described(
            gettext_noop("Documents ranked high by many runs; judgments made so far change nothing."),
            ("p",),
            gettext_noop(
                "p decides how fast a document's weight falls with its rank. Scope and batches "
                "change nothing."
            ),
        ),
        Method.POOLING: Described(
            gettext_noop("First every run's first document, then every run's second, and so on."),
            (),
            gettext_noop("Neither p nor scope nor batches change the order."),
        ),
    },
    gettext_noop("Which of two runs, or of all, is better by average precision"): {
        Method.MTC: Described(
            gettext_noop(
                "Minimal test collections: documents on which the runs differ most, as relevance is expected."
            ),
            (),
            gettext_noop("p has a say only if the measure is RBP. Scope and batches have none."),
        ),
    },
    gettext_noop("A sample, from which scores are estimated with error bars"): {
        Method.STATAP: Described(
            gettext_noop(
                "So many documents of each topic, drawn once; those ranked high are likelier to be in. For "
                "average precision and measures like it."
            ),
            (),
            gettext_noop(
                "p, scope and batches have no say. The sample is drawn when the campaign opens and stays."
            ),
        ),
        Method.MTC_STATAP: Described(
            gettext_noop(
                "Both in turn, neither knowing what the other was told: runs are compared and scores "
                "estimated."
            ),
            (),
            gettext_noop("p, scope and batches have no say."),
        ),
        Method.RANDOM: Described(
            gettext_noop("Every document of the pool equally likely, for inferred average precision."),
            (),
            gettext_noop("p, scope and batches have no say."),
        ),
    },
    gettext_noop("As many relevant documents as possible: runs compete for judgments"): {
        Method.MTF: Described(
            gettext_noop("Stays with a run for as long as its documents are relevant, then tries the next."),
            ("scope",),
            gettext_noop("p and batches have no say."),
        ),
        Method.HEDGE: Described(
            gettext_noop("Runs that ranked the judged documents well count for more, the others for less."),
            ("scope",),
            gettext_noop("p and batches have no say."),
        ),
        Method.MAXMEAN: Described(
            gettext_noop(
                "A bandit: the run with the highest share of relevant documents so far gives the next."
            ),
            ("scope",),
            gettext_noop("p and batches have no say."),
        ),
        Method.MM_NS: Described(
            gettext_noop(
                "The same bandit with a short memory: a run that stops bringing relevant documents "
                "is left soon."
            ),
            ("scope",),
            gettext_noop("p and batches have no say."),
        ),
    },
    gettext_noop("For few or poor runs"): {
        Method.CAL: Described(
            gettext_noop(
                "Reads the documents: a classifier learns from the judgments what is relevant, and "
                "looks through "
                "the whole collection, in runs or not."
            ),
            (),
            gettext_noop("p, scope and batches have no say. Documents and topics need texts."),
        ),
    },
}


def offered() -> list[tuple[str, list[Offered]]]:
    """The groups, with those of their methods that this program knows."""
    groups = [
        (gettext(title), [_offered(method, told) for method, told in methods.items() if method in METHODS])
        for title, methods in GROUPS.items()
    ]
    return [(title, methods) for title, methods in groups if methods]


def _offered(method: Method, told: Described) -> Offered:
    return Offered(method.value, str(method.label), gettext(told.words), told.heeds, gettext(told.matters))


def label_of(method: str) -> str:
    return str(Method(method).label) if method in Method.values else method
