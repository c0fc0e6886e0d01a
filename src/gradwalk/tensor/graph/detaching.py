"""The error for a conversion to a plain array, which would lose a gradient: who asked for it."""

from __future__ import annotations

import sys
from typing import Any

from ...core.expect import expect_no_assignment
from ...errors import GradwalkError, NotANumberError, SilentDetachError
from ...levels.level import Tracer
from ...levels.vmap import VmapLevel, batch_of

__all__ = ["INSTEAD", "called", "detaching"]

LIBRARIES = {"numpy": "NumPy", "scipy": "SciPy", "matplotlib": "Matplotlib", "pandas": "pandas"}

STACK = "gradwalk.stack([a, b]) for np.array([a, b]) or a list of numbers"
INSTEAD = {
    "full": "gradwalk.full(shape, x)",
    "full_like": "gradwalk.full_like(a, x)",
    "polygamma": "gradwalk.polygamma(n, x)",
    **{name: f"gradwalk.{name}(x)" for name in ("logsumexp", "softmax", "log_softmax")},
}
"""Functions that convert their arguments before NumPy can ask these, and what to call instead."""


def detaching(x: Any) -> GradwalkError:
    """Return the error for a conversion of ``x`` to an array, by NumPy or for another library."""
    expect_no_assignment(x)
    library, name = called()
    where = f"{name} of {library}" if name else "np.array, or a function of NumPy on a list"
    keep = INSTEAD.get(name, STACK)
    if (batch := batch_of(x)) is not None:
        return _of_batch(batch, where, keep)
    if isinstance(x, Tracer):
        x._level.numbers(x._primal)  # which there may not be: the level says why
    numbers = "t.numpy()" if x._is_tensor else "x.data"
    drawn = library in ("Matplotlib", "pandas")
    return SilentDetachError(
        where=where,
        expected="plain numbers",
        got=f"{x!r}, whose gradient would be lost silently",
        fix=f"Pass {numbers}: the numbers alone."
        if drawn
        else f"Write {keep}, {numbers} for the plain numbers.",
    )


def _of_batch(batch: VmapLevel, where: str, keep: str) -> NotANumberError:
    return NotANumberError(
        where=f"inside {batch.mode}: {where}",
        expected="a computation that takes the same steps for all examples",
        got="a conversion of one example to a plain array",
        fix=f"Write {keep}, gradwalk.where(condition, a, b) for a choice between two results.",
    )


def called() -> tuple[str, str]:
    """Return the library that converts, and the name of its function that the user called."""
    frame, library, name = sys._getframe(1), "", ""
    while frame.f_back is not None:
        top = str(frame.f_globals.get("__name__")).partition(".")[0]
        if top in LIBRARIES:
            library, outer = LIBRARIES[top], frame.f_code.co_name
            name = name if outer.startswith(("_", "<", "wrapper", "inner")) else outer
        elif library or top not in ("gradwalk", "copy"):
            break
        frame = frame.f_back
    return library, name
