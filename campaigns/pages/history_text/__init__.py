"""The history in sentences. Each begins behind the name of whoever did it."""

from __future__ import annotations

from campaigns.log.timeline import Line
from campaigns.pages.history_text import campaign, judgments, people
from campaigns.pages.history_text.sentences import Places, Said, said

TELL = {
    **judgments.TELL,
    **campaign.TELL,
    **people.TELL,
    **judgments.TELL_FILES,
    **people.TELL_WEBHOOKS,
    "settings": campaign.settings,
}


def tell(line: Line, at: Places) -> Said:
    """A kind without a sentence of its own is told by its name and what is known of it."""
    if line.kind in TELL:
        own = line.detail.get("person") == line.who
        return TELL[line.kind]({**line.detail, "after": line.place.after, "own": own}, at)
    known = ", ".join(f"{name} {value}" for name, value in line.detail.items())
    return said("{kind}: {known}", kind=line.kind, known=known)
