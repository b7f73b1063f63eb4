"""Limits on tries of anything that guards an account: signing in, resets, links.

Counted in the database. Each of these needs the database anyway and costs far more than one row, so the limit
also holds while Redis is away, after it lost its memory, and over all web servers. `rate_limits` counts the
many requests to the API, which must not cost a write.
"""

from __future__ import annotations

import hashlib

from django.db import connection
from django.utils import timezone

from campaigns.models import Attempts

# One statement: two tries at once are both counted. After the span the count begins again, also where
# more is left than a whole span: the clock was set back, and it would last for hours. (A minute more is none:
# tries at once see the clock in another order than they are counted.)
_COUNT = """
INSERT INTO campaigns_attempts AS known (key, tries, ends_at)
VALUES (%(key)s, 1, clock_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (key) DO UPDATE SET
  tries = CASE WHEN known.ends_at BETWEEN clock_timestamp() AND excluded.ends_at + interval '1 minute'
    THEN least(known.tries, 1000000) + 1 ELSE 1 END,
  ends_at = CASE WHEN known.ends_at BETWEEN clock_timestamp() AND excluded.ends_at + interval '1 minute'
    THEN known.ends_at ELSE excluded.ends_at END
RETURNING tries, ceil(extract(epoch FROM ends_at - clock_timestamp()))
"""


def wait(*, what: str, who: str, most: int, seconds: int) -> int:
    """Count one try. Return 0 if it is among the first `most` of a span that begins with the first try, else
    the whole seconds until the span ends."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": _key(what, who), "seconds": seconds})
        tries, left = cursor.fetchone()
    return 0 if tries <= most else max(1, int(left))


def forget(*, what: str, who: str) -> None:
    """Begin again at no tries, after one that succeeded."""
    Attempts.objects.filter(key=_key(what, who)).delete()


def prune_attempts() -> None:
    Attempts.objects.filter(ends_at__lte=timezone.now()).delete()


def _key(what: str, who: str) -> str:
    """Hashed, as it names accounts and addresses, some of them mistyped passwords."""
    return hashlib.sha256(f"{what}\0{who}".encode()).hexdigest()
