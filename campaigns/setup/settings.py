"""Settings of a campaign: one table, read by checks, forms, the API, copies, bundles, the history and docs.

A new setting is a column of `Campaign`, a row here, and its use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from campaigns.collection.metadata import MOST_SHOWN
from campaigns.configuration.measures import check_measures
from campaigns.configuration.methods import LARGEST
from campaigns.core.errors import Refusal
from campaigns.formats.documents.metadata import LONGEST_FIELD_NAME
from campaigns.models.campaign import (
    ANCHOR_COUNTS,
    JudgmentCopies,
    Method,
    Policy,
    Scope,
    ScoreFloats,
    ServingOrder,
    TopicChoice,
)
from campaigns.setup import setting_checks as checks
from campaigns.setup.setting import (
    Choice,
    FieldNames,
    Flag,
    GradeScale,
    MethodOptions,
    Moment,
    Number,
    Setting,
    Text,
    Whole,
)
from campaigns.setup.setting_checks import (
    LARGEST_REPEAT_SHARE,
    LONGEST_GUIDELINES,
    LONGEST_MEASURES,
    LONGEST_SECONDS,
    MOST_ASSESSORS,
)

SCOPES = [
    (
        "campaign",
        gettext_lazy("whole campaign"),
        gettext_lazy("Judgments go to the topics where they reduce uncertainty in the mean scores most."),
    ),
    (
        "topic",
        gettext_lazy("each topic by itself"),
        gettext_lazy("Every topic is worked through as if it were the only one."),
    ),
]
TOPIC_CHOICES = [
    (
        "free",
        gettext_lazy("as they like"),
        gettext_lazy("Topics assigned to them, one of ten drawn at random, or the next in your order."),
    ),
    (
        "random",
        gettext_lazy("assigned at random"),
        gettext_lazy("Each gets a random open topic, without a choice, once their topics are finished."),
    ),
    (
        "assigned",
        gettext_lazy("only what you assign"),
        gettext_lazy("Assessors judge only topics assigned to them."),
    ),
]
POLICIES = [
    (
        Policy.ADJUDICATED,
        gettext_lazy("adjudicated"),
        gettext_lazy("The adjudicated grade, otherwise the latest one."),
    ),
    (Policy.LATEST, gettext_lazy("latest"), gettext_lazy("The latest grade by any assessor.")),
    (
        Policy.MAJORITY,
        gettext_lazy("majority"),
        gettext_lazy("The grade given most often; of several such, the one given last."),
    ),
    (
        Policy.MEAN,
        gettext_lazy("mean"),
        gettext_lazy("The mean of all grades, rounded to the scale; half-way up."),
    ),
]

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "name",
        Text(200),
        gettext_lazy("name"),
        "name of the campaign, with at least one letter or digit",
        check=checks.check_campaign_name,
        copied=False,
        form="name",
        required=True,
    ),
    Setting(
        "guidelines",
        Text(LONGEST_GUIDELINES, multiline=True),
        gettext_lazy("guidelines"),
        "guidelines for assessors, in Markdown",
        default_words="empty",
        check=checks.check_guidelines,
        form="guidelines",
        hint=gettext_lazy(
            "Shown beside the document to everyone who judges: what counts as relevant, what to do in doubt. "
            "Markdown: # heading, *emphasis*, - list."
        ),
        help="organiser#guidelines",
        link=("campaigns:examples", gettext_lazy("Examples of the grades")),
        effect=gettext_lazy("Guidelines: shown from now on. The history keeps the earlier ones, too."),
    ),
    Setting(
        "p",
        Number(0, 1, typed=(0.01, 0.99)),
        gettext_lazy("persistence p"),
        "persistence of RBP, above 0 and below 1",
        check=checks.check_p,
        organisers_only=True,
        scores=True,
        form="measure",
        required=True,
        help="concepts#rank-biased-precision",
        effect=gettext_lazy(
            "Changing p rescores every run and rebuilds every queue. Bounds will jump; "
            "earlier figures are not comparable."
        ),
    ),
    Setting(
        "measures",
        Text(LONGEST_MEASURES),
        gettext_lazy("measures"),
        "names of measures, separated by blanks, the primary one first; empty for RBP at `p` alone",
        check=check_measures,
        organisers_only=True,
        scores=True,
        form="measure",
        hint=gettext_lazy(
            "Pages, exports and the leaderboard follow the first measure; the others stand beside it. "
            "Separated by blanks, for example: nDCG@10 AP P@10 RBP(p=0.95). Empty: RBP alone, at p."
        ),
        help="measures#measures-of-a-campaign",
        effect=gettext_lazy("Measures: every run is scored again by them. Judgments and queues stay."),
    ),
    Setting(
        "score_precision",
        Choice(ScoreFloats.choices),
        gettext_lazy("score precision"),
        "bits of the floats as which scores of runs uploaded from now on are compared: 64 as in trec_eval "
        "10.0, 32 as in trec_eval up to 9.0.8",
        remark="earlier runs keep their order until replaced",
        check=checks.check_score_precision,
        organisers_only=True,
        form="advanced",
        hint=gettext_lazy(
            "Scores are compared as floats of this precision; ties go by docno. Applies to runs uploaded "
            "from now on: a run keeps its order until it is replaced. To replace it, upload its file again."
        ),
        help="organiser#score-precision",
        effect=gettext_lazy(
            "Score precision: applies to runs uploaded from now on. The others keep their order."
        ),
    ),
    Setting(
        "method",
        Choice(Method.choices),
        gettext_lazy("method"),
        "selection method",
        organisers_only=True,
        queues=True,
        form="method",
        required=True,
        effect=gettext_lazy(
            "Changing the method rebuilds every queue. Samples already drawn stay unchanged. A random sample "
            "is drawn from documents that are not judged by then; those judged count as they are."
        ),
        # "." stands for every option of a method.
        effect_of="method .",
    ),
    Setting(
        "options",
        MethodOptions(),
        gettext_lazy("options of the method"),
        "options of the selection method, by name",
        default_words="the method's own",
        organisers_only=True,
        queues=True,
    ),
    Setting(
        "scope",
        Choice(Scope.choices, SCOPES),
        gettext_lazy("scope"),
        "scope of the run weights of B and C",
        organisers_only=True,
        queues=True,
        form="scope",
        required=True,
        title=gettext_lazy("Scope"),
        help="concepts#scope",
        effect=gettext_lazy("Changing scope or batch rebuilds every queue. Scores do not change."),
        effect_of="scope batch",
    ),
    Setting(
        "batch",
        Whole(1, 1_000_000),
        gettext_lazy("judgments between two reorderings"),
        "judgments after which the run weights of B and C are computed again, from 1",
        check=checks.within(1, 1_000_000),
        organisers_only=True,
        queues=True,
        form="advanced",
        required=True,
        hint=gettext_lazy(
            "Judgments between two updates of the queue. Default 1. Published experiments used five times "
            "the number of topics."
        ),
    ),
    Setting(
        "serving_order",
        Choice(ServingOrder.choices),
        gettext_lazy("serving order"),
        "order of documents that a method chose beforehand: pooling, statap, sample and strata",
        remark="without effect on other methods; samples of statap that are drawn keep theirs",
        check=checks.check_serving_order,
        organisers_only=True,
        queues=True,
        form="method",
        hint=gettext_lazy(
            "For pooling, statAP, random samples and strata. Other methods serve in their own order. By "
            "docno, and for random samples at random, estimates are valid only once a sample is judged in "
            "full."
        ),
        help="methods#serving-order",
        effect=gettext_lazy(
            "Serving order: applies within seconds. statAP samples that are drawn keep theirs."
        ),
    ),
    Setting(
        "anchors",
        Choice([(count, count) for count in ANCHOR_COUNTS]),
        gettext_lazy("anchors"),
        "documents of the whole campaign that are drawn by their weight, once, and judged first",
        remark="fixed once they are drawn",
        check=checks.check_anchors,
        organisers_only=True,
        queues=True,
        form="method",
        hint=gettext_lazy(
            "Documents drawn at random over all topics, by their weight, and judged first. 24 judgments take "
            "away two fifths of the error that all runs’ expected scores share; 12 a quarter. Drawn once, "
            "when the campaign is open."
        ),
        help="methods#anchors",
        effect=gettext_lazy(
            "Anchors: drawn within seconds, once, and judged before other documents of their topics."
        ),
    ),
    Setting(
        "grades",
        GradeScale(),
        gettext_lazy("grades"),
        "grade scale, 2 to 100 grades",
        default_words="0, 1 and 2 with the gains 0, 0.5 and 1",
        check=checks.check_scale,
        scores=True,
        effect=gettext_lazy(
            "Changing the scale: judgments keep their grades, and other gains rescore every "
            "run. A grade already given cannot be removed."
        ),
        effect_of="scale grade label gain key",
    ),
    Setting(
        "relevant_from",
        Whole(0, 99, nullable=True),
        gettext_lazy("relevant from grade"),
        "lowest grade that counts as relevant; null for every grade with a gain above 0",
        organisers_only=True,
        scores=True,
        form="grades",
        hint=gettext_lazy(
            "For counts, measures and methods that distinguish only relevant or not. Empty: every grade with "
            "a gain above 0."
        ),
        effect=gettext_lazy(
            "Changing the lowest relevant grade counts relevant documents again and rebuilds every queue."
        ),
    ),
    Setting(
        "unjudged_not_relevant",
        Flag(),
        gettext_lazy("treat unjudged documents as not relevant"),
        "true if unjudged documents of topics with a judgment count as gain 0 in scores and predictions, as "
        "in trec_eval",
        scores=True,
        form="grades",
        title=gettext_lazy("Treat unjudged documents as not relevant"),
        hint=gettext_lazy(
            "In every topic with a judgment, unjudged documents have gain 0 in scores and predictions, as in "
            "trec_eval. For qrels that list only relevant documents. Exports hold no invented judgments, and "
            "assessors are served as before."
        ),
        help="concepts#unjudged-documents",
        effect=gettext_lazy(
            "Unjudged documents: scores, score ranges and predictions are computed again. Judgments, qrels "
            "and queues stay as they are."
        ),
    ),
    Setting(
        "min_judgments",
        Whole(0, 1_000_000),
        gettext_lazy("minimum of judgments per topic"),
        "judgments of a topic from which an assessor can be done with it, from 0",
        check=checks.within(0, 1_000_000),
        form="amount",
        required=True,
        hint=gettext_lazy("Judgments per topic before an assessor may leave it."),
        help="organiser#minimum-and-budget",
        effect=gettext_lazy(
            "New minimum: assessors can be done with a topic after this many judgments. Topics they "
            "are done with stay so."
        ),
    ),
    Setting(
        "budget",
        Whole(1, LARGEST, nullable=True),
        gettext_lazy("budget"),
        "planned number of judgments of the campaign; null for none",
        check=checks.within(1, LARGEST),
        organisers_only=True,
        form="amount",
        hint=gettext_lazy("Planned number of judgments. Empty: no limit."),
        effect=gettext_lazy(
            "New budget: progress is measured against it. It does not stop anyone from judging."
        ),
    ),
    Setting(
        "due_at",
        Moment(),
        gettext_lazy("due date"),
        "time until which assessors are asked to have the minimum of their topics, to the minute; a target "
        "that closes nothing; null for none",
        remark="without a time zone, in the site's",
        check=checks.check_due,
        copied=False,
        form="amount",
        hint=gettext_lazy(
            "Date by which assessors should reach the minimum (optional), in the site’s time zone, %(zone)s. "
            "Judging stays open after it."
        ),
        help="organiser#due-date",
        effect=gettext_lazy(
            "New due date: assessors see it at once, and reminders go by it. It does not stop anyone from "
            "judging."
        ),
    ),
    Setting(
        "topic_choice",
        Choice(TopicChoice.choices, TOPIC_CHOICES),
        gettext_lazy("topic assignment"),
        "way in which assessors get topics",
        check=checks.check_topic_choice,
        form="assessing",
        title=gettext_lazy("Topic assignment"),
        effect=gettext_lazy(
            "The new way to get topics applies from each assessor’s next document. Unless "
            "they choose freely, assessors cannot continue in other topics."
        ),
    ),
    Setting(
        "training_required",
        Flag(),
        gettext_lazy("training before the first topic"),
        "true if assessors must finish the training before they judge",
        form="assessing",
        title=gettext_lazy("Training before the first topic"),
        hint=gettext_lazy(
            "At least five documents whose grade you know. After each, the assessor sees the expected grade "
            "and the reason."
        ),
        link=("campaigns:training", gettext_lazy("To the training")),
        effect=gettext_lazy("Training: who has not trained is asked to do so before their next document."),
    ),
    Setting(
        "development_required",
        Flag(),
        gettext_lazy("topic development before judging"),
        "true if a topic without description or narrative must be developed before it is judged",
        form="assessing",
        title=gettext_lazy("Topic development before judging"),
        hint=gettext_lazy(
            "If a topic lacks a description or a narrative, its first assessor writes them from the bare "
            "query. Every revision is kept."
        ),
        effect=gettext_lazy(
            "Topic development: where a description or narrative is missing, an assessor "
            "writes it before judging on."
        ),
    ),
    Setting(
        "assessors_close",
        Flag(),
        gettext_lazy("assessors may close a topic for all"),
        "true if assessors may close a topic for all, from the minimum of judgments; organisers always may",
        form="assessing",
        title=gettext_lazy("Assessors may close a topic for all"),
        hint=gettext_lazy(
            "From the minimum of judgments. Otherwise an assessor is done with a topic for themself only, "
            "and organisers close topics."
        ),
        effect=gettext_lazy("Closing: whether assessors may close a topic for all changes at once."),
    ),
    Setting(
        "search_judging",
        Flag(),
        gettext_lazy("assessors search the collection"),
        "true if assessors can search the collection and judge what they find",
        form="assessing",
        title=gettext_lazy("Assessors may search the collection"),
        hint=gettext_lazy(
            "They judge what they find, too. Such documents are marked as searched: samples, prels and their "
            "estimates leave them out."
        ),
        effect=gettext_lazy("Search: applies at once. Documents judged after a search keep their judgments."),
    ),
    Setting(
        "shown_fields",
        FieldNames(LONGEST_FIELD_NAME, MOST_SHOWN),
        gettext_lazy("fields under the title"),
        "names of the collection’s fields that stand under a document’s title, in order, at most "
        f"{MOST_SHOWN}",
        default_words="none",
        form="fields",
        effect=gettext_lazy("Fields under the title: from the next document that is fetched."),
    ),
    Setting(
        "overlap_share",
        Number(0, 1),
        gettext_lazy("overlap"),
        "overlap: share of documents judged by several assessors, in [0, 1]",
        check=checks.share_up_to(1.0),
        organisers_only=True,
        form="overlap",
        hint=gettext_lazy(
            "Share of documents that several assessors of a topic judge: 0.1 is every tenth. Range 0–1."
        ),
        help="organiser#overlap",
        effect=gettext_lazy(
            "Agreement: applies from the next document on, and also for documents judged before."
        ),
        effect_of="overlap_share overlap_assessors repeat_share",
    ),
    Setting(
        "overlap_assessors",
        Whole(2, MOST_ASSESSORS),
        gettext_lazy("assessors per overlap document"),
        f"number of assessors for each overlap document, 2 to {MOST_ASSESSORS}",
        check=checks.check_overlap_assessors,
        organisers_only=True,
        form="overlap",
        hint=gettext_lazy("Assessors for each of these documents, the first one included."),
    ),
    Setting(
        "repeat_share",
        Number(0, LARGEST_REPEAT_SHARE),
        gettext_lazy("repeat checks"),
        f"share of documents shown again to the same assessor, in [0, {LARGEST_REPEAT_SHARE}]",
        check=checks.share_up_to(LARGEST_REPEAT_SHARE),
        organisers_only=True,
        form="agreement",
        hint=gettext_lazy(
            "Share of documents that the same assessor sees again, unannounced, after at least ten "
            "judgments. Measures self-agreement; changes no grade and no qrels. Range 0–0.5."
        ),
        help="organiser#repeat-checks",
    ),
    Setting(
        "judgment_copies",
        Choice(JudgmentCopies.choices),
        gettext_lazy("copies of judgments"),
        "duplicates of a judged document that get its grade as a copied judgment: none, those with the same "
        "text, or near-duplicates, too",
        remark="not with methods that draw samples, anchors or overlap",
        check=checks.check_judgment_copies,
        organisers_only=True,
        form="agreement",
        hint=gettext_lazy(
            "Ranked duplicates of a judged document get its grade and are not served. The history marks each "
            "copy; “no documents” withdraws all. An assessor’s own judgment replaces a copy. Not with "
            "samples, anchors or overlap."
        ),
        help="organiser#copies-of-judgments",
        link=("campaigns:duplicates", gettext_lazy("Near-duplicates of this collection")),
        effect=gettext_lazy(
            "Copies of judgments: copied or withdrawn at once. Scores, queues and qrels change with them; "
            "assessors’ judgments stay."
        ),
    ),
    Setting(
        "note_on_disagreement",
        Flag(),
        gettext_lazy("note on disagreement"),
        "true if assessors are asked for a note where another assessor’s grade differs",
        remark="this shows them that there is a disagreement",
        form="agreement",
        title=gettext_lazy("Note on disagreement"),
        hint=gettext_lazy(
            "An assessor whose first grade of a document differs from another assessor’s is asked for a "
            "note, after judging. The request names neither grade nor person, but shows the assessor that "
            "there is a disagreement."
        ),
        effect=gettext_lazy("Note on disagreement: asked for from the next judgment on."),
    ),
    Setting(
        "policy",
        Choice(Policy.choices, POLICIES),
        gettext_lazy("aggregation policy"),
        "aggregation policy for documents with several grades",
        check=checks.check_policy,
        scores=True,
        form="agreement",
        title=gettext_lazy("Aggregation policy"),
        help="organiser#aggregation-policy",
        effect=gettext_lazy(
            "Changing the aggregation policy keeps all judgments. Where assessors disagree, "
            "grades change, and with them scores, queues and qrels."
        ),
    ),
    Setting(
        "flag_judgments",
        Whole(0, LARGEST),
        gettext_lazy("flags: least judgments"),
        "judgments before grades are flagged; other flags begin at half; 0: never",
        check=checks.threshold_up_to(LARGEST),
        organisers_only=True,
        form="flags",
        required=True,
        title=gettext_lazy("Judgments before grades are flagged"),
        hint=gettext_lazy("Other flags begin at half of this number. 0: no flags."),
    ),
    Setting(
        "flag_seconds",
        Number(0, LONGEST_SECONDS),
        gettext_lazy("flags: median time in seconds"),
        "median seconds of a judgment below which it is flagged; 0: never",
        check=checks.threshold_up_to(LONGEST_SECONDS),
        organisers_only=True,
        form="flags",
        required=True,
        title=gettext_lazy("Median time below, in seconds"),
    ),
    Setting(
        "flag_agreement",
        Flag(),
        gettext_lazy("flags: agreement"),
        "true if agreement is flagged whose interval reaches 0 or that falls",
        organisers_only=True,
        form="flags",
        title=gettext_lazy("Agreement"),
        hint=gettext_lazy(
            "With the others, and with their own earlier grades: where the interval of kappa reaches 0, or "
            "kappa falls."
        ),
    ),
    Setting(
        "flag_grades",
        Number(0, 1),
        gettext_lazy("flags: difference of grades"),
        "difference of a grade's share from the others' that is flagged, in [0, 1]; 0: never",
        check=checks.threshold_up_to(1),
        organisers_only=True,
        form="flags",
        required=True,
        title=gettext_lazy("Difference in grade share"),
        hint=gettext_lazy(
            "Flags assessors whose share of a grade differs by more than this from the others’, at the same "
            "depth of the same topics. Range 0–1."
        ),
    ),
    Setting(
        "flag_unread",
        Number(0, 1),
        gettext_lazy("flags: long documents unread"),
        "share of long documents judged before their middle was seen that is flagged, in [0, 1]; 0: never",
        check=checks.threshold_up_to(1),
        organisers_only=True,
        form="flags",
        required=True,
        title=gettext_lazy("Long documents judged unread"),
        hint=gettext_lazy(
            "Share of documents longer than two screens whose middle had not come into sight. Range 0–1."
        ),
    ),
    Setting(
        "seed",
        Whole(0, LARGEST),
        gettext_lazy("seed"),
        "random seed",
        remark="fixed once the campaign was open",
        check=checks.within(0, LARGEST),
        organisers_only=True,
        queues=True,
        form="advanced",
        hint=gettext_lazy("Random seed. The same seed gives the same draws. Fixed once the campaign opens."),
    ),
)
BY_NAME: Mapping[str, Setting] = {one.name: one for one in SETTINGS}
# All may be set when a campaign is made and changed afterwards; slug and collection stay.
CAMPAIGN_SETTINGS = tuple(BY_NAME)
SCORING_SETTINGS = frozenset(one.name for one in SETTINGS if one.scores)
SERVING_SETTINGS = frozenset(one.name for one in SETTINGS if one.queues)


def settings_in(*forms: str) -> list[Setting]:
    """The settings of these parts of the set-up pages, in the order of the table."""
    return [one for one in SETTINGS if one.form in forms]


def check_settings(values: Mapping[str, Any]) -> None:
    """Refuse values, of the right type, that no campaign can have, each by itself."""
    unknown = set(values) - set(BY_NAME)
    if unknown:
        names = {"names": ", ".join(sorted(unknown))}
        raise Refusal("unknown_setting", gettext("no such setting: %(names)s") % names)
    for name, value in values.items():
        if check := BY_NAME[name].check:
            check(name, value)
