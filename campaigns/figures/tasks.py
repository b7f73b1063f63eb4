"""The results' Celery task: drawing a figure."""

from __future__ import annotations

from celery import shared_task

from campaigns.models import Campaign
from campaigns.results import figures


@shared_task(name="campaigns.draw")
def draw(campaign: int, figure: str, width: int, top: int, kind: str, topics: str = "all") -> None:
    """Draw a figure that somebody waits for, unless it was drawn meanwhile."""
    found = Campaign.objects.filter(id=campaign).first()
    wanted = figures.FigureRequest(figure, width, top, kind, topics)
    if found is not None and figures.drawing_of(campaign=found, wanted=wanted) is None:
        figures.draw_figure(campaign=found, wanted=wanted)
