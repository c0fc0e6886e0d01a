from collections.abc import Callable
from typing import Any

from ..primitive import Primitive

def connect(*parts: Any) -> None: ...
def operator(
    in_python: Callable[..., Any],
    f: Callable[..., Any],
    row: Primitive,
    keeps: tuple[tuple[bool, ...], ...],
    differentiable: bool,
) -> Callable[..., Any]: ...
def sweep(root: Any, seed: Any, release: bool) -> list[tuple[Any, Any]]: ...
