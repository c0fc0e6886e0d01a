from collections.abc import Callable
from typing import Any

FINGERPRINT: str

def ufunc(capsule: Any, name: str, reports: bool) -> tuple[Callable[..., Any], int] | None: ...
