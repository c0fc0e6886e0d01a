"""THE TABLE of arrays: operations with several results, and the selection of one of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.array_primitive import linear


class OutputGradients(dict[int, Any]):
    """The gradients of several results of one operation, by index of the result."""

    def __add__(self, other: OutputGradients) -> OutputGradients:
        both = self.keys() & other.keys()
        return OutputGradients({**self, **other, **{i: self[i] + other[i] for i in both}})

    def filled(self, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a gradient for every result: zeros for those without one."""
        return tuple(self.get(i, np.zeros(y.shape, y.dtype)) for i, y in enumerate(results))


# fmt: off
PART: Final = linear("part", lambda t, y, multi_output, index: OutputGradients({index: t}),
    forward=lambda bundle, index: bundle[index], tex=r"y_i", summary="One of several results")
