"""What a program or its user does about an error, by its code."""

from __future__ import annotations

# Codes by remedy. A code that is not here has the remedy of its beginning.
REMEDIES = {
    "none: it is already as you want it": """active_already deactivated_already held nothing_to_do
        not_closed not_given not_held not_in_team not_paused not_withdrawn off_already on_already
        paused_already released revoked_already withdrawn loading_already member_already on_its_way
        unchanged wrong_pull_state""",
    "none: the request cannot be fulfilled": "admitted anchors_drawn seed_fixed not_random",
    "judge on, up to the minimum of the topic": "too_early",
    "add another organiser first": "last_organiser",
    "ask another administrator": "own_account",
    "sign in again": "cancelled",
    "send the request again after a few seconds": """busy unavailable too_slow no_reader search_timeout""",
    "send the request again after the seconds in `Retry-After`": "throttled too_many_tries",
    "read the object again, then decide": """answered bad_seen changed_meanwhile decided_meanwhile outdated
        text_replaced wrong_attempt claimed no_claim nothing_to_undo not_waiting no_dispute""",
    "use a new UUID": "id_taken bad_id",
    "send a token or sign in": "not_authenticated authentication_failed bad_token",
    "use a token with this scope": "scope",
    "use an account with this role": """organisers_only participants_only not_allowed permission_denied
        organisers_close participant not_yours""",
    "check the address, and your role in the campaign": "not_found not_a_member",
    "use a method that `Allow` lists": "method_not_allowed",
    "send JSON, or a form for uploads, in UTF-8": "unsupported_media_type parse_error",
    "send the header `Content-Length`": "length_required",
    "send no header `Accept`, or `*/*`": "not_acceptable",
    "make the request or file smaller": """too_large too_long too_many_lines text_too_long note_too_long
        too_many_documents""",
    "remove or finish some first": "too_many too_many_examples too_many_runs too_many_tokens",
    "correct the lines that `errors` names, and upload the file again": """bad_file wrong_lines
        documents_in_use judged_documents topic_in_use""",
    "correct the attributes that `errors` names": "invalid",
    "ask an administrator for space; nothing was stored": "no_room",
    "ask an administrator": """away failed no_download no_ir_datasets no_key no_mail_server several_accounts
        unreadable_dataset unverified_email deactivated bad_module""",
    "ask an organiser": """archived campaign_not_open deadline_passed hand_in_not_open not_assigned
        not_released no_topic_left paused scores_not_released search_off topic_closed invitation_expired
        invitation_revoked invitation_used joined_before""",
    "pause or close the campaign first": "campaign_open",
    "wait for the deadline, or change it": "before_deadline",
    "choose another name or address": "slug_taken user_exists name_taken tag_taken",
    "choose another priority, or send `replaces`": "priority_taken",
    "choose another person": "same_assessor own_judgment excluded_everywhere",
    "choose a method that orders topics": "no_order",
    "choose one of the two": "copies_disturb one_choice one_topic",
    "choose at least one": """no_assessor no_events no_file no_files no_run no_selection no_topic
        nothing_selected empty_list no_scope""",
    "enter a text": "empty no_name no_query",
    "add what is missing": """incomplete too_few_items too_small no_documents no_judgments no_texts
        nothing_judged nothing_to_plan not_judged development_first training_first
        topic_unfinished not_done no_topics empty_query""",
    "keep the grade, or delete the examples and judgments that use it": "grade_in_use",
    "use a grade of the campaign’s scale": "grade_outside_scale",
    "map the grades by `map`, or send `use_grades`": "other_grades",
    "withdraw the run, or change what uses it": "run_has_judgments run_in_use last_run team_has_runs",
    "judge a document of the topic’s pool": "not_in_pool",
    "go on with another topic, or reopen this one": "topic_done",
    "type the name that the sentence shows": "not_confirmed",
    "enter the current password or code": "wrong_password wrong_code password_needed",
    "sign in on the pages and follow the request there": "second_factor_needed temporary_password",
    "leave the parameter out": "no_policy other_measure which_topic",
    "use a value within the range": "out_of_range",
    "switch the webhook on": "webhook_off",
    "pause the pull first": "pull_running",
    "send the secret, too": "secret_needed",
    "correct the connection or the query as the sentence says, or try again later": "engine_trouble no_hits",
    "use one of the existing questions": "no_question",
}
BEGINNINGS = {
    "bad_": "correct the attribute as the sentence says",
    "unknown_": "use one of the existing names or IDs, which a `GET` of their list returns",
}
REMEDY_OF = {code: remedy for remedy, codes in REMEDIES.items() for code in codes.split()}


def remedy_of(code: str) -> str:
    """Return the remedy of the code. Raises KeyError if it has none."""
    for beginning, remedy in BEGINNINGS.items():
        if code.startswith(beginning) and code not in REMEDY_OF:
            return remedy
    return REMEDY_OF[code]
