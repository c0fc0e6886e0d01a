"""How much a test does: in ``make test`` a part of what it does in ``make prove``.

``GRADWALK_TESTS=thorough`` selects the second amount; ``make prove`` sets it.
"""

from __future__ import annotations

import os

from hypothesis import settings

THOROUGH = os.environ.get("GRADWALK_TESTS", "quick") == "thorough"

# derandomised: both amounts are the same examples on every run, and a failure comes back
settings.register_profile("quick", deadline=None, derandomize=True, database=None, max_examples=20)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=100)


def examples(thorough: int, quick: int | None = None) -> settings:
    """Return the settings of a test that draws ``thorough`` examples, or ``quick`` of them."""
    fifth = -(-thorough // 5)
    return settings(max_examples=thorough if THOROUGH else quick or fifth)


def amount(thorough: int, quick: int) -> int:
    """Return how long, deep or many something is."""
    return thorough if THOROUGH else quick
