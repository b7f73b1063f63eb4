"""Studies by name: each is a table and a figure of a paper."""

from __future__ import annotations

from collections.abc import Mapping

from campaigns.lab.studies import replay_figures, topic_figures
from campaigns.lab.studies.estimation_figures import SCORES
from campaigns.lab.studies.precision_figures import PRECISION
from campaigns.lab.studies.replay_figures import STOPPING
from campaigns.lab.studies.sampling_figures import SAMPLING
from campaigns.lab.studies.study import MARK, Study, gettext_noop
from campaigns.lab.studies.targeted_figures import TARGETED
from selection.studies.replays import REPLAY_STUDY
from selection.studies.topics.topic_selection import GENERAL_MEASURES, TOPIC_STUDIES, paper_study

TOPICS = {
    "topic-selection": Study(
        gettext_noop("Agreement between the selected topics and all topics, by method"),
        f"Hosseini and others 2012, Table 1; AP. {MARK}: the interval lies above those of Random and IQP.",
        paper_study(TOPIC_STUDIES["topic-selection"]),
        topic_figures.curves_by_share({"Kendall's τ": "Kendall's τ", "Pearson's r": "Pearson's r"}),
        topic_figures.NAMES,
    ),
    "topic-selection-p100": Study(
        gettext_noop("Agreement between the selected topics and all topics by P@100, by method"),
        f"Hosseini and others 2012, Table 1; P@100. {MARK}: the interval lies above those of Random and IQP.",
        paper_study(TOPIC_STUDIES["topic-selection-p100"]),
        topic_figures.curves_by_share({"Kendall's τ": "Kendall's τ", "Pearson's r": "Pearson's r"}),
        topic_figures.NAMES,
    ),
    "topics-needed": Study(
        gettext_noop("Topics and judgments needed until the runs are in nearly the order of all topics"),
        "Hosseini and others 2012, Table 2; the fewest topics with which mean τ is so high, and their "
        "judgments.",
        paper_study(TOPIC_STUDIES["topics-needed"]),
        topic_figures.curves_by_topics("method"),
        topic_figures.NAMES,
    ),
    "topics-at-once": Study(
        gettext_noop("Agreement with all topics if several topics are selected at a time"),
        f"Hosseini and others 2012, section 9; τ by AP with Adaptive. {MARK}: the interval lies above "
        "Random’s.",
        paper_study(TOPIC_STUDIES["topics-at-once"]),
        topic_figures.curves_by_topics("topics at a time"),
        topic_figures.NAMES,
    ),
    "topic-generalisation": Study(
        gettext_noop("Agreement for runs that took no part in the selection"),
        f"Hosseini and others 2012, Table 3; τ. {MARK}: above Random and Adaptive by the paired t-test.",
        paper_study(TOPIC_STUDIES["topic-generalisation"]),
        topic_figures.curves_by_share({measure: f"Kendall's τ, {measure}" for measure in GENERAL_MEASURES}),
        topic_figures.NAMES,
    ),
    "metric-transfer": Study(
        gettext_noop("Difference in τ if topics are selected by another measure"),
        f"Hosseini and others 2012, Table 4; rows: chosen by, columns: evaluated by. {MARK}: above all "
        "other rows by the paired t-test.",
        paper_study(TOPIC_STUDIES["metric-transfer"]),
        topic_figures.losses,
        topic_figures.NAMES,
    ),
    "initialisation": Study(
        gettext_noop("Influence of the first topic"),
        "Hosseini and others 2012, Figure 3; τ by AP, where each next topic is chosen by true scores.",
        paper_study(TOPIC_STUDIES["initialisation"]),
        topic_figures.beginnings,
        topic_figures.NAMES,
    ),
}
REPLAYS = {
    "replay": Study(
        gettext_noop("Relevant documents and residual by method"),
        "Relevant documents found, mean residual of RBP, and τ between the order of the runs by their bases "
        "and by all judgments. Methods that draw are replayed with several seeds.",
        REPLAY_STUDY,
        replay_figures.by_judgments,
    ),
}
STUDIES: Mapping[str, Study] = {
    **REPLAYS,
    **STOPPING,
    **TARGETED,
    **PRECISION,
    **TOPICS,
    **SCORES,
    **SAMPLING,
}
