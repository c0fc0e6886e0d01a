"""THE TABLE of arrays: operations with several results, and the selection of one of them."""

from __future__ import annotations

from typing import Final

from ...core.array_primitive import OutputGradients, linear

# fmt: off
PART: Final = linear("part", lambda t, y, multi_output, index: OutputGradients({index: t}),
    forward=lambda bundle, index: bundle[index], tex=r"y_i", summary="One of several results")
