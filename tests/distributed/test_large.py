"""Data larger than the memory that its workers may use."""

from __future__ import annotations

import os
import resource
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import distributed

from ..helpers.clusters import QUIET, cluster_of, logistic

da = pytest.importorskip("dask.array")
pytestmark = QUIET
ROWS, WIDTH, LIMIT = 10_000_000, 10, 500e6


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Count no threads here: those of Dask come and go."""


def peak_of_worker() -> float:
    """Return the most resident memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def resident_here() -> float:
    """Return the resident memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * float(os.sysconf("SC_PAGE_SIZE"))


@pytest.mark.long
@pytest.mark.skipif(not os.path.exists("/proc"), reason="memory is read from Linux")
def test_ten_million_rows_are_fitted_in_500_megabytes() -> None:
    true = np.linspace(-1.0, 1.0, WIDTH)  # 800 MB of rows, which no process ever holds
    with cluster_of(2) as client:
        rng = da.random.default_rng(0)
        x = rng.normal(size=(ROWS, WIDTH), chunks=(200_000, WIDTH))
        y = da.where(x @ true + rng.logistic(size=ROWS, chunks=200_000) > 0.0, 1.0, -1.0)
        before = resident_here()
        mean = distributed.objective(lambda w, c: logistic(w, c) / ROWS, (x, y), client)
        found = gw.minimize(mean, np.zeros(WIDTH), method="Newton-CG", progress=False)
        peaks: dict[str, Any] = client.run(peak_of_worker)
        assert max(peaks.values()) < LIMIT
        assert resident_here() - before < 100e6
        print(peaks, resident_here() - before, found.evaluations)
    # the error of an estimate from so many rows is about 2 / sqrt(rows)
    np.testing.assert_allclose(found.x, true, atol=5e-3)
