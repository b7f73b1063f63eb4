"""The methods in an organiser's words, the settings that each of them uses, and its options as fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from django.http import QueryDict
from django.utils.translation import gettext, gettext_noop

from campaigns.configuration.methods import RUN_OPTIONS
from campaigns.core.decimals import as_typed
from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.models.campaign import Method
from campaigns.models.judgment import ANCHOR, COPIED, PROBE, SEARCHED
from selection.registry import METHODS

UsedSetting = Literal["p", "scope", "batch"]


@dataclass(frozen=True)
class MethodWords:
    words: str
    uses: tuple[UsedSetting, ...] = ()
    matters: str = ""


@dataclass(frozen=True)
class OfferedMethod:
    """A method as the form shows it."""

    name: str
    label: str
    words: str
    uses: tuple[UsedSetting, ...]
    matters: str


METHOD_GROUPS: dict[str, dict[Method, MethodWords]] = {
    gettext_noop("By rank-biased precision"): {
        Method.C: MethodWords(
            gettext_noop("Documents that could still lift the runs most likely to be best. Recommended."),
            ("p", "scope", "batch"),
            gettext_noop("p decides how fast a document's weight falls with its rank."),
        ),
        Method.B: MethodWords(
            gettext_noop("Documents that most reduce the largest residuals."),
            ("p", "scope", "batch"),
            gettext_noop("p decides how fast a document's weight falls with its rank."),
        ),
        Method.A: MethodWords(
            gettext_noop("Documents ranked high by many runs. Not adaptive."),
            ("p",),
            gettext_noop(
                "p decides how fast a document's weight falls with its rank. Scope and batches "
                "change nothing."
            ),
        ),
        Method.POOLING: MethodWords(
            gettext_noop("First every run's first document, then every run's second, and so on."),
            (),
            gettext_noop("Neither p nor scope nor batches change the order."),
        ),
    },
    gettext_noop("Which of two runs, or of all, is better by average precision"): {
        Method.MTC: MethodWords(
            gettext_noop(
                "Minimal test collections: documents on which the runs differ most, as relevance is expected."
            ),
            (),
            gettext_noop("p is used only with RBP. Scope and batch size are ignored."),
        ),
    },
    gettext_noop("A sample, from which scores are estimated with error bars"): {
        Method.STATAP: MethodWords(
            gettext_noop(
                "Documents of each topic, drawn once; those ranked high are drawn more often. For average "
                "precision and measures like it."
            ),
            (),
            gettext_noop(
                "p, scope and batches are not used. The sample is drawn when the campaign opens and does not "
                "change."
            ),
        ),
        Method.MTC_STATAP: MethodWords(
            gettext_noop(
                "Alternates MTC and statAP, each ignoring the other’s judgments: compares runs "
                "and estimates scores."
            ),
            (),
            gettext_noop("p, scope and batches are not used."),
        ),
        Method.SAMPLE: MethodWords(
            gettext_noop(
                "Documents of each topic, drawn at random; those that weigh most in rank-biased precision "
                "are drawn more often. Scores have intervals with a known error rate."
            ),
            ("p",),
            gettext_noop("p decides from how many ranks documents are drawn, and how often."),
        ),
        Method.STRATA: MethodWords(
            gettext_noop(
                "The top ranks of all runs judged whole, deeper ranks sampled, as TREC does for infNDCG."
            ),
            (),
            gettext_noop("p, scope and batches are not used."),
        ),
        Method.RANDOM: MethodWords(
            gettext_noop("Every document of the pool equally likely, for inferred average precision."),
            (),
            gettext_noop("p, scope and batches are not used."),
        ),
    },
    gettext_noop("As many relevant documents as possible: runs compete for judgments"): {
        Method.MTF: MethodWords(
            gettext_noop("Stays with a run for as long as its documents are relevant, then tries the next."),
            ("scope",),
            gettext_noop("p and batches are not used."),
        ),
        Method.HEDGE: MethodWords(
            gettext_noop("Runs that ranked the judged documents well count for more, the others for less."),
            ("scope",),
            gettext_noop("p and batches are not used."),
        ),
        Method.MAXMEAN: MethodWords(
            gettext_noop(
                "A bandit: the run with the highest share of relevant documents so far gives the next."
            ),
            ("scope",),
            gettext_noop("p and batches are not used."),
        ),
        Method.MM_NS: MethodWords(
            gettext_noop(
                "The same bandit with a short memory: a run that stops bringing relevant documents "
                "is left soon."
            ),
            ("scope",),
            gettext_noop("p and batches are not used."),
        ),
    },
    gettext_noop("For few or poor runs"): {
        Method.CAL: MethodWords(
            gettext_noop(
                "Reads the documents: a classifier learns from the judgments what is relevant, and "
                "looks through "
                "the whole collection, in runs or not."
            ),
            (),
            gettext_noop("p, scope and batches are not used. Documents and topics need texts."),
        ),
    },
}


def offered_methods() -> list[tuple[str, list[OfferedMethod]]]:
    """The groups, with those of their methods that this program knows."""
    groups = [
        (gettext(title), [_offered(method, words) for method, words in methods.items() if method in METHODS])
        for title, methods in METHOD_GROUPS.items()
    ]
    return [(title, methods) for title, methods in groups if methods]


def _offered(method: Method, about: MethodWords) -> OfferedMethod:
    return OfferedMethod(
        method.value, str(method.label), gettext(about.words), about.uses, gettext(about.matters)
    )


def label_of(method: str) -> str:
    """Label of a method, or of another source of some of its documents."""
    if method == ANCHOR:
        return gettext("Anchor")
    if method == PROBE:
        return gettext("Probe")
    if method == SEARCHED:
        return gettext("Search")
    if method == COPIED:
        return gettext("Near-duplicate")
    return str(Method(method).label) if method in Method.values else method


_RUN_WEIGHTS = {
    "run_weights": (
        gettext_noop("Weights of runs"),
        gettext_noop(
            "Near-identical runs outvote others unless they share a weight. Groups of runs are teams. "
            "Default: equal."
        ),
    ),
}

_RUN_WEIGHT_CHOICES = {
    "run_weights": [
        ("equal", gettext_noop("equal: each run counts the same")),
        ("team", gettext_noop("by team: the runs of a team share one weight")),
        ("similarity", gettext_noop("by similarity: runs that rank alike share a weight")),
    ],
}

_MTC = {
    "measure": (
        gettext_noop("Measure"),
        gettext_noop(
            "Measure by which runs are compared: AP, RBP (with the campaign's p), P@10, SDCG@10 or other "
            "depths. Default AP."
        ),
    ),
    "aggregate": (
        gettext_noop("Weight of a document"),
        gettext_noop("Rule that combines its effects on all pairs of runs."),
    ),
    "relevance": (gettext_noop("Chance that an unjudged document is relevant"), ""),
    "prior": (gettext_noop("Constant probability"), gettext_noop("Between 0 and 1.")),
    "depth": (gettext_noop("Depth"), gettext_noop("Ranks below it do not count. Empty: all ranks do.")),
    "first": (
        gettext_noop("One run"),
        gettext_noop(
            "Choose two runs to compare only these. In turn, documents are then served that show that the "
            "one or the other is better. The order is that of upload: removing a run moves those after it."
        ),
    ),
    "second": (gettext_noop("Another run"), ""),
}

_MTC_CHOICES = {
    "aggregate": [
        ("range", gettext_noop("the largest difference between two runs")),
        ("sum", gettext_noop("the sum of the differences")),
        ("variance", gettext_noop("the sum of the squared differences")),
    ],
    "relevance": [
        ("constant", gettext_noop("the same for every document")),
        ("smoothed", gettext_noop("the share of relevant documents so far")),
        ("experts", gettext_noop("estimated from the runs’ rankings (expert aggregation)")),
    ],
}

_SAMPLE = {
    "size": (
        gettext_noop("Documents drawn for each topic"),
        gettext_noop("If the pool is smaller, all its documents are drawn."),
    ),
}

_FEEDBACK = {
    "between_topics": (
        gettext_noop("Adaptive between topics only"),
        gettext_noop(
            "Judgments of a topic leave its own order as it is; those of other topics change it. So the "
            "order gives no hint of grades."
        ),
    ),
}

# method → option → (label, explanation); a test sees to it that none is missing.
LABELS: dict[str, dict[str, tuple[str, str]]] = {
    "A": _RUN_WEIGHTS,
    "pooling": {
        "depth": (
            gettext_noop("Depth"),
            gettext_noop("Only documents that a run ranks so high or higher are served. Empty: all."),
        ),
    },
    "B": {**_RUN_WEIGHTS, **_FEEDBACK},
    "C": {
        **_RUN_WEIGHTS,
        **_FEEDBACK,
        "power": (
            gettext_noop("Power of the score estimate"),
            gettext_noop(
                "1, 2 or 3. The higher, the more the best runs weigh. Default 3, as Method C is defined."
            ),
        ),
    },
    "mtc": {
        **_MTC,
        "run_weights": (
            gettext_noop("Weights of runs"),
            gettext_noop(
                "Used in sums of differences: a pair of runs counts the product of their weights. "
                "Default: equal."
            ),
        ),
    },
    "mtc+statap": {
        **_MTC,
        **_SAMPLE,
        "arms": (
            gettext_noop("Which topics"),
            gettext_noop("At random, a third of the topics each. Assessors do not see which is which."),
        ),
    },
    "statap": _SAMPLE,
    "sample": _SAMPLE,
    "strata": {
        "strata": (
            gettext_noop("Strata"),
            gettext_noop(
                "Last rank and rate of each stratum. 10:1,100:0.1 judges ranks 1–10 whole and a tenth of "
                "ranks 11–100. A document has its best rank in any run."
            ),
        ),
    },
    "hedge": {
        "beta": (
            gettext_noop("Weight that a run keeps"),
            gettext_noop(
                "Between 0 and 1. The smaller, the sooner a run that ranked documents badly counts "
                "for little."
            ),
        ),
    },
    "mm-ns": {
        "rho": (
            gettext_noop("Share of the past that counts"),
            gettext_noop("From 0 (only the document judged last) to 1 (all alike, which is MaxMean)."),
        ),
    },
    "random": {
        "depth": (
            gettext_noop("Depth"),
            gettext_noop("Only documents that a run ranks so high or higher are drawn. Empty: all."),
        ),
    },
    "cal": {
        "presumed": (
            gettext_noop("Documents presumed not relevant"),
            gettext_noop(
                "Number of documents drawn for each round as presumed non-relevant training examples."
            ),
        ),
        "growth": (
            gettext_noop("Growth of each round"),
            gettext_noop(
                "From 0 to 1: with 0.1 each round is a tenth longer. The classifier is retrained after "
                "each round."
            ),
        ),
    },
}

# What the values of an option are called, where it is one of a few words.
OPTION_CHOICES: dict[str, dict[str, list[tuple[str, str]]]] = {
    "A": _RUN_WEIGHT_CHOICES,
    "B": _RUN_WEIGHT_CHOICES,
    "C": {**_RUN_WEIGHT_CHOICES, "power": [(power, power) for power in ("1", "2", "3")]},
    "mtc": {**_MTC_CHOICES, **_RUN_WEIGHT_CHOICES},
    "mtc+statap": {
        **_MTC_CHOICES,
        "arms": [
            ("both", gettext_noop("every topic is served by both in turn")),
            ("random", gettext_noop("at random: MTC alone, statAP alone, or both")),
        ],
    },
}


@dataclass(frozen=True)
class OptionField:
    """`choices`: (value, words) if it is one of a few; `step`: for numbers, as HTML has it."""

    name: str
    id: str
    label: str
    words: str
    value: str
    choices: list[tuple[str, str]]
    step: str


def fields_of(
    method: str, values: Mapping[str, object], typed: QueryDict | None = None, runs: Sequence[str] = ()
) -> list[OptionField]:
    """The method's options with what was typed, else what is stored, else what they are by default.
    `runs`: the tags of the campaign's runs, in their order."""
    kind = METHODS[method].options
    hints = get_type_hints(kind)
    made = []
    for field in fields(kind):
        name = f"{method}.{field.name}"
        stored = as_word(values.get(field.name, field.default))
        value = stored if typed is None else typed.get(name, stored)
        label, words = LABELS.get(method, {}).get(field.name, (field.name, ""))
        hint = hints[field.name]
        choices = choices_of(method, field.name, hint)
        if field.name in RUN_OPTIONS:
            choices = [("", gettext("none")), *((str(place), tag) for place, tag in enumerate(runs))]
        field_id = f"option-{method.replace('+', '-')}-{field.name}"
        made.append(OptionField(name, field_id, gettext(label), gettext(words), value, choices, _step(hint)))
    return made


def in_words(option: str, value: object, method: str = "") -> tuple[str, str]:
    """An option of a method and its value, as the form calls them. Where the method is not known, as the
    first that has such an option does."""
    methods = [method] if method in LABELS else [*LABELS]
    label = next((LABELS[one][option][0] for one in methods if option in LABELS[one]), option)
    choices = [pair for one in methods for pair in OPTION_CHOICES.get(one, {}).get(option, [])]
    word = as_typed(value) if isinstance(value, float) else as_word(value)
    return gettext(label), gettext(dict(choices).get(word, "")) or word


def read_options(posted: QueryDict, method: str) -> dict[str, str]:
    """Options typed for this method; empty ones are left to the default."""
    start = f"{method}."
    given = {name.removeprefix(start): str(posted[name]).strip() for name in posted if name.startswith(start)}
    return {name: value for name, value in given.items() if value}


def field_name(method: str, refused: Refusal) -> str:
    """The form's name of the option that was refused, empty if it was something else."""
    place, _, option = refused.field.partition(".")
    return f"{method}.{option}" if place == "options" and option else ""


def run_tags(campaign: Campaign) -> list[str]:
    """In the order by which the kernels count them."""
    return list(campaign.runs.order_by("id").values_list("tag", flat=True))


def as_word(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def choices_of(method: str, option: str, hint: Any) -> list[tuple[str, str]]:
    named = OPTION_CHOICES.get(method, {}).get(option)
    if named:
        return [(value, gettext(words)) for value, words in named]
    if hint is bool:
        return [("true", gettext("yes")), ("false", gettext("no"))]
    words = [word for one in (hint, *get_args(hint)) if _is_literal(one) for word in get_args(one)]
    return [(word, word) for word in words]


def _is_literal(hint: Any) -> bool:
    return getattr(hint, "__origin__", None) is Literal


def _step(hint: Any) -> str:
    kinds = get_args(hint) or (hint,)
    if float in kinds:
        return "any"
    return "1" if int in kinds else ""
