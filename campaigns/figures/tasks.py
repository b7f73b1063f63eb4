"""The figures’ Celery task: drawing one."""

from __future__ import annotations

from celery import shared_task

from campaigns.figures import drawings
from campaigns.models import Campaign


@shared_task(name="campaigns.draw")
def draw(campaign: int, figure: str, width: int, top: int = 0, topics: str = "all") -> None:
    """Draw a requested figure, unless it was drawn meanwhile."""
    row = Campaign.objects.filter(id=campaign).first()
    wanted = drawings.FigureRequest(figure, width, top, topics)
    if row is not None and drawings.drawing_of(campaign=row, wanted=wanted) is None:
        drawings.draw_figure(campaign=row, wanted=wanted)
