from collections.abc import Callable
from typing import Any

from ..core.primitive import Primitive

def connect(*parts: Any) -> None: ...
def leaves(root: Any) -> list[Any]: ...
def operator(
    in_python: Callable[..., Any],
    f: Callable[..., Any],
    primitive: Primitive,
    keeps: tuple[tuple[bool, ...], ...],
    differentiable: bool,
) -> Callable[..., Any]: ...
def sweep(root: Any, seed: Any, release: int, finish: Any = None) -> list[tuple[Any, Any]]: ...
