"""Texts of the API description: the API as a whole, and its tags. The settings import them: no Django."""

CAMPAIGNS_TAG, FILES_TAG, PEOPLE_TAG, TOPICS_TAG, JUDGING_TAG, TRAINING_TAG, RESULTS_TAG, WEBHOOKS_TAG = (
    "Campaigns",
    "Uploads",
    "People",
    "Topics",
    "Judging",
    "Training",
    "Results",
    "Webhooks",
)
LAB_TAG, PARTICIPANTS_TAG, ENGINES_TAG = "Lab", "Participants", "Search engines"
_SAID = {
    CAMPAIGNS_TAG: "Create, configure, open, pause and close campaigns.",
    FILES_TAG: "Collections, topics, runs and qrels. A file with an error changes nothing.",
    PEOPLE_TAG: "Members and invitations.",
    TOPICS_TAG: "Topics, their revisions, assignments and order.",
    JUDGING_TAG: "For assessors: documents, judgments and claims.",
    TRAINING_TAG: "Training items with an expected grade, and the results of assessors.",
    RESULTS_TAG: "For organisers: score ranges, measures, pairs, predictions, queues, qrels and live events.",
    ENGINES_TAG: "Connections to live search engines, query configurations, and pulls that make runs.",
    WEBHOOKS_TAG: "Addresses that receive events, and their deliveries.",
    PARTICIPANTS_TAG: "Teams hand in runs; organisers admit them, release scores and publish a leaderboard.",
    LAB_TAG: "Studies and replays on collections of your own, uploaded or copied from a campaign.",
}
TAGS = [{"name": name, "description": said} for name, said in _SAID.items()]
DESCRIPTION = """\
Upload runs, judge documents, watch score ranges and download qrels. Planner, adjudication, history and
figures are in the browser only.

Only members see a campaign: for everyone else its addresses answer 404, whether it exists or not. Organisers
may use every address but those of `team/`; assessors judge, train and read topics; participants hand in their
team's runs.

Programs send `Authorization: Token …`, with a token created on the page of API tokens. A token acts for its
owner, within its scopes: `read`, `judge`, `organise`, `submit`. Each address names the scope it needs. A
token for one campaign cannot see the others.

Every error has one shape, `application/problem+json`: a `code` for programs, a `detail` for people, in the
language of `Accept-Language`, and in `errors` the field or the line of a file. A field or parameter that is
not listed is rejected, so that no misspelt one is ignored. Addresses end with a slash.

`GET /api/v1/client/` returns a client for Python and the command line: one file that needs only Python.
"""
