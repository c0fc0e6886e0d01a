from array import array
from collections.abc import Callable, Sequence
from typing import Any

from ..primitive import Primitive
from ..pure import Value as Value

FINGERPRINT: str

def function(row: Primitive) -> Callable[..., Any]: ...
def gradients(root: Value, seed: float, wrt: Sequence[Value]) -> list[float | None]: ...
def pause(step: int) -> None: ...
def tensor_methods(tensor: type) -> None: ...
def update(
    name: str, params: Sequence[Value], state: list[array[float]], hyper: tuple[float, ...]
) -> None: ...
def update_arrays(
    name: str,
    p: Any,
    gradients: tuple[Any, ...],
    state: tuple[Any, ...],
    hyper: tuple[float, ...],
) -> None: ...
def weighted_sum(weights: Sequence[Any], inputs: Sequence[Any], start: Any) -> Any: ...
