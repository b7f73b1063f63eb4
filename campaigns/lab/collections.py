"""Collections of the Lab: stored from files or copied from a campaign, loaded for studies, and removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.formats.errors import LAB_LINES, QRELS_BYTES, RUN_BYTES, FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.qrels import ParsedQrels, read_qrels
from campaigns.formats.runs.files import ParsedRun, distinct_names, read_runs
from campaigns.lab.campaign_topics import topics_of_campaign
from campaigns.lab.collection_files import gains_text
from campaigns.lab.known_topics import NamedTopic, packed_topic, topics_of_files, unpacked_topic
from campaigns.models import Campaign, LabCollection, LabJob, LabTrial, LogHead
from campaigns.models.campaign import ScoreFloats
from campaigns.models.lab import UNFINISHED
from evaluation.measures.ordering import ScorePrecision
from selection.cache import LruCache
from selection.studies.known_collection import KnownCollection

MOST_COLLECTIONS = 100
MOST_NAMED = 5
LONGEST_NAME = 200
# Bytes of collections that a process keeps; a study derives about as much again from one.
CACHED_BYTES = 256 << 20
# Of one entry of a run's list, and of one document.
ENTRY_BYTES, DOCUMENT_BYTES = 12, 8


@dataclass(frozen=True)
class CollectionFiles:
    """Uploaded files. `gains`: as `--gains` has them; None: a grade of 1 or more counts 1, but in nDCG.
    Scores are compared as floats of `score_precision` bits."""

    runs: Sequence[UploadedFile[Any]]
    qrels: UploadedFile[Any]
    gains: tuple[float, ...] | None = None
    score_precision: ScorePrecision = 64


def store_files(*, owner: User, name: str, files: CollectionFiles) -> LabCollection:
    """Store runs and qrels, all of them or nothing. FormatError with what is wrong in a file."""
    _check(owner, name)
    grading = Grading() if files.gains is None else Grading.of_list(files.gains)
    qrels = read_qrels(
        files.qrels, str(files.qrels.name), max_bytes=_limit(QRELS_BYTES), fractions=files.gains is None
    )
    grading.check(qrels, str(files.qrels.name))
    # In the order in which a command reads a folder.
    ordered = sorted(files.runs, key=lambda file: str(file.name))
    parsed = _read_runs(ordered, files.score_precision)
    names = distinct_names([run.tag for run in parsed], [str(file.name) for file in ordered])
    topics = topics_of_files(parsed, qrels, grading)
    if not topics:
        detail = gettext("judges no topic of the runs")
        raise FormatError(str(files.qrels.name), [LineError(None, detail, "topic")])
    _refuse_unjudged_runs(ordered, topics)
    notes = [*_shared_tags(parsed, names), *_left_out(parsed, qrels), *_default_gains(qrels, files)]
    notes += _older_rule(names if files.score_precision == 32 else [])
    return _store(LabCollection(owner=owner, name=name), names, topics, notes)


def copy_campaign(*, owner: User, name: str, campaign: Campaign) -> LabCollection:
    """Copy a campaign's runs and current grades as they are now."""
    _check(owner, name)
    with consistent_reads():
        runs = list(campaign.runs.taking_part().order_by("id").values_list("id", "tag", "score_precision"))
        topics = list(topics_of_campaign(campaign, [id for id, *_ in runs]))
        as_of = LogHead.objects.get(campaign=campaign).length
    if not topics:
        words = gettext("no topic that a run answers is judged yet")
        raise Refusal("nothing_judged", words, field="campaign", status=409)
    tags = [tag for _, tag, _ in runs]
    idle = [tags[place] for place in _unjudged_runs(topics)]
    notes = [
        ngettext("no document of run %(runs)s is judged", "no document of runs %(runs)s is judged", len(idle))
        % {"runs": _some(idle)}
    ]
    left = campaign.topics.count() - len(topics)
    if left:
        words = ngettext(
            "%(count)s topic without judgments or without runs is left out",
            "%(count)s topics without judgments or without runs are left out",
            left,
        )
        notes.append(words % {"count": left})
    notes += _older_rule([tag for _, tag, bits in runs if bits == ScoreFloats.SINGLE])
    row = LabCollection(owner=owner, name=name, campaign=campaign, as_of=as_of)
    return _store(row, tags, topics, notes if idle else notes[1:])


def delete_collection(*, collection: LabCollection) -> None:
    """Delete a collection. Finished jobs keep their results; the others end."""
    with transaction.atomic():
        words = gettext("The collection “%(name)s” was deleted before the job was done.")
        jobs = LabJob.objects.filter(collection=collection)
        jobs.filter(state__in=UNFINISHED).update(
            state=LabJob.State.FAILED, reason=words % {"name": collection.name}, finished=timezone.now()
        )
        LabTrial.objects.filter(job__in=jobs).delete()
        collection.delete()


def gains_from(text: str) -> tuple[float, ...] | None:
    """The gains of grades 0, 1, 2 …, as `--gains` takes them; None for an empty text."""
    if not text.strip():
        return None
    try:
        gains = tuple(float(part) for part in text.split(","))
    except ValueError:
        gains = (-1.0,)
    if not all(0 <= gain <= 1 for gain in gains):
        words = gettext("gains are numbers from 0 to 1 with commas between them, such as 0,0.5,1")
        raise Refusal("bad_gains", words, field="gains")
    return gains


def precision_from(text: str) -> ScorePrecision:
    """The bits of the floats as which scores are compared: 64 unless the text is 32."""
    return 32 if text == "32" else 64


def known_collection(collection: int) -> KnownCollection:
    """The data of studies, kept in this process while there is room. LabCollection.DoesNotExist if it was
    deleted; what is in memory is not looked up again."""
    return _loaded[collection]


def _load(collection: int) -> KnownCollection:
    row = LabCollection.objects.get(id=collection)
    topics = [unpacked_topic(topic) for topic in row.packed_topics.defer("docnos").order_by("position")]
    return KnownCollection(tuple(row.runs), topics, np.arange(len(row.runs)))


def _bytes(_: int, known: KnownCollection) -> int:
    entries = sum(len(one) for topic in known.topics for one in topic.rankings if one is not None)
    return ENTRY_BYTES * entries + DOCUMENT_BYTES * sum(len(topic.gains) for topic in known.topics)


_loaded: LruCache[int, KnownCollection] = LruCache(_load, _bytes, CACHED_BYTES)


def _check(owner: User, name: str) -> None:
    if not name.isprintable() or not name.strip() or len(name) > LONGEST_NAME:
        words = gettext("a name has 1 to %(most)s characters that can be shown")
        raise Refusal("bad_name", words % {"most": LONGEST_NAME}, field="name")
    if LabCollection.objects.filter(owner=owner).count() >= MOST_COLLECTIONS:
        words = gettext("you have %(most)s collections; delete one first")
        raise Refusal("too_many", words % {"most": MOST_COLLECTIONS}, status=409)


def _limit(of_kind: int) -> int:
    return min(of_kind, int(settings.MAX_UNPACKED_BYTES))


def _read_runs(files: Sequence[UploadedFile[Any]], score_precision: ScorePrecision) -> list[ParsedRun]:
    parsed, lines = [], 0
    for file in files:
        (run,) = read_runs(file, str(file.name), score_precision=score_precision, max_bytes=_limit(RUN_BYTES))
        lines += run.report.lines
        if lines > LAB_LINES:
            words = gettext("the runs have more than %(most)s lines together") % {"most": f"{LAB_LINES:,}"}
            raise FormatError(str(file.name), [LineError(None, words)])
        parsed.append(run)
    return parsed


def _unjudged_runs(topics: Iterable[NamedTopic]) -> list[int]:
    """Places of the runs that rank no judged document."""
    judged: Counter[int] = Counter()
    for topic in topics:
        known = ~np.isnan(topic.known.gains)
        for place, ranking in enumerate(topic.known.rankings):
            judged[place] += 0 if ranking is None else int(np.count_nonzero(known[ranking]))
    return [place for place, count in judged.items() if not count]


def _refuse_unjudged_runs(files: Sequence[UploadedFile[Any]], topics: Sequence[NamedTopic]) -> None:
    if idle := _unjudged_runs(topics):
        detail = gettext("none of its documents is judged; it may answer other topics")
        file = str(files[idle[0]].name)
        raise FormatError(file, [LineError(None, detail, "docno")], len(idle))


def _shared_tags(runs: Sequence[ParsedRun], names: Sequence[str]) -> list[str]:
    shared = [tag for tag, count in Counter(run.tag for run in runs).items() if count > 1]
    renamed = [name for run, name in zip(runs, names, strict=True) if run.tag in shared]
    if not shared:
        return []
    words = gettext("several files have the tag %(tags)s; their runs are named by their files: %(runs)s")
    return [words % {"tags": _some(shared), "runs": _some(renamed)}]


def _older_rule(runs: Sequence[str]) -> list[str]:
    """A note on runs whose order is that of the trec_eval of their time."""
    if not runs:
        return []
    words = ngettext(
        "run %(runs)s is ordered by scores compared as 32-bit floats, as in trec_eval up to 9.0.8",
        "runs %(runs)s are ordered by scores compared as 32-bit floats, as in trec_eval up to 9.0.8",
        len(runs),
    )
    return [words % {"runs": _some(runs)}]


def _left_out(runs: Sequence[ParsedRun], qrels: ParsedQrels) -> list[str]:
    answered = {topic for run in runs for topic in run.rankings}
    judged = {topic for topic, grades in qrels.grades.items() if grades}
    notes = []
    if missing := sorted(answered - judged):
        words = ngettext(
            "%(count)s topic of the runs has no judgments and is left out: %(some)s",
            "%(count)s topics of the runs have no judgments and are left out: %(some)s",
            len(missing),
        )
        notes.append(words % {"count": len(missing), "some": _some(missing)})
    if missing := sorted(judged - answered):
        words = ngettext(
            "%(count)s topic of the qrels is answered by no run and is left out: %(some)s",
            "%(count)s topics of the qrels are answered by no run and are left out: %(some)s",
            len(missing),
        )
        notes.append(words % {"count": len(missing), "some": _some(missing)})
    return notes


def _default_gains(qrels: ParsedQrels, files: CollectionFiles) -> list[str]:
    if files.gains is not None or qrels.highest <= 1:
        return []
    words = gettext(
        "no gains were given: RBP and SDCG count grades 1 to %(highest)s as 1; nDCG reads the grades"
    )
    return [words % {"highest": qrels.highest}]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")


def _store(
    row: LabCollection, runs: Sequence[str], topics: Sequence[NamedTopic], notes: list[str]
) -> LabCollection:
    known = KnownCollection(tuple(runs), [topic.known for topic in topics], np.arange(len(runs)))
    row.runs, row.notes, row.topics = list(runs), notes, len(topics)
    row.documents = sum(len(topic.docnos) for topic in topics)
    row.judged = sum(topic.judged for topic in topics)
    row.gains = gains_text(known.topics)
    row.fingerprint = known.fingerprint()
    with transaction.atomic():
        row.save()
        for position, topic in enumerate(topics):
            packed = packed_topic(topic, position)
            packed.collection = row
            packed.save()
    return row
