"""THE TABLE of arrays: operations with several results, and how one of them is taken out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.array_primitive import linear


class Parts(dict[int, Any]):
    """The gradient of a bundle of results: that of each result which has one."""

    def __add__(self, other: Parts) -> Parts:
        both = self.keys() & other.keys()
        return Parts({**self, **other, **{i: self[i] + other[i] for i in both}})

    def filled(self, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """A gradient for every result."""
        return tuple(self.get(i, np.zeros(y.shape, y.dtype)) for i, y in enumerate(results))


# fmt: off
PART = linear("part", lambda t, y, bundle, index: Parts({index: t}),
              forward=lambda bundle, index: bundle[index],
              tex=r"y_i", summary="One of several results")
