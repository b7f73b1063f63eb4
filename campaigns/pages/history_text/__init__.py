"""The history in sentences. Each begins behind the name of the person."""

from __future__ import annotations

from contextlib import suppress

from campaigns.log.timeline import HistoryLine
from campaigns.pages.history_text import campaign, engines, judgments, participants, people
from campaigns.pages.history_text.sentences import UNFIT, CampaignLinks, Sentence, sentence

SENTENCES = {
    **judgments.JUDGMENT_SENTENCES,
    **campaign.CAMPAIGN_SENTENCES,
    **people.PEOPLE_SENTENCES,
    **participants.PARTICIPANT_SENTENCES,
    **judgments.FILE_SENTENCES,
    **people.WEBHOOK_SENTENCES,
    **engines.ENGINE_SENTENCES,
    "settings": campaign.settings_sentence,
}


def sentence_of(line: HistoryLine, at: CampaignLinks) -> Sentence:
    """A kind without a sentence of its own shows its name and what is known of it; so does an entry, from
    another site or version, that its sentence does not fit."""
    if line.kind in SENTENCES:
        own = line.detail.get("person") == line.who
        with suppress(*UNFIT):
            return SENTENCES[line.kind]({**line.detail, "after": line.place.after, "own": own}, at)
    known = ", ".join(f"{name} {value}" for name, value in line.detail.items())
    return sentence("{kind}: {known}", kind=line.kind, known=known)
