"""How C and JavaScript write the same statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...core.primitive import Primitive
from ...errors import OptionError
from ...ops import TABLE
from ..printing import js
from ..printing.c import C_NAMES, CONDITIONS
from ..printing.c import print_function as print_c
from ..printing.var import trace
from ..program import Program
from .helpers import C_HELPERS, JS_HELPERS, helpers
from .steps import Array

__all__ = ["C", "JavaScript"]

Define = Callable[[Primitive], tuple[Program, str]]
LOGICAL = ("logical_and", "logical_or")


class Words:
    """How a language begins the definition of a variable, a constant, or a counter."""

    number_type: str
    flag_type: str
    const_number: str
    const_flag: str
    counter: str


class C(Words):
    """C99: what is printed in C."""

    language = "C"
    number_type: str
    flag_type: str
    const_number: str
    const_flag: str
    counter: str
    number_type, flag_type, const_number, const_flag, counter = (
        "double ",
        "int ",
        "const double ",
        "const int ",
        "int ",
    )

    def number(self, x: float) -> str:
        """Return a constant, which is read with its bits."""
        if x - x != 0.0:
            return "NAN" if x != x else "INFINITY" if x > 0.0 else "-INFINITY"
        return _decimal(x)

    def truth(self, text: str) -> str:
        """Return a number as a condition, in which NaN is true."""
        return text

    def expression(self, primitive: Primitive, args: list[str]) -> str:
        """Return an application of a primitive."""
        if primitive.name == "where":
            return f"{args[0]} ? {args[1]} : {args[2]}"
        if primitive.name == "neg":
            return f"-{_bracketed(args[0])}"
        if primitive.infix:
            return f" {primitive.infix} ".join(args)
        if primitive.name == "pow" and args[1] == self.number(2.0):
            return f"{args[0]} * {args[0]}"  # as the function of the table does it
        return f"{self._function(primitive)}({', '.join(args)})"

    def _function(self, primitive: Primitive) -> str:
        libm = primitive.libm
        return C_NAMES.get(libm, libm) if libm else _name(primitive)

    def table(self, name: str, numbers: Sequence[float] | Sequence[int], whole: bool) -> str:
        """Return the definition of a table of constants."""
        kind = f"uint{_bits(numbers)}_t" if whole else "double"
        body = _rows(map(str if whole else self.number, numbers))
        return f"static const {kind} {name}[{len(numbers)}] = {{\n{body}}};\n"

    def pattern(self, name: str, numbers: Sequence[int]) -> str:
        """Return the definition of a part of a pattern, which other files may read."""
        body = _rows(map(str, numbers or [0]))
        return f"const int {name}[{max(len(numbers), 1)}] = {{\n{body}}};\n"

    def head(self, name: str, arrays: Sequence[Array], results: Sequence[Array]) -> str:
        """Return the head of a function."""
        given = [
            f"double {a.name}" if a.scalar else f"const double {a.name}[{a.size}]" for a in arrays
        ]
        given += [f"double {r.name}[{max(r.size, 1)}]" for r in results]
        return f"int {name}({', '.join(given)})"

    def functions(self, names: set[str], primitives: dict[str, Primitive]) -> str:
        """Return the definitions of functions of the table, those that others use first."""
        defined = _in_order(names, primitives, self._define)
        text = "".join(f"{part}\n" for part in defined.values())
        return helpers(C_HELPERS, re.findall(r"\bieee_\w+", " ".join([*names, text]))) + text

    def _define(self, primitive: Primitive) -> tuple[Program, str]:
        names = [f"x{i}" for i in range(primitive.arity)]
        head = ", ".join(f"double {name}" for name in names)
        whole = primitive.libm or primitive.name == "where"
        program = trace(primitive if whole else primitive.forward, names)
        text = print_c(program, f"static double {_name(primitive)}({head})", ["return {};"])
        return program, re.sub(r"-?0x1\.[0-9a-f]+p[+-]\d+|-?0x0\.0p\+0", _readable, text)


class JavaScript(Words):
    """JavaScript, for Node and for pages."""

    language = "JavaScript"
    number_type: str
    flag_type: str
    const_number: str
    const_flag: str
    counter: str
    number_type, flag_type, const_number, const_flag, counter = (
        "let ",
        "let ",
        "const ",
        "const ",
        "let ",
    )

    def number(self, x: float) -> str:
        """Return a constant, which is read with its bits."""
        return js.print_number(x)

    def truth(self, text: str) -> str:
        """Return a number as a condition, in which NaN is true."""
        return f"{text} !== 0"

    def expression(self, primitive: Primitive, args: list[str]) -> str:
        """Return an application of a primitive. Conditions are the numbers 0 and 1."""
        name = primitive.name
        if name == "where":
            return f"{args[0]} !== 0 ? {args[1]} : {args[2]}"
        if name == "neg":
            return f"-{_bracketed(args[0])}"
        if name in CONDITIONS:
            parts = [f"{a} !== 0" for a in args] if name in LOGICAL else args
            infix = js.OPERATORS.get(primitive.infix, primitive.infix)
            return f"+({f' {infix} '.join(parts)})"
        if primitive.infix:
            return f" {primitive.infix} ".join(args)
        if primitive.name == "pow" and args[1] == self.number(2.0):
            return f"{args[0]} * {args[0]}"  # as the function of the table does it
        return f"{self._function(primitive)}({', '.join(args)})"

    def _function(self, primitive: Primitive) -> str:
        libm = primitive.libm
        if not libm:
            return _name(primitive)
        return f"Math.{libm}" if libm in js.MATH else js.RENAMED.get(libm, f"ieee.{libm}")

    def table(self, name: str, numbers: Sequence[float] | Sequence[int], whole: bool) -> str:
        """Return the definition of a table of constants."""
        kind = f"Uint{_bits(numbers)}Array" if whole else "Float64Array"
        body = _rows(map(self.number, map(float, numbers)))
        return f"const {name} = new {kind}([\n{body}]);\n"

    def pattern(self, name: str, numbers: Sequence[int]) -> str:
        """Return the definition of a part of a pattern."""
        return f"const {name} = new Int32Array([\n{_rows(map(str, numbers))}]);\n"

    def head(self, name: str, arrays: Sequence[Array], results: Sequence[Array]) -> str:
        """Return the head of a function."""
        return f"function {name}({', '.join(a.name for a in (*arrays, *results))})"

    def functions(self, names: set[str], primitives: dict[str, Primitive]) -> str:
        """Return the definitions of functions of the table, those that others use first."""
        text = "".join(f"{t}\n\n" for t in _in_order(names, primitives, self._define).values())
        used = sorted(set(re.findall(r"\bieee\.(\w+)", " ".join([*names, text]))))
        table = f"const ieee = {{ {', '.join(used)} }};\n\n" if used else ""
        return helpers(JS_HELPERS, used) + table + text

    def _define(self, primitive: Primitive) -> tuple[Program, str]:
        names = [f"x{i}" for i in range(primitive.arity)]
        whole = primitive.libm or primitive.name == "where"
        program = trace(primitive if whole else primitive.forward, names)
        head = f"function {_name(primitive)}({', '.join(names)})"
        return program, js.print_function(program, head)


def _name(primitive: Primitive) -> str:
    if TABLE.get(primitive.name) is primitive:
        return f"f_{primitive.name}"
    return f"f_own_{re.sub(r'[^A-Za-z0-9_]', '_', primitive.name)}"


def _in_order(names: set[str], primitives: dict[str, Primitive], define: Define) -> dict[str, str]:
    """Return the texts of functions and of those that they call, called ones first."""
    known = {_name(p): p for p in (*TABLE.values(), *primitives.values())}
    texts: dict[str, str] = {}
    pending = sorted(name for name in names if name in known)
    while pending:
        name = pending[-1]
        text, own = (texts[name], []) if name in texts else _text(known[name], define)
        known |= {_name(p): p for p in own}
        called = {n for n in re.findall(r"\bf_\w+", text) if n in known and n not in texts} - {name}
        if called and name not in texts:
            pending += sorted(called)
            continue
        pending.pop()
        texts[name] = text
    return texts


def _text(primitive: Primitive, define: Define) -> tuple[str, list[Primitive]]:
    """Return the definition of a function, and operations beside the table that it calls."""
    try:
        program, text = define(primitive)
    except (TypeError, ValueError, AttributeError) as error:
        if getattr(primitive.forward, "__module__", "").startswith("gradwalk.ops."):
            raise OptionError(
                where=f"export, {primitive.name}",
                expected="operations that are formulas, which C and JavaScript can have",
                got=f"{primitive.name}, whose value is found by series that Python runs",
                fix=f"Use compile(f), which runs it, or pass what {primitive.name} returns to the "
                "exported function as an argument.",
            ) from None
        raise OptionError(
            where=f"export, {primitive.name}",
            expected="an operation whose forward is written in operations of gradwalk",
            got=f"one that cannot be printed ({error})",
            fix=f"Write the forward of {primitive.name} with gradwalk's functions, not math's.",
        ) from error
    called = {p.name: p for p in program.table}
    own = [p for p in called.values() if TABLE.get(p.name) is not p]
    for p in own:
        text = text.replace(f" f_{p.name}(", f" {_name(p)}(")
    return text, own


def _bits(numbers: Sequence[float]) -> int:
    largest = max(numbers)
    return 8 if largest < 1 << 8 else 16 if largest < 1 << 16 else 32


def _rows(texts: object) -> str:
    lines = [""]
    for text in texts:  # type: ignore[attr-defined]
        if len(lines[-1]) + len(text) > 90:
            lines.append("")
        lines[-1] += f" {text},"
    return "".join(f"   {line}\n" for line in lines)


def _decimal(x: float) -> str:
    return repr(x)


def _readable(match: re.Match[str]) -> str:
    return repr(float.fromhex(match[0]))


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
