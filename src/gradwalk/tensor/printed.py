"""Print what type checkers and editors read of functions that are made when gradwalk is loaded.

Run ``python -m gradwalk.tensor.printed`` after a change of the table, or of a method of Tensors. It
writes ``engine/functions.pyi`` and ``tensor/graph/interface.pyi``, which are kept with the source
and shadow the modules beside them. A test compares them with what this module prints.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from inspect import Parameter, Signature, getattr_static, getdoc, signature
from math import isinf
from pathlib import Path
from typing import Any

from ..core.files import write_file
from ..engine import functions
from ..engine.operators import RETURNED, Operators
from . import _ATTACHED
from .graph import interface
from .graph.tensor import Tensor

__all__ = ["render"]

NOTE = '"""Printed by `python -m gradwalk.tensor.printed`; do not edit."""\n\n'


def render() -> dict[str, str]:
    """Return the texts of the printed files by their paths."""
    texts = {functions.__file__: _functions(), interface.__file__: _methods()}
    return {str(Path(module).with_suffix(".pyi")): NOTE + text for module, text in texts.items()}


class _Text(str):
    """An annotation that a signature prints as it is written."""

    __slots__ = ()
    __repr__ = str.__str__


def _definition(name: str, given: Signature, about: object) -> str:
    """Return the declaration of a method, with its documentation if it has a name for users."""
    text = "" if name.startswith("_") else _documentation(about, "        ")
    return f"    def {name}{given}:" + (f"\n{text}" if text else " ...\n")


def _documentation(about: object, indent: str = "") -> str:
    """Return what is said about a function, up to the examples.

    Of functions of the table, whose sections are alike, only what comes before the sections.
    """
    text = getdoc(about) or ""
    alike = RETURNED in text
    end = r"\nParameters\n-+\n" if alike else r"\n(?:Examples\n-+\n)?>>>"
    text = re.split(end, text, maxsplit=1)[0].strip()
    quotes, end = 'r"""' if "\\" in text else '"""', "\n" if "\n" in text else ""
    lines = f'{quotes}{text}{end}"""'.split("\n") if text else []
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


SELF = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)


# --- the functions of the table -------------------------------------------------------------------

OF_FUNCTIONS = """\
# mypy: disable-error-code="overload-overlap"
# numbers alone match the first declaration of each function

from collections.abc import Iterable
from math import inf
from typing import Protocol, overload

from ..core.primitive import Primitive
from .signatures import Array, C, Constant, F, Floats, Number
from .value import Value

"""

KINDS: dict[tuple[str, ...], str] = {
    ("x",): "Unary",
    ("a", "b"): "Binary",
    ("a", "b", "c"): "Ternary",
}
"""What functions of these arguments are called; others are a kind of their own."""

LISTS = {"log_softmax": "list[{}]", "softmax": "list[{}]", "logsumexp": "{}"}
"""Functions of lists of numbers, and what they give."""

Declaration = tuple[list[str], str]
"""The types of the arguments that are numbers, and of the result."""


def _functions() -> str:
    """Return a class for each kind of function, and of which kind each function is.

    Of ``grad(sin)`` mypy knows the type if ``sin`` is an object with an overloaded ``__call__``. If
    it is an overloaded function, the result is Any.
    """
    kinds: dict[str, str] = {}
    lines = []
    for name in functions.__all__:
        parameters, calls = _declarations(name)
        usual = "".join(word.capitalize() for word in name.split("_"))
        kind = kinds.setdefault(calls, KINDS.get(tuple(p.name for p in parameters), usual))
        lines.append(f"{name}: {kind}\n{_documentation(getattr(functions, name))}")
    classes = "".join(f"class {kind}(Protocol):\n{calls}\n" for calls, kind in kinds.items())
    listed = "".join(f'    "{name}",\n' for name in functions.__all__)
    return f"{OF_FUNCTIONS}__all__ = [\n{listed}]\n\n{classes}{''.join(lines)}"


def _declarations(name: str) -> tuple[list[Parameter], str]:
    """Return the arguments of a function, and the declarations of its calls."""
    function = getattr(functions, name)
    made = hasattr(function, "primitive")
    parameters = list(signature(function).parameters.values())
    if made:  # the declarations say more of types than one signature can
        parameters = [p.replace(annotation=p.empty) for p in parameters]
    text = "    primitive: Primitive\n" if made else ""
    for types, result in _of_list(LISTS[name]) if name in LISTS else _of_numbers(parameters):
        types += [""] * (len(parameters) - len(types))
        typed = [SELF, *map(_declared, parameters, types)]
        head = Signature(typed, return_annotation=_Text(result))
        text += "    @overload\n" + _definition("__call__", head, None)
    return parameters, text


def _declared(parameter: Parameter, number: str) -> Parameter:
    """Return a parameter with its type; options that are no numbers have one of their own."""
    given = parameter.annotation
    if given is not Parameter.empty and given not in ("Any", "Iterable[Any]"):
        return parameter.replace(annotation=_Text(given))
    return parameter.replace(annotation=_Text(number + " | None" * _is_limit(parameter)))


def _is_limit(parameter: Parameter) -> bool:
    """Return whether an argument is a limit, for which ``None`` means that there is none."""
    return isinstance(parameter.default, float) and isinf(parameter.default)


def _of_numbers(parameters: Sequence[Parameter]) -> Iterator[Declaration]:
    """Yield the declarations of a function of numbers: one carrier makes the result a carrier."""
    required = sum(p.default is p.empty for p in parameters)
    others = len(parameters) - 1
    yield ["Number"] * (1 + others), "float"
    for i in range(required):
        yield ["Constant"] * i + ["C"] + ["C | Constant"] * (others - i), "C"
    if required == 1 and not any(map(_is_limit, parameters)):  # a limit may have another dtype
        yield ["F"] + ["Number"] * others, "F"
    yield ["Array" if required == 1 else "Constant"] + ["Constant"] * others, "Floats"


def _of_list(result: str) -> Iterator[Declaration]:
    """Yield the declarations of a function of a list, or of an array along its axes."""
    yield ["C"], "C"
    if result != "{}":  # the array has the shape of the given one
        yield ["F"], "F"
    yield ["Array"], "Floats"
    yield ["Iterable[float]"], result.format("float")
    yield ["Iterable[Value | float]"], result.format("Value")
    yield ["Iterable[C | float]"], result.format("C")


# --- the methods of a Tensor ----------------------------------------------------------------------

OF_METHODS = """\
# mypy: disable-error-code="override"
# a comparison gives a Tensor, and not a bool

import builtins
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType, ModuleType
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from ...core.carrier import Carrier
from ...engine.operators import Operators
from ...engine.value import Value
from .types import Array, Axes, Axis, DTypeLike, Nested, Number, Seed, Shape, TopK

__all__ = ["ArrayLike", "Key", "TensorMethods"]

ArrayLike: TypeAlias = Carrier | Array | Number | Nested
Index: TypeAlias = TensorMethods | Array | Number | slice | EllipsisType | Sequence[Any] | None
Key: TypeAlias = Index | tuple[Index, ...]

class TensorMethods(Operators):
"""


def _methods() -> str:
    operators = [name for name, member in vars(Operators).items() if callable(member)]
    names = dict.fromkeys([*operators, *_ATTACHED])
    del names["__getattr__"]  # it would hide every wrong name
    hidden = re.compile(rf"(?<![\w.])({'|'.join(vars(builtins).keys() & names)})\b")
    members = [(name, getattr_static(Tensor, name)) for name in names]
    return OF_METHODS + "".join(text for m in members for text in _member(*m, hidden))


def _member(name: str, member: Any, hidden: re.Pattern[str]) -> Iterator[str]:
    """Yield the declarations of a method, or of a property and of what sets it."""
    if not isinstance(member, property):
        yield _definition(name, _in_class(signature(member), hidden), member)
        return
    get: Any = member.fget
    of_class = Signature(return_annotation=_Text("Any"))  # in a room above
    given = of_class if isinstance(get, type) else _in_class(signature(get), hidden)
    yield "    @property\n"
    yield _definition(name, given.replace(parameters=[SELF]), member)
    if member.fset:
        yield f"    @{name}.setter\n"
        yield _definition(name, _in_class(signature(member.fset), hidden), None)


def _in_class(given: Signature, hidden: re.Pattern[str]) -> Signature:
    """Return the signature of a method with types as one reads them among methods such as ``int``.

    What says nothing of its types takes operands and gives a Tensor, as all primitives do.
    """

    def typed(annotation: Any, usual: str) -> _Text:
        if annotation in (Parameter.empty, "Any"):
            return _Text(usual)
        text = re.sub(r"\b(Tensor|Numeric)\b", "Self", annotation)
        text = text.replace("Self | float", "ArrayLike").replace("object", "Any")
        return _Text(hidden.sub(r"builtins.\1", text))

    first, *others = given.parameters.values()
    kind = first.kind if others and others[0].kind is first.kind else SELF.kind
    others = [p.replace(annotation=typed(p.annotation, "ArrayLike")) for p in others]
    result = typed(given.return_annotation, "Self")
    return Signature([SELF.replace(kind=kind), *others], return_annotation=result)


def main() -> None:
    """Write the files."""
    for path, text in render().items():
        write_file(path, text.encode())


if __name__ == "__main__":
    main()
