"""The sentences as filters and tags of templates."""

from __future__ import annotations

from collections.abc import Callable

from django import template

from campaigns.pages.sentences import (
    anchors,
    chips,
    due_dates,
    forecasts,
    judgments,
    mails,
    noticed,
    pairs,
    people,
    runs,
    search,
    setup,
    verdict,
)

register = template.Library()

FILTERS: tuple[Callable[..., str], ...] = (
    anchors.anchors_sentence,
    chips.job_chip,
    chips.step_label,
    chips.submission_chip,
    chips.webhook_chip,
    forecasts.effort_figure,
    forecasts.effort_interval,
    forecasts.unpredicted_phrase,
    forecasts.unpredicted_sentence,
    judgments.judged_figure,
    judgments.judgment_text,
    judgments.progress_label,
    judgments.standing_judgment,
    judgments.weight_sentence,
    mails.account_subject,
    noticed.noticed_text,
    pairs.versus_label,
    people.invitation_sentence,
    people.invitation_state,
    people.refused_invitation_sentence,
    people.token_end,
    runs.best_figure,
    runs.expected_figure,
    runs.rank_figure,
    setup.loaded_sentence,
    setup.loading_sentence,
    setup.opening_sentence,
    verdict.leader_figure,
    verdict.leader_label,
    verdict.leader_note,
    verdict.pairs_figure,
    verdict.verdict_sentence,
)
TAGS: tuple[Callable[..., str], ...] = (
    chips.delivery_label,
    chips.handing_in_chip,
    chips.next_try_text,
    chips.open_topic_mark,
    due_dates.due_sentence,
    forecasts.next_pair_note,
    forecasts.reach_interval,
    mails.account_sentence,
    mails.invitation_opening,
    mails.invitation_subject,
    mails.webhook_trouble,
    pairs.decision_sentence,
    pairs.difference_note,
    pairs.order_sentence,
    pairs.overall_sentence,
    pairs.probability_figure,
    pairs.until_note,
    people.list_line_effect,
    runs.all_runs_label,
    runs.participation_sentence,
    runs.rank_note,
    runs.score_note,
    search.search_caption,
    setup.collection_sentence,
)

for sentence in FILTERS:
    register.filter(sentence.__name__, sentence)
for sentence in TAGS:
    register.simple_tag(sentence)
