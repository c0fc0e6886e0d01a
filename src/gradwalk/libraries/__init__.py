"""Arrays of other libraries: how one is recognised, where it lies, and NumPy's names for it.

The rules of the table and the operations behind them are written with operators, primitives and
NumPy's functions. NumPy hands its functions on to an argument that asks for it, so the same lines
run on a `LibraryArray`. Where a library has no such function, `adapters` has a composition.
"""

from __future__ import annotations

from . import adapters as adapters
from . import attention as attention
from . import functions as functions
from . import images as images
from . import own as own
from . import unasked as unasked
from .array import LibraryArray as LibraryArray
from .array import array_of as array_of
from .array import at_one_place as at_one_place
from .array import evaluate as evaluate
from .places import Place as Place
from .places import is_foreign as is_foreign

__all__ = ["LibraryArray", "Place", "array_of", "at_one_place", "evaluate", "is_foreign"]
