"""The card of a Hugging Face dataset: what is in its files, how it was made, and how to read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Max, Min
from django.utils import timezone

from campaigns.formats.qrels import JUNK
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Judgment
from campaigns.models.campaign import Policy
from campaigns.models.judgment import COPIED
from campaigns.quality.agreement import agreement_of
from campaigns.quality.exclusions import count_excluded
from evaluation.resampling import Estimate


@dataclass(frozen=True)
class CardFigures:
    """`grades`: judged documents by their grade."""

    documents: int
    without_text: int
    topics: int
    judged_topics: int
    grades: Mapping[int, int]
    runs: int


_POLICIES = {
    Policy.ADJUDICATED: "the decision of an organiser; without one, the latest judgment",
    Policy.LATEST: "the latest judgment",
    Policy.MAJORITY: "the grade of most assessors; of equally many, the latest",
    Policy.MEAN: "the mean of the grades, rounded to the nearest grade",
}


def card_of(campaign: Campaign, policy: str, figures: CardFigures, *, texts: bool) -> str:
    """In English, whatever the reader's language: it is published."""
    parts = [_header(campaign, figures), f"# {_one_line(campaign.name)}\n"]
    parts += [_counts(figures), _texts(figures, texts), _grades(campaign, figures)]
    parts += [_method(campaign, policy or campaign.policy), _agreement(campaign), _use(figures), _LICENCE]
    return "\n".join(parts)


def _header(campaign: Campaign, figures: CardFigures) -> str:
    configs = [
        f"- config_name: {name}\n  data_files:\n  - split: {split}\n    path: {path}\n"
        for name, split, path in _files(figures)
    ]
    # A string of JSON is one of YAML.
    name = json.dumps(_one_line(campaign.name), ensure_ascii=False)
    about = f"pretty_name: {name}\nlicense: unknown\ntask_categories:\n- text-retrieval\n"
    return f"---\n{about}configs:\n{''.join(configs)}---\n"


def _files(figures: CardFigures) -> list[tuple[str, str, str]]:
    """Name, split and path of each configuration that has a row: the library refuses to load one without."""
    rows = {
        ("corpus", "corpus", "corpus.parquet"): figures.documents,
        ("queries", "queries", "queries.parquet"): figures.topics,
        ("qrels", "test", "qrels.parquet"): figures.judged_topics,
        ("runs", "runs", "runs/*.parquet"): figures.runs,
    }
    return [file for file, count in rows.items() if count]


def _counts(figures: CardFigures) -> str:
    rows = {
        "documents": figures.documents,
        "topics": figures.topics,
        "topics with a judgment": figures.judged_topics,
        "judged documents": sum(figures.grades.values()),
        "runs": figures.runs,
    }
    lines = "".join(f"| {name} | {count:,} |\n" for name, count in rows.items())
    exported = f"Exported on {timezone.now():%Y-%m-%d}."
    return f"A test collection for information retrieval. {exported}\n\n| | |\n|---|---|\n{lines}"


def _texts(figures: CardFigures, texts: bool) -> str:
    said = "`text` is the text without markup; `metadata` and `further_fields` are JSON objects."
    if not texts:
        said = "The texts of the documents were left out: `_id` names each document."
    elif figures.without_text:
        said += (
            f" {figures.without_text:,} of {figures.documents:,} documents have no text: they are empty, "
            "pictures or PDF files, or only their identifiers are known. If `metadata` has a `url`, the "
            "document is there."
        )
    return f"## Documents\n\n{said}\n"


def _grades(campaign: Campaign, figures: CardFigures) -> str:
    scale = {row["grade"]: (row["label"], row["gain"]) for row in campaign.grades}
    if JUNK in figures.grades:
        scale = {JUNK: ("junk: judged, and not relevant to any topic", 0.0)} | scale
    lines = "".join(
        f"| {grade} | {_cell(label)} | {gain:g} | {figures.grades.get(grade, 0):,} |\n"
        for grade, (label, gain) in scale.items()
    )
    return (
        "## Grades\n\nThe column `score` of `qrels` is the grade. Gains are for graded measures.\n\n"
        "| grade | meaning | gain | judged documents |\n|---|---|---|---|\n"
        f"{lines}\n"
        "A document without a line in `qrels` was not judged. That does not make it not relevant.\n"
    )


def _method(campaign: Campaign, policy: str) -> str:
    own = campaign.topics.exclude(method="").count()
    log = Judgment.objects.filter(campaign=campaign)
    made = log.aggregate(first=Min("created"), last=Max("created"))
    by_assessors = made_by_assessors(log).count()
    copied = log.filter(method=COPIED).count()
    imported = log.count() - by_assessors - copied
    said = []
    if by_assessors:
        said.append(f"The method `{campaign.method}` selected documents for assessors.")
        said.append(f"The measure is `{campaign.measure}`.")
    if own:
        said.append(f"Topics with a method of their own: {own:,}.")
    if made["first"]:
        first, last = f"{made['first']:%Y-%m-%d}", f"{made['last']:%Y-%m-%d}"
        said.append(
            f"The log has {by_assessors:,} entries by assessors and {imported:,} imported from files, "
            f"made from {first} to {last}."
        )
    if copied:
        said.append(
            f"Further {copied:,} entries copied judgments to duplicates of the document, or withdrew a copy."
        )
    said.append(f"Where several assessors judged a document, its grade is {_POLICIES[Policy(policy)]}.")
    if left_out := count_excluded(campaign=campaign):
        said.append(f"Assessors whose judgments do not count in all or in some topics: {left_out:,}.")
    return "## Method\n\n" + "\n".join(said) + "\n"


def _agreement(campaign: Campaign) -> str:
    found = agreement_of(campaign=campaign)
    if not found.documents:
        said = "No document was judged by two assessors, so their agreement is unknown."
    elif found.lacking:
        said = f"Documents judged by two assessors or more: {found.documents:,}, too few for a figure."
    else:
        said = f"Documents judged by two assessors or more: {found.documents:,}.\n\n" + "".join(
            _figures({"Krippendorff’s alpha (ordinal)": found.krippendorff, "Cohen’s kappa": found.cohen})
        )
    return f"## Agreement between assessors\n\n{said.rstrip()}\n"


def _figures(figures: Mapping[str, Estimate | None]) -> Iterator[str]:
    for name, one in figures.items():
        if one:
            yield f"- {name}: {one.value:.3f} (95% interval {one.low:.3f} to {one.high:.3f})\n"


def _use(figures: CardFigures) -> str:
    names = [name for name, *_ in _files(figures)]
    loaded = "\n".join(f'{name} = load_dataset("path/to/this/folder", "{name}")' for name in names)
    return f"## Use\n\n```python\nfrom datasets import load_dataset\n\n{loaded}\n```\n"


_LICENCE = """## Licence

Not stated. The documents may have a licence of their own: find it out before you publish this dataset, and
replace `license` in the header.
"""


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "\\|")


def _one_line(text: str) -> str:
    return " ".join(text.split())
