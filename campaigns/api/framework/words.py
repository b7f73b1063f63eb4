"""What the description says of the API as a whole and of its parts. The settings import it: no Django."""

CAMPAIGNS_TAG, FILES_TAG, PEOPLE_TAG, TOPICS_TAG, JUDGING_TAG, TRAINING_TAG, RESULTS_TAG, WEBHOOKS_TAG = (
    "Campaigns",
    "Files in",
    "People",
    "Topics",
    "Judging",
    "Training",
    "Results",
    "Webhooks",
)
_SAID = {
    CAMPAIGNS_TAG: "Made, set up, opened, paused and closed by their organisers.",
    FILES_TAG: "Collections, topics, runs and qrels. With an error in it, nothing of a file is stored.",
    PEOPLE_TAG: "Who takes part, and who is invited to.",
    TOPICS_TAG: "What is asked, who judges it, and whether it is open.",
    JUDGING_TAG: "For assessors: the next document, and what they say of it.",
    TRAINING_TAG: "Items with an expected grade, and how assessors do in them.",
    RESULTS_TAG: "For organisers: intervals, pairs, queues, qrels and live events.",
    WEBHOOKS_TAG: "Addresses that are told what happens, and what became of each delivery.",
}
TAGS = [{"name": name, "description": said} for name, said in _SAID.items()]
DESCRIPTION = """\
Upload runs, judge documents, watch the intervals, fetch the qrels.

What belongs to a campaign is there for its members only: for everybody else it is a 404, whether it exists or
not. Organisers may do all that is here; assessors judge, train and read topics.

Programs send `Authorization: Token …`, with a token made on the page of API tokens. It acts in its owner's
name, within its scopes: `read`, `judge`, `organise`; each address says which it needs. A token for one
campaign finds nothing of the others.

Every refusal has one shape, `application/problem+json`: a `code` for programs, a `detail` for people in the
language they ask for (`Accept-Language`), and in `errors` which field or which line of a file. A field or
parameter that is not listed is refused, so that a misspelt one does not pass in silence. Addresses end with a
slash.

`GET /api/v1/client/` is a client for Python and the command line: one file that needs nothing but Python.
"""
