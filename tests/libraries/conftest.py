"""The libraries that tests run with."""

from __future__ import annotations

from typing import Any

import pytest

from ..helpers.libraries import NAMES, Library


@pytest.fixture(params=NAMES)
def library(request: Any) -> Library:
    """Return one of the libraries; the test is skipped, and says so, where it is missing."""
    return Library(request.param)
