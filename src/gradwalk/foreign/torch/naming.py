"""Names of tensors, from the variables and the modules of the user's program."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from types import FrameType
from typing import Any
from weakref import ReferenceType, ref

from ...core.places import HOME
from . import library as torch

__all__ = ["Names", "is_of_user"]

STDLIB = sysconfig.get_path("stdlib")
PACKAGES = ("site-packages", "dist-packages")
MOST = 200  # members of a list or a dictionary that are looked at
CALLERS = 12  # frames of the program whose variables give names


def is_of_user(file: str) -> bool:
    """Return whether a file belongs neither to PyTorch, nor to this package, nor to Python."""
    home = torch.version.__file__.rpartition("version")[0]
    if file.startswith((home, HOME, "<frozen")) or (file[:1] == "<" and "torch" in file):
        return False
    return not file.startswith(STDLIB) or any(part in file for part in PACKAGES)


class Names:
    """Names of tensors that are alive."""

    def __init__(self) -> None:
        self.found: dict[int, tuple[ReferenceType[torch.Tensor], str]] = {}

    def get(self, t: torch.Tensor) -> str:
        """Return the name of a tensor, ``""`` if it has none."""
        known = self.found.get(id(t))
        return known[1] if known is not None and known[0]() is t else ""

    def add(self, t: torch.Tensor, name: str) -> None:
        """Name a tensor, unless it has a name."""
        if not self.get(t):
            self.found[id(t)] = (ref(t), name)

    def prune(self) -> None:
        """Forget the names of tensors that are gone."""
        self.found = {i: pair for i, pair in self.found.items() if pair[0]() is not None}

    def plain(self) -> dict[int, str]:
        """Return the names by ``id``."""
        return {i: name for i, (_, name) in self.found.items()}

    def look(self, frame: FrameType | None) -> None:
        """Add the names that the variables of a frame and of its callers give.

        Local variables come before global ones, variables before members of lists and modules.
        """
        frames = list[FrameType]()
        while frame is not None and len(frames) < CALLERS:
            if is_of_user(frame.f_code.co_filename):
                frames.append(frame)
            frame = frame.f_back
        scopes = [scope for place in frames for scope in (place.f_locals, place.f_globals)]
        variables = [(n, x) for scope in scopes for n, x in [*scope.items()] if n[:1] != "_"]
        modules = {id(x): (n, x) for n, x in reversed(variables) if isinstance(x, torch.nn.Module)}
        outer = _outermost([x for _, x in modules.values()])
        for name, x in variables:
            if isinstance(x, torch.Tensor) and not isinstance(x, torch.nn.Parameter):
                self.add(x, name)
        for name, x in [modules[i] for i in outer]:
            for path, part in (*x.named_parameters(), *x.named_buffers()):
                short = len(outer) == 1 and path[0].isalpha()
                self.add(part, path if short else f"{name}.{path}")
        for name, x in variables:
            for path, part in _members(name, x):
                self.add(part, path)


def _outermost(modules: list[torch.nn.Module]) -> list[int]:
    """Return the modules that are no part of another one among them."""
    inner = {id(part) for x in modules for part in x.modules() if part is not x}
    return [id(x) for x in modules if id(x) not in inner]


def _members(name: str, x: Any, depth: int = 0) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield tensors in containers, and in attributes of an object of the program."""
    if isinstance(x, torch.Tensor):
        yield name, x
    elif type(x) in (list, tuple) and depth < 2:
        for i, member in enumerate(x[:MOST]):
            yield from _members(f"{name}[{i}]", member, depth + 1)
    elif type(x) is dict and depth < 2:
        for key, member in [*x.items()][:MOST]:
            yield from _members(f"{name}[{key!r}]", member, depth + 1)
    elif isinstance(x, torch.nn.Module):
        for path, part in x.named_parameters() if depth else ():
            yield f"{name}.{path}", part
    elif depth == 0 and _has_attributes(x):
        for key, member in [*vars(x).items()][:MOST]:
            yield from _members(f"{name}.{key}", member, depth + 1)


def _has_attributes(x: Any) -> bool:
    """Return whether an object is of a class of the program."""
    if isinstance(x, type) or type(getattr(x, "__dict__", None)) is not dict:
        return False
    return type(x).__module__.partition(".")[0] not in ("gradwalk", "torch")
