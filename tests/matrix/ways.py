"""Ways in, by which a program comes to its numbers, and ways out, which say something about it.

A way out returns nothing and raises `Wrong` if what it has found is not what the reference says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import gradwalk as gw
from gradwalk import Tensor, Value, check
from gradwalk import inspect as look
from gradwalk.errors import NonFiniteError
from gradwalk.expression import parse
from gradwalk.ops import TABLE
from gradwalk.program.formulas.formula import slope as slope_of
from gradwalk.studio.document import document_of

from ..helpers.exported import COMPILERS, NODE, load_c, run_js
from .programs import PLANTS, POINTS, PROGRAMS, Program, leaves_of, plant_in, total

__all__ = ["WAYS_IN", "WAYS_OUT", "Subject", "Wrong", "subjects"]

SLOPES: dict[str, tuple[Any, Any]] = {
    "number": (0.3, -0.5),
    "array": (np.cos(np.arange(9.0)).reshape(3, 3), np.sin(np.arange(9.0) ** 2).reshape(3, 3)),
}
"""The direction of derivatives along a line, for both arguments."""


class Wrong(AssertionError):  # noqa: N818
    """What a way out has found is not what the reference says."""


def expect(condition: object, got: object) -> None:
    """Raise `Wrong` unless the condition holds."""
    if not condition:
        raise Wrong(" ".join(str(got).split())[:200])


# --- functions ------------------------------------------------------------------------------------


def loss_of(y: Any) -> Any:
    """The sum of all numbers of a result."""
    return sum([total(leaf) for leaf in leaves_of(y)][1:], total(leaves_of(y)[0]))


def loss(f: Any) -> Any:
    return lambda a, b: loss_of(f(a, b))


def dot(x: Any, y: Any) -> Any:
    """The sum of products of two pairs of numbers or arrays."""
    return total(x[0] * y[0]) + total(x[1] * y[1])


def direction(a: Any) -> tuple[Any, Any]:
    """The direction in the shape of the arguments."""
    shape = getattr(a, "shape", ())
    return SLOPES["array"] if shape == (3, 3) else (_two(SLOPES["array"]) if shape else (0.3, -0.5))


def _two(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """Two examples for vmap, of one."""
    return np.stack([pair[0], pair[0] * 1.1 + 0.02]), np.stack([pair[1], pair[1] * 0.9])


def by_grad(f: Any) -> Any:
    return lambda a, b: dot(direction(a), gw.grad(loss(f), (0, 1))(a, b))


def by_jvp(f: Any) -> Any:
    return lambda a, b: gw.jvp(loss(f), (a, b), direction(a))[1]


class Replayed:
    """A graph that is replayed, as a function of numbers."""

    def __init__(self, f: Any, leaf: Any, args: Any) -> None:
        self.leaves = [leaf(x) for x in args]
        self.run = gw.replay(loss_of(f(*self.leaves)))

    def __call__(self, *args: Any) -> Any:
        for leaf, x in zip(self.leaves, args, strict=True):
            leaf.data = x
        return self.run()


# --- ways in --------------------------------------------------------------------------------------


def tensor(x: Any) -> Any:
    return Tensor(x, requires_grad=True)


def single(x: Any) -> Any:
    return Tensor(np.asarray(x, np.float32), requires_grad=True)


def placed(x: Any) -> Any:
    torch = import_module("torch")
    return Tensor(torch.asarray(np.array(x)), requires_grad=True)


def plain(f: Any) -> Any:
    return f


def planted(formula: str, plant: str) -> str:
    """A formula with what is planted in place of ``here``."""
    at = formula.index("here(")
    end, depth = at + 5, 1
    while depth:
        depth += {"(": 1, ")": -1}.get(formula[end], 0)
        end += 1
    return formula[:at] + PLANTS[plant][1].format(formula[at + 5 : end - 1]) + formula[end:]


def typed(formula: str, plant: str) -> Any:
    parsed = parse(planted(formula, plant))
    return lambda a, b: parsed.evaluate({"a": a, "b": b})


class WayIn(NamedTuple):
    """The kind of numbers, what a leaf is made by, a transform around the program, its order.

    ``reads`` makes a function of the formula of a program, of those that have one, and of a plant.
    """

    kind: str
    leaf: Callable[[Any], Any]
    around: Callable[[Any], Any] = plain
    order: int = 0
    plainly: bool = False  # called with plain numbers, not with leaves
    tolerance: float = 1e-11
    reads: Callable[[str, str], Any] | None = None


WAYS_IN = {
    "Value": WayIn("number", Value),
    "compiled numbers": WayIn("number", Value, gw.compile, plainly=True),
    "grad of numbers": WayIn("number", Value, by_grad, 1, True),
    "jvp of numbers": WayIn("number", Value, by_jvp, 1, True),
    "formula": WayIn("number", Value, reads=typed),
    "replay of Values": WayIn("number", Value),
    "Tensor": WayIn("array", tensor),
    "float32 Tensor": WayIn("array", single, tolerance=2e-4),
    "PyTorch Tensor": WayIn("array", placed, tolerance=1e-10),
    "compiled arrays": WayIn("array", tensor, gw.compile, plainly=True),
    "grad of arrays": WayIn("array", tensor, by_grad, 1, True),
    "jvp of arrays": WayIn("array", tensor, by_jvp, 1, True),
    "vmap": WayIn("array", tensor, gw.vmap, plainly=True),
    "replay of Tensors": WayIn("array", tensor),
}


class Subject:
    """A program that has come in by one way."""

    def __init__(self, program: Program, name: str) -> None:
        self.program, self.name, self.way = program, name, WAYS_IN[name]
        at = POINTS[self.way.kind]
        self.args = _two(at) if name == "vmap" else at
        self.number, self.replayed = self.way.kind == "number", name.startswith("replay")

    def f(self, plant: str = "") -> Any:
        """The function of two arguments."""
        if self.way.reads:
            return self.way.reads(self.program.formula, plant)
        f = plant_in(self.program, plant)
        if self.replayed and not plant:
            return Replayed(f, self.way.leaf, self.args)
        return self.way.around(f)

    def graph(self, plant: str = "") -> tuple[Any, list[Any]]:
        """A result of one number with its graph, and its leaves."""
        leaves = [self.way.leaf(x) for x in self.args]
        f = plant_in(self.program, plant) if self.replayed else self.f(plant)
        with look.lines():
            return loss_of(f(*leaves)), leaves

    def asked(self, plant: str = "") -> tuple[Any, list[Any]]:
        """What questions are asked about: the graph, or its replay."""
        root, leaves = self.graph(plant)
        return (gw.replay(root) if self.replayed else root), leaves

    def call(self, plant: str = "") -> Any:
        """Run the program as its users run it."""
        return self.f(plant)(*self.args) if self.way.plainly else self.graph(plant)[0]

    @property
    def reference(self) -> Reference:
        """The right numbers."""
        return reference(self.program.name, self.name == "vmap", self.way.kind, self.way.order)

    def close(self, got: Any, expected: Any) -> None:
        """Expect the same numbers."""
        got, expected = (np.ravel(numbers(x)) for x in (got, expected))
        expect(got.shape == expected.shape, f"{got.shape}, not {expected.shape}")
        size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        tolerance = 2e-4 if "float32" in self.program.tags else self.way.tolerance
        same = np.allclose(got, expected, rtol=0.0, atol=tolerance * size)
        expect(same, f"{got[:3]}, not {expected[:3]}")


def subjects(p: Program) -> Iterable[Subject]:
    """The program by every way in that takes it."""
    torch = find_spec("torch") is not None
    for name, way in WAYS_IN.items():
        if (
            way.kind in p.kinds
            and (p.formula or not way.reads)
            and ("PyTorch" not in name or torch)
        ):
            yield Subject(p, name)


# --- the reference --------------------------------------------------------------------------------


def numbers(x: Any) -> Any:
    """All numbers of a result as one array."""
    parts = [np.ravel(np.asarray(plain_of(leaf), float)) for leaf in leaves_of(x)]
    return np.concatenate(parts)


def plain_of(x: Any) -> Any:
    """The number or array in a Value, a Tensor or an array of PyTorch."""
    x = getattr(x, "data", x) if isinstance(x, (Value, Tensor)) else x
    return x.numpy() if hasattr(x, "numpy") else x


class Reference(NamedTuple):
    """A value, its gradient, its slope along `direction`, and the gradient of that slope."""

    value: Any
    loss: float
    gradient: list[Any]
    slope: float
    second: list[Any]


@cache
def reference(name: str, batch: bool, kind: str, order: int) -> Reference:
    """Return the numbers of the plain graph, which `test_matrix` compares with differences."""
    f = plant_in(PROGRAMS[name], "")
    args = POINTS[kind]
    if batch:
        a, b = _two(args)
        return _batched([_reference(f, (a[i], b[i]), order, _at(i)) for i in range(2)])
    return _reference(f, args, order, SLOPES[kind])


def _at(i: int) -> tuple[Any, Any]:
    a, b = _two(SLOPES["array"])
    return a[i], b[i]


def _reference(f: Any, args: Any, order: int, v: Any) -> Reference:
    leaves = [Value(x) if isinstance(x, float) else tensor(x) for x in args]
    result = f(*leaves)
    losses = [loss_of(result)]
    for _ in range(order + 1):
        # the second term keeps a graph where all derivatives of this order are 0
        slopes = gw.gradients(losses[-1], leaves, create_graph=True)
        losses.append(dot(v, slopes) + 0.0 * loss_of(leaves))
    first, along = losses[order], losses[order + 1]
    gradient, second = gw.gradients(first, leaves, create_graph=True), gw.gradients(along, leaves)
    value = numbers(f(*args) if order == 0 else first)
    return Reference(value, float(plain_of(first)), [plain_of(g) for g in gradient],
                     float(plain_of(along)), [plain_of(g) for g in second])  # fmt: skip


def _batched(rows: list[Reference]) -> Reference:
    values = np.concatenate([row.value for row in rows])
    pairs = [[np.stack([row[k][i] for row in rows]) for i in range(2)] for k in (2, 4)]
    return Reference(
        values, sum(r.loss for r in rows), pairs[0], sum(r.slope for r in rows), pairs[1]
    )


# --- ways out that compute ------------------------------------------------------------------------


def value(s: Subject) -> None:
    """The result itself."""
    y = s.f()(*(s.args if s.way.plainly or s.replayed else map(s.way.leaf, s.args)))
    expected = s.reference.loss if s.replayed else s.reference.value
    s.close(np.sort(numbers(y)), np.sort(np.ravel(expected)))
    if s.number and s.way.order == 0:
        same = np.array_equal(numbers(y), numbers(expected))
        expect(same, f"other bits: {numbers(y)}, not {expected}")


def gradient(s: Subject) -> None:
    """backward(), and grad of what is called with plain numbers."""
    if s.way.plainly:
        s.close(gw.grad(loss(s.f()), (0, 1))(*s.args), s.reference.gradient)
    root, leaves = s.graph()
    root.backward()
    s.close([0.0 * plain_of(x) if x.grad is None else x.grad for x in leaves], s.reference.gradient)


def second(s: Subject) -> None:
    """The Hessian times a vector; for numbers the whole Hessian."""
    f, v = loss(s.f()), direction(s.args[0])
    s.close(gw.hvp(f, argnums=(0, 1))(*s.args, v), s.reference.second)
    if s.number:
        rows = gw.hessian(f, (0, 1))(*s.args)
        s.close([row[0] * v[0] + row[1] * v[1] for row in rows], s.reference.second)


def jvp(s: Subject) -> None:
    """The derivative along a line, forwards."""
    y, t = gw.jvp(loss(s.f()), s.args, direction(s.args[0]))
    s.close([y, t], [s.reference.loss, s.reference.slope])


def vmap(s: Subject) -> None:
    """Two examples at once, of which the first is the point."""
    batch = [np.stack([np.asarray(x), np.asarray(x) * 1.1]) for x in s.args]
    y = gw.vmap(loss(s.f()))(*batch)
    s.close(plain_of(y)[0], s.reference.loss)


def machine(s: Subject) -> None:
    """compile, of the function and of its gradient."""
    f = loss(s.f())
    y, slopes = gw.compile(gw.value_and_grad(f, (0, 1)))(*s.args)
    s.close(gw.compile(f)(*s.args), s.reference.loss)
    s.close([y, *slopes], [s.reference.loss, *s.reference.gradient])
    if s.number:
        expect(gw.compile(f)(*s.args) == f(*s.args), "other bits than without compile")
        expect(tuple(slopes) == tuple(gw.grad(f, (0, 1))(*s.args)), "other bits in the gradient")


def replay(s: Subject) -> None:
    """The graph once more, from the numbers of its leaves."""
    root, leaves = s.graph()
    run = gw.replay(root)
    for _ in range(2):
        s.close(run(), s.reference.loss)
    s.close([leaf.grad for leaf in leaves], s.reference.gradient)


def exported(s: Subject, suffix: str, run: Any) -> None:
    """Write the function and its gradient to a file, and run that."""
    f = loss(s.f())
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"f{suffix}"
        gw.export(f, *s.args, path=path, argnums=(0, 1))
        status, (y, slopes) = run(path, [np.ravel(x).tolist() for x in s.args])
    expect(status == 0, f"question {status} has another answer")
    half = len(slopes) // 2
    s.close([*y, slopes[:half], slopes[half:]], [s.reference.loss, *s.reference.gradient])
    if s.number and suffix == ".c":
        right = gw.value_and_grad(f, (0, 1))(*s.args)
        expect((*y, *slopes) == (right[0], *right[1]), f"{slopes}, not the bits of {right}")


def c(s: Subject) -> None:
    """A file of C, compiled."""
    exported(s, ".c", lambda path, args: load_c(path, COMPILERS[0], "-O0")["f_gradient"](
        *(x[0] if s.number else x for x in args)))  # fmt: skip


def js(s: Subject) -> None:
    """A file of JavaScript, in Node."""
    sizes = [1, 2 * np.size(s.args[0])]
    exported(s, ".js", lambda path, args: run_js(
        path, "f_gradient", sizes, [[x[0] if s.number else x for x in args]])[0])  # fmt: skip


def program(s: Subject) -> None:
    """The program of a graph is whole, and runs again: on what it was made of, and on Values."""
    root, leaves = s.graph()
    found = gw.program_of(root).check()
    s.close(found(), s.reference.loss)
    sources = [found.sources[i] for i in range(found.inputs)]
    slopes = zip(leaves, s.reference.gradient, strict=True)
    reached = [(x, g) for x, g in slopes if any(x is y for y in sources)]
    if reached:
        again = gw.gradients(found(*sources), [x for x, _ in reached])
        s.close(again, [g for _, g in reached])


def pullback(s: Subject) -> None:
    """The gradient of the program of a graph, as a program."""
    root, leaves = s.graph()
    found = gw.program_of(root).grad().check()
    slopes = found()
    slopes = slopes if type(slopes) is tuple else (slopes,)
    for i, slope in enumerate(slopes):
        for x, expected in zip(leaves, s.reference.gradient, strict=True):
            if found.sources[i] is x:
                s.close(slope, expected)


def library(s: Subject) -> None:
    """The program of a graph, and its gradient, by the functions of another library of arrays."""
    root, _ = s.graph()
    found = gw.program_of(root)
    value = found.evaluate(on="array_api_strict")
    s.close(np.asarray(value), s.reference.loss)
    slopes = found.grad()
    there, here = slopes.evaluate(on="array_api_strict"), slopes()
    pairs = zip(*(x if type(x) is tuple else (x,) for x in (there, here)), strict=True)
    for a, b in pairs:
        s.close(np.asarray(a), b)


# --- ways out that explain ------------------------------------------------------------------------


def why(s: Subject) -> None:
    """Names the planted logarithm of 0; of a derivative, the division by 0 in its rule."""
    cause = look.why(s.asked("infinity")[0])
    expect(cause.op in (("log", "div") if s.way.order else ("log",)), cause)
    expect(0.0 in cause.args and (s.way.reads or "programs.py" in str(cause)), cause)


def trap(s: Subject) -> None:
    """Stops at the planted logarithm of 0."""
    try:
        with look.trap():
            s.call("infinity")
    except NonFiniteError as error:
        dead = s.program.name == "dead_branch" and "sqrt(0)" in str(error)
        expect("log(0) = -inf" in str(error) or dead, error)  # a branch not taken is heard too
    else:
        raise Wrong("silent")


def kinks(s: Subject) -> None:
    """Finds the planted absolute value of 0, and the function without it is smooth there."""
    found = check.kinks(s.f("kink"), *s.args)
    expect([k for k in found if k.op == "abs" and k.operand == 0.0], found)
    expect(not [k for k in check.kinks(s.f(), *s.args) if k.op == "abs"], "one without a plant")


def precision(s: Subject) -> None:
    """Blames the planted difference of 1 and 1."""
    found = check.precision(*s.asked("cancellation"))
    if found.opaque:  # the difference may lie behind what is computed as a whole
        expect("not seen into" in str(found), found)
        return
    expect(("sub:" if s.way.order else "sub: 1 - 1") in found.value.lost_by, found)
    expect(found.value.digits < 9.0, found)


def paths(s: Subject) -> None:
    """The paths of a gradient add up to it."""
    root, leaves = s.asked()
    for leaf, expected in zip(leaves, s.reference.gradient, strict=True):
        found = look.paths(root, leaf)
        s.close(found.gradient, expected)
        s.close(sum(p.contribution for p in found.shown) + found.remainder, expected)


class Model:
    """Leaves as the parameters of a module."""

    def __init__(self, leaves: list[Any]) -> None:
        self.leaves = leaves

    def named_parameters(self) -> Any:
        return [(f"{name}.weight", leaf) for name, leaf in zip("abc", self.leaves, strict=False)]


def flow(s: Subject) -> None:
    """Finds healthy layers, and a learning rate that is too large."""
    root, leaves = s.graph()
    root.backward()
    expect(set(look.flow(Model(leaves)).verdicts) == {"healthy"}, look.flow(Model(leaves)))
    found = look.flow(Model(leaves), gw.optim.SGD(leaves, lr=1e4))
    expect(set(found.verdicts) == {"overshooting"}, found)


def suspects(s: Subject) -> None:
    """A planted wrong rule is noticed, and nothing without it."""
    expect(s.number is False or check.check_gradients(loss(s.f()), s.args), "a false alarm")
    if s.number and not s.way.order:
        found = check.check_gradients(loss(s.f("wrong rule")), s.args)
        expect(not found and any(x.primitive == "wrong_rule" for x in found.suspects), found)
        return
    gw.check_grads(loss(s.f()), s.args, modes="rev")
    if s.way.order:  # the derivative of a wrong rule is its derivative
        return
    try:
        gw.check_grads(loss(s.f("wrong rule")), s.args, modes="rev")
    except gw.errors.GradientCheckError:
        return
    raise Wrong("not noticed")


# --- ways out that show ---------------------------------------------------------------------------


BOTH = {"a", "b"}


def named(s: Subject) -> tuple[Any, dict[str, Any], str]:
    """A graph, names of its leaves, and its number as pictures have it."""
    root, leaves = s.graph()
    return root, dict(zip(("a", "b"), leaves, strict=True)), f"{float(plain_of(root)):.4g}"


def tree(s: Subject) -> None:
    root, names, y = named(s)
    text = look.tree(root, names=names, max_depth=1000, max_lines=100_000)
    expect(y[:4] in text.splitlines()[0] and set(re.findall(r"\w+", text)) >= BOTH, text)


def dot_text(s: Subject) -> None:
    root, names, _ = named(s)
    text = look.to_dot(root, names=names, max_nodes=None)
    expect(text.startswith("digraph") and set(re.findall(r"\w+", text)) >= BOTH, text)


def drawing(s: Subject) -> None:
    root, names, _ = named(s)
    text = look.draw(root, names=names, max_nodes=None).svg
    expect(text.startswith("<svg") and set(re.findall(r"\w+", text)) >= BOTH, text)


def _document(s: Subject, elements: bool) -> None:
    root, names, _ = named(s)
    found = document_of(root, names, elements=elements)
    json.dumps(found)
    nodes = found["nodes"]
    expect({re.sub(r"\[.*", "", n["label"]) for n in nodes} >= BOTH, nodes[:3])
    last = nodes[-1]["data"]
    s.close(last if not isinstance(last, (list, dict)) else numbers(last), s.reference.loss)


def document(s: Subject) -> None:
    """The page's graph, array by array."""
    _document(s, False)


def elements(s: Subject) -> None:
    """The page's graph, element by element."""
    _document(s, True)


slope = cache(slope_of)


def tex(s: Subject) -> None:
    """Formulas of the slopes of all operations on numbers in the graph, also of custom ones."""
    found = document_of(s.graph()[0])
    for row in found.get("rows", {}).values():
        expect("tex" in row, row)
    for op in {node["op"] for node in found["nodes"]} & set(TABLE):
        for i in range(len(TABLE[op].rules)):
            formula = slope(TABLE[op], i)
            expect(formula is None or formula.tex.count("{") == formula.tex.count("}"), formula)


WAYS_OUT: dict[str, Callable[[Subject], None]] = {
    "value": value, "gradient": gradient, "second": second, "jvp": jvp, "vmap": vmap,
    "machine": machine, "C": c, "JS": js, "replay": replay,
    "program": program, "pullback": pullback, "library": library, "why": why, "trap": trap,
    "kinks": kinks, "precision": precision, "paths": paths, "flow": flow, "suspects": suspects,
    "tree": tree, "dot": dot_text, "svg": drawing, "document": document, "elements": elements,
    "TeX": tex,
}  # fmt: skip

REPLAYED = ("value", "why", "paths", "precision")
"""Ways out that take a replay; all others take the graph that it was made of."""

GRAPHS = tuple(set(WAYS_OUT) - {"second", "jvp", "vmap", "machine", "C", "JS", "suspects", "kinks"})
"""Ways out that take a graph; all others take a function."""


def ways_out(s: Subject) -> tuple[str, ...]:
    """The ways out that there are for this way in."""
    if s.replayed:
        return REPLAYED
    narrow = s.name in ("float32 Tensor", "PyTorch Tensor")
    return tuple(
        name
        for name in WAYS_OUT
        if not (s.number and name == "elements")
        and not (name == "C" and not COMPILERS)
        and not (name == "JS" and NODE is None)
        and not (narrow and name not in GRAPHS)
        and not (s.name == "vmap" and name == "vmap")
        and not (s.way.reads and name == "suspects")
        and not (name == "suspects" and s.program.name in ("stopped", "single_precision", "ode"))
    )
