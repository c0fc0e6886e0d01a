"""The public functions: one per primitive, for numbers, arrays and carriers alike.

Type checkers read `functions.pyi`, which `gradwalk.tensor.printed` prints from the table.
"""

from __future__ import annotations

from typing import Any

from ..core.calls import public
from ..ops import TABLE, composite
from .operators import METHODS, declared
from .value import ENGINE, Value, engine

__all__ = sorted({*METHODS, *composite.__all__, "fma", "polygamma", "where"})

_made: dict[str, Any] = {name: engine.function(primitive) for name, primitive in TABLE.items()}
_made |= {name: getattr(composite, name) for name in composite.__all__}
globals().update({name: public(_made[name]) for name in __all__})

if ENGINE == "native":
    type(_made["exp"]).__wrapped__ = property(lambda function: declared(function.primitive))

for _name in METHODS:  # the functions of the engine are faster than those of the mixin
    setattr(Value, _name, _made[_name])
