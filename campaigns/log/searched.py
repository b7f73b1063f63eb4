"""Acts on documents that their assessors found by search, and copied judgments: they are no part of what a
method served.

A second opinion on such a document, and a decision between its grades, belong to the search as well.
"""

from __future__ import annotations

from campaigns.models.judgment import COPIED, SEARCHED

# Conditions on rows of the log, beside those of `campaigns.log.current`. A decision belongs to what it
# decides: to the search, if nothing else brought the document.
_DECIDES_SEARCHED = f"""(adjudication AND NOT EXISTS (
    SELECT FROM campaigns_judgment other WHERE other.topic_id = campaigns_judgment.topic_id
    AND other.document_id = campaigns_judgment.document_id
    AND NOT other.adjudication AND other.method NOT IN ('{SEARCHED}', '{COPIED}')))"""
IS_SERVED = f"NOT (method IN ('{SEARCHED}', '{COPIED}') OR {_DECIDES_SEARCHED})"
