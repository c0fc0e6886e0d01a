"""Ordinary Python functions, drawn: what people write, not what suits a tracer.

Branches on comparisons of every kind, loops, copies, containers, dataclasses, closures, views,
updates in place, NumPy calls. Each is source text with a name for every result, so that a failure
prints as a program; it runs on plain numbers, on dual numbers, and under any transform.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

import gradwalk as gw

from .dual import Dual, lift

CONSTANTS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any


SCALARS = (
    """
{a} + {b} | {a} - {b} | {a} * {b} | {a} * {c} | {c} - {a} | {a} / 4.0 | -{a} | +{a} | {a} ** 2
tanh({a}) | sin({a}) | abs({a}) | maximum({a}, {b}) | np.tanh({a}) | np.square({a}) | np.abs({a})
copy.copy({a}) | copy.deepcopy({a}) | copy.copy([{a}, {b}])[0] | copy.deepcopy(({a}, [{b}]))[1][0]
dataclasses.asdict(Pair({a}, [{b}]))["right"][0] | dataclasses.astuple(Pair({a}, {b}))[0]
dataclasses.replace(Pair({a}, {b}), left={b}).left | copy.deepcopy(Pair({a}, {b})).right
{a} if {a} == {c} else {b} | {b} if {a} != {c} else {a} * 2.0 | {a} if {t} else {b} * 3.0
{a} * [{c}, {b}, {a}].index({a}) | {a} * [{c}, {a}, {c}].count({c}) | {a} + ({c} in [{a}, {b}])
{b} * ({a} in ({c}, {b})) | {a} * (not {b}) | {b} * bool({a}) | {a} * ({t}) | {a} * 2.0 ** int({t})
sum([{a}, {b}, {c}]) | max({a}, {b}, {c}) | min({a}, {c}) | sorted([{a}, {c}, {b}])[1]
{{"a": {a}, "b": {b}}}["b"] | functools.reduce(lambda p, q: p * 0.5 + q, [{a}, {b}, {c}])
(lambda u, v={b}: u * v)({a}) | [u * {b} for u in ({a}, {c})][0]
next(u for u in [{a}, {b}] if {t})
dict(zip("ab", [{a}, {b}], strict=True)).get("a") | [*reversed([{a}, {b}])][0]
math.prod([{a}, {b}])
np.sum([{a}, {b}]) | np.where({t}, {a}, {b}) | np.maximum({a}, {b}) | np.stack([{a}, {b}])[::-1][0]
np.array([{a}, {b}])[1] | np.stack([{a}, {b}]).copy()[0] | np.dot([{a}, {c}], [{b}, {a}])
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)

BLOCKS = """
if {t}: R = {a}
if {t}: R = {a} + {b}
R = {a}; R += {b}
R = {a}; R *= {c}
for u in [{a}, {b}, {c}]: R = R * 0.5 + u
for i, u in enumerate(({a}, {b})): R += i * u
while R != {c} and k < 3: R = R * 0.5 + {a}; k += 1
while R < {c} and k < 4: R = R + abs({a}) + 0.5; k += 1
l = [{a}, {b}]; l[0] *= {c}; l.append({b}); R = sum(l)
l = [{a}, {b}, {c}]; l.remove({c}); R = l[0] - l[1]
d = {{"k": {a}}}; d["k"] += {b}; R = copy.deepcopy(d)["k"]
p = Pair({a}, {b}); p.left *= p.right; R = p.left
m = np.stack([{a}, {b}, {c}]); v = m[1:]; v[0] = {a}; R = m.sum()
m = np.stack([{a}, {b}, {c}]); m[::-1][0] *= {b}; R = m[2] - m[1]
m = np.stack([{a}, {b}]); v = m[:1]; m *= {c}; R = v[0]
m = np.stack([{a}, {b}]); n = m.copy(); n[0] = {c}; R = m[0] + n[1]
""".strip().splitlines()

ARRAYS = (
    """
m * {m} | m + {m} | m - {c} | m * {c} | -m | m / 2.0 | tanh(m) | np.square(m) | maximum(m, {m})
copy.copy(m) | copy.deepcopy(m) | m.copy() | np.where(m > {c}, m, {m}) | m.T.reshape(2, 3) | m[::-1]
np.concatenate([m[:1], {m}[1:]]) | np.stack([m[0], {m}[1]]) | m[[1, 0]]
m.reshape(3, 2).reshape(2, 3)
np.transpose(m).T | m[:, ::-1] | m * m.sum(axis=1, keepdims=True) | m - m.mean(axis=0)
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)

WRITES = (
    """
m[0] = {c} | m[0][1] = {c} | m[1:][0, 1] = {c} | m.T[0] = {c} | m.reshape(-1)[5] = {c} | m *= {c}
m[:, 1] *= {m}[:, 0] | m += {m} | m[0], m[1] = m[1] * 1.0, m[0] * 1.0 | m[[0, 1]] = {c}
m[[1]][0] = {c}
m[m > {c}] = {c} | v = m[1:]; v[0] = m[0] * {c} | v = m[:, 1]; m *= {c}; m[0, 0] = v[1]
v = m[::-1].T; v[1:, 0] += {c}; m[0] += v[0, 0] | m.ravel()[1] = {c} | m.swapaxes(0, 1)[2, 1] = {c}
for row in m: row *= {c} | for row in m.T: row[0] += row[1] | for row in m: row[:2] = row[1:] * 1.0
for i in range(2): m[i][i] = {m}[1][i] | v = m.copy(); v[0] = {c}; m[1] = v[0]
v = m + 0.0; v[0] = {c}
if m[0, 0] == {c}: m[1] = {c} | if m.sum() > {c}: m[1] *= {c} | m[0] = m[1]
m[..., None][1, 2, 0] = {c}
np.expand_dims(m, 0)[0, 1, 1] = {c} | v = m[0]; w = v[1:]; w[0] = {c}; v *= {c}
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)


def _condition(r: random.Random, a: str, b: str) -> str:
    first, second = r.choice(COMPARISONS), r.choice(COMPARISONS)
    other = r.choice([b, str(r.choice(CONSTANTS))])
    return r.choice(
        [
            f"{a} {first} {other}",
            f"{r.choice(CONSTANTS)} {first} {a}",
            f"{a} {first} {other} {second} {r.choice(CONSTANTS)}",
            f"not {a} {first} {other}",
            f"{a} {first} {other} or {b} {second} {a}",
        ]
    )


def _filled(r: random.Random, text: str, names: list[str]) -> str:
    a, b = r.choice(names), r.choice(names)
    return text.format(a=a, b=b, c=r.choice(CONSTANTS), t=_condition(r, a, b))


def scalar_program(r: random.Random) -> str:
    """Return the source of ``program(x, y)``, of numbers to a number."""
    names, lines = ["x", "y"], []
    for n in range(r.randint(2, 6)):
        if r.random() < 0.6:
            lines.append(f"n{n} = {_filled(r, r.choice(SCALARS), names)}")
        else:
            lines += [f"n{n} = {r.choice(names)} * 1.0", "k = 0"]
            lines.append(_filled(r, r.choice(BLOCKS), names).replace("R", f"n{n}"))
        names.append(f"n{n}")
    return _function("x, y", lines, f"return {names[-1]} + {r.choice(names)}")


def array_program(r: random.Random) -> str:
    """Return the source of ``program(x)``, of an array of shape (2, 3) to a number."""
    lines = ["m0 = x * 1.0"]
    last = r.randint(1, 3)
    for n in range(1, last + 1):
        earlier = [f"m{r.randrange(n)}", f"m{r.randrange(n)}"]
        value, write = r.choice(ARRAYS), r.choice(WRITES)
        lines.append(f"m{n} = " + _named(r, value, *earlier))
        lines.append(_named(r, write, f"m{n}", earlier[0]))
    return _function("x", lines, f"return (m{last} * m{r.randrange(last)}).sum()")


def _named(r: random.Random, text: str, name: str, other: str) -> str:
    return re.sub(r"\bm\b", name, text.format(m=other, c=r.choice(CONSTANTS)))


def _function(arguments: str, lines: list[str], last: str) -> str:
    return "\n    ".join([f"def program({arguments}):", *lines, last]) + "\n"


def _mapped(f: Callable[..., Dual]) -> Callable[..., Any]:
    """Return f of numbers, or of NumPy arrays of them."""
    of_arrays = np.vectorize(f, otypes=[object])
    return lambda *args: (of_arrays if any(isinstance(a, np.ndarray) for a in args) else f)(*args)


class _NumPyOfDuals:
    """NumPy, whose maximum notes ties."""

    maximum = staticmethod(_mapped(lambda x, y: lift(x).larger(y)))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


PLAIN = {"tanh": gw.tanh, "sin": gw.sin, "maximum": gw.maximum}
DUAL = {
    "np": _NumPyOfDuals(),
    "tanh": _mapped(lambda x: lift(x).tanh()),
    "sin": _mapped(lambda x: lift(x).sin()),
    "maximum": _NumPyOfDuals.maximum,
}


def compiled(source: str, functions: dict[str, Any]) -> Callable[..., Any]:
    """Return the function that the source defines, with these functions in its namespace."""
    space: dict[str, Any] = {
        "np": np, "math": math, "copy": copy, "dataclasses": dataclasses,
        "functools": functools, "Pair": Pair, **functions,
    }  # fmt: skip
    exec(source, space)
    program: Callable[..., Any] = space["program"]
    return program
