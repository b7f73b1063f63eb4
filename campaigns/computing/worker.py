from __future__ import annotations

from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from campaigns.models import Campaign, Claim, Computed


def behind() -> list[int]:
    computed = Computed.objects.filter(campaign=OuterRef("pk"))
    open_ = Claim.objects.filter(reserved=False, expires_at__gt=timezone.now())
    lonely = open_.filter(lookahead__isnull=True)
    rows = Campaign.objects.filter(runs__isnull=False).annotate(
        applied=Subquery(computed.values("applied")[:1]),
        computed_configuration=Subquery(computed.values("configuration")[:1]),
    )
    stale = (
        Q(applied__isnull=True)
        | ~Q(applied=F("log_head__length"))
        | ~Q(computed_configuration=F("configuration"))
        | Q(topics__claims__in=lonely)
    )
    return list(rows.filter(stale).distinct().values_list("id", flat=True))
