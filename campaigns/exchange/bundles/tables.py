from __future__ import annotations

FORMAT, VERSION = "assess bundle", 1
