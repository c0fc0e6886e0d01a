"""The pages of the reference: every public name, with its signature and its docstring.

A name that several modules have is documented once, in the first module of `MODULES` that has it,
and the others refer to it. `missing` compares what the site has with what Python sees.
"""

from __future__ import annotations

import inspect
import types
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gradwalk
from gradwalk.engine import functions

from .docstrings import reread

__all__ = ["missing", "write"]

MODULES = (
    *("gradwalk", "gradwalk.nn", "gradwalk.nn.functional", "gradwalk.nn.init", "gradwalk.optim"),
    *("gradwalk.optim.lr_scheduler", "gradwalk.linalg", "gradwalk.random", "gradwalk.special"),
    *("gradwalk.stats", "gradwalk.transforms", "gradwalk.optimize", "gradwalk.integrate"),
    *("gradwalk.data", "gradwalk.training", "gradwalk.inspect", "gradwalk.check"),
    *("gradwalk.sklearn", "gradwalk.parallel", "gradwalk.distributed", "gradwalk.errors"),
)
GROUPS = {
    "value": "Value",
    "tensor": "Tensor",
    "functions": "Functions of numbers",
    "transforms": "Transforms",
    "arrays": "Functions of arrays",
    "programs": "Programs and tools",
    "constants": "Constants and dtypes",
}
"""The pages of the names of gradwalk itself."""


def found(path: str) -> Any:
    """Return the module or the object of this path."""
    thing: Any = gradwalk
    for part in path.split(".")[1:]:
        thing = getattr(thing, part)
    return thing


def names(module: str) -> list[str]:
    """Return the public names of a module that are no modules themselves."""
    room = found(module)
    public = dir(room) if module == "gradwalk" else room.__all__
    return sorted(
        name
        for name in public
        if not isinstance(getattr(room, name), types.ModuleType)
        and (not name.startswith("_") or name == "__version__")
    )


@cache
def homes() -> dict[int, str]:
    """Return the path under which a function or a class is documented, by its identity."""
    places: dict[int, str] = {}
    for module in MODULES:
        for name in names(module):
            thing = getattr(found(module), name)
            if _has_identity(thing) and name == thing.__name__:
                places.setdefault(id(thing), f"{module}.{name}")
    for module in MODULES:  # what has no name of its own
        for name in names(module):
            places.setdefault(id(getattr(found(module), name)), f"{module}.{name}")
    return places


def _has_identity(thing: Any) -> bool:
    return callable(thing) and hasattr(thing, "__qualname__")


def home(module: str, name: str) -> str:
    """Return the path under which a name of a module is documented."""
    thing = getattr(found(module), name)
    return homes()[id(thing)] if _has_identity(thing) else f"{module}.{name}"


def methods(path: str) -> list[str]:
    """Return the public methods and properties of a class that no public base documents."""
    kind = found(path)
    listed: dict[str, None] = {}
    for base in kind.__mro__:
        own = getattr(base, "__module__", "").startswith("gradwalk")
        if not own or (base is not kind and id(base) in homes()):
            continue
        for name, thing in vars(base).items():
            known = callable(thing) or isinstance(thing, (property, classmethod, staticmethod))
            known = known or inspect.isdatadescriptor(thing) or inspect.ismethoddescriptor(thing)
            known = known and not str(type(thing).__module__).startswith("sklearn")
            field = inspect.ismemberdescriptor(thing) or "Alias for field" in (thing.__doc__ or "")
            if known and not field and not name.startswith("_") and hasattr(kind, name):
                listed[name] = None
    return list(listed)


def _group(name: str) -> str:
    thing = getattr(gradwalk, name)
    if name in ("Value", "Tensor"):
        return name.lower()
    if not _has_identity(thing):
        return "constants"
    if name in gradwalk.transforms.__all__:
        return "transforms"
    if name in functions.__all__:
        return "functions"
    return "arrays" if thing.__module__.startswith("gradwalk.tensor") else "programs"


def entry(module: str, name: str) -> str:
    """Return the directive that documents a name."""
    path, thing = f"{module}.{name}", getattr(found(module), name)
    if isinstance(thing, type) and _has_identity(thing):
        options = f"   :members: {', '.join(methods(path))}\n" if methods(path) else ""
        if any(id(base) in homes() for base in thing.__bases__):
            options += "   :show-inheritance:\n"
        return f".. autoclass:: {path}\n{options}"
    if _has_identity(thing):
        return f".. autofunction:: {path}\n"
    lines = [f".. py:data:: {path}", *_value(thing), "", *_indented(reread(_what(thing)))]
    for method in _methods_of(thing):
        function = getattr(thing, method)
        signature = inspect.signature(function).replace(return_annotation=inspect.Signature.empty)
        lines += ["", f"   .. py:method:: {path}.{method}{_plain(signature)}", ""]
        lines += _indented(_indented(reread(inspect.getdoc(function).splitlines())))
    return "\n".join([*lines, ""])


def _methods_of(thing: Any) -> list[str]:
    """Return the public methods of an object of ours, such as a distribution."""
    if _has_identity(thing) or not str(type(thing).__module__).startswith("gradwalk"):
        return []
    return [name for name in dir(thing) if name[0] != "_" and callable(getattr(thing, name))]


def _plain(signature: inspect.Signature) -> str:
    """Return a signature without its types."""
    empty = inspect.Parameter.empty
    return str(
        signature.replace(
            parameters=[p.replace(annotation=empty) for p in signature.parameters.values()]
        )
    )


def _indented(lines: list[str]) -> list[str]:
    return [f"   {line}" for line in lines]


def _value(thing: Any) -> list[str]:
    return [f"   :value: {thing!r}"] if isinstance(thing, (str, float, np.dtype)) else []


def _what(thing: Any) -> list[str]:
    """Return a sentence on a constant, or the docstring of an object of ours."""
    if str(type(thing).__module__).startswith("gradwalk"):
        return inspect.getdoc(thing).splitlines()
    if isinstance(thing, (dict, tuple)):
        return [f"A {type(thing).__name__}: {', '.join(f'``{one}``' for one in thing)}."]
    if thing is None:
        return ["A new axis of length 1, in a key of a Tensor."]
    if isinstance(thing, np.dtype):
        return ["NumPy's dtype of this name."]
    return ["A text." if isinstance(thing, str) else "A number."]


def titled(title: str, sign: str = "=") -> str:
    """Return a title in reStructuredText."""
    return f"{title}\n{sign * len(title)}\n\n"


def _pages() -> Iterator[tuple[str, str]]:
    top = names("gradwalk")
    for group, title in GROUPS.items():
        entries = [entry("gradwalk", name) for name in top if _group(name) == group]
        yield group, titled(title) + "\n".join(entries)
    for module in MODULES[1:]:
        here = [name for name in names(module) if home(module, name) == f"{module}.{name}"]
        also = [home(module, name) for name in names(module) if name not in here]
        text = f"{titled(module)}.. automodule:: {module}\n   :no-members:\n\n"
        text += ".. py:currentmodule:: None\n\n"
        text += "\n".join(entry(module, name) for name in here)
        if also:
            links = ", ".join(f":py:obj:`~{path}`" for path in also)
            text += f"\n\n.. rubric:: Names documented elsewhere\n\n{links}\n"
        yield module, text


def write(folder: Path) -> None:
    """Write the pages of the reference, and the page that lists them."""
    folder.mkdir(parents=True)
    pages = dict(_pages())
    for name, text in pages.items():
        (folder / f"{name}.rst").write_text(text, "utf-8")
    head = f"{titled('Reference')}.. automodule:: gradwalk\n   :no-members:\n\n"
    tree = "".join(f"   {name}\n" for name in pages)
    (folder / "index.rst").write_text(f"{head}.. toctree::\n   :maxdepth: 1\n\n{tree}", "utf-8")


def missing(site: Path) -> list[str]:
    """Return the public names, and methods of public classes, that the built site lacks."""
    _, _, packed = (site / "objects.inv").read_bytes().partition(b"zlib.\n")
    known = {line.split(" ")[0] for line in zlib.decompress(packed).decode().splitlines()}
    wanted = set(MODULES)
    for module in MODULES:
        for name in names(module):
            path = home(module, name)
            wanted.add(path)
            thing = found(path)
            parts = methods(path) if inspect.isclass(thing) else _methods_of(thing)
            wanted |= {f"{path}.{part}" for part in parts}
    return sorted(wanted - known)
