from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..core.primitive import Primitive
from ..core.scopes import Scope as Scope
from ..core.scopes import Scopes as Scopes

FINGERPRINT: str
recording: Scopes

# The classes have the interface of those in `engine.pure`, which this package must not import.
Value = Any
LeakedValue = Any

def connect(
    node: type,
    leaked: type,
    table: Mapping[str, Primitive],
    constant: Primitive,
    as_float: Callable[[Any, str], float],
    freed: Callable[[Any], Exception],
    manual: Callable[[Primitive], str],
    gradients: Callable[..., Any],
    leaves: Callable[..., Any],
    nested: Callable[[], Exception],
    /,
) -> None: ...
def emptied(shut: Any, t: Any, out: Any) -> None: ...
def forget_pass() -> None: ...
def function(primitive: Primitive) -> Callable[..., Any]: ...
def gradients(root: Value, seed: float, wrt: Sequence[Value]) -> list[float | None]: ...
def has_kernel(primitive: Primitive) -> bool: ...
def leaves(root: Value) -> list[Value]: ...
def map_dual(
    primitive: Primitive, y: Any, dy: Any, operands: tuple[Any, ...], tangents: tuple[Any, ...]
) -> bool: ...
def map_gate(
    primitive: Primitive, rule: int, out: Any, shut: Any, operands: tuple[Any, ...]
) -> bool | None: ...
def map_row(
    primitive: Primitive, rule: int, out: Any, shut: Any, operands: tuple[Any, ...]
) -> bool: ...
def poison(leaves: Iterable[Value]) -> None: ...
def run_chain(steps: list[Any], given: list[Any], wanted: list[Any], masks: list[bool]) -> None: ...
def share_kind(primitive: Primitive, rule: int) -> tuple[str, int] | None: ...
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
