"""Write the table of other evaluators' tests into docs/measures.md: `python -m tests.evaluation.peers`.

Needs the data that TREC_DATA names.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "measures.md"
BEGIN, END = "<!-- peers -->", "<!-- end -->"


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from tests.evaluation.peers.comparison import SMALL_SUITES, TREC_EVAL_SUITES, compare_suite, table

    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, cases in {**SMALL_SUITES, **TREC_EVAL_SUITES}.items():
            outcomes[name] = outcome = compare_suite(name, cases(Path(folder)))
            for difference in outcome.differences.get("", []):
                print(name, difference, file=sys.stderr)
    made = table(outcomes)
    print(made)
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        print(f"{PAGE} has no lines {BEGIN} and {END}", file=sys.stderr)
        return 1
    PAGE.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
