"""A jaxpr, evaluated on Tensors: each equation by the table, by positions, or by JAX itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import GradwalkError
from ...ops import TABLE
from ...ops.array.structure import astype
from ...tensor import functions as gw
from ..adoption import Adoption
from ..agreement import gap
from ..moves import gathered
from ..opaque import opaque
from ..places import Place, at
from ..values import Operand, array_of, is_live, numbers, put_numbers, tensor
from . import library as jax
from .calling import (
    Aval,
    Equation,
    Jaxpr,
    Variable,
    concrete,
    eps_of,
    floating,
    inexact,
    is_complex,
    place_of,
    to_jax,
    vjp_by_jax,
    vjp_of,
)
from .complexes import Complex, joined
from .table import COMPARED, CUSTOM, FLAT, MOVED, RULES, WHOLE

__all__ = ["Evaluated", "Reader"]

CALLS = {
    **dict.fromkeys(("pjit", "jit", "checkpoint", "remat2", "remat", "composite"), "jaxpr"),
    **dict.fromkeys(("closed_call", "core_call", "custom_jvp_call"), "call_jaxpr"),
    **dict.fromkeys(("custom_vjp_call", "custom_vjp_call_jaxpr"), "call_jaxpr"),
    "custom_vmap_call": "call",
}
"""Equations that have a jaxpr of their own, by the parameter that holds it."""

GIVEN = ("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr")
"""Calls with derivatives that the program gives."""

SUMS = {"reduce_sum", "dot_general", "cumsum", "conv_general_dilated", "reduce_window_sum"}
"""Operations whose rounding is that of the terms, which may be larger than the sum."""

UNDEFINED = {"cholesky": np.tril}
"""Results of which a part is not defined, with what keeps the rest."""

GAUGED = ("eigh", "svd", "qr")
"""Results whose vectors may have either sign: those of JAX are taken."""

MOST = 60_000
"""Equations that are evaluated one by one: a loop that would make more is left to JAX."""


@dataclass(frozen=True)
class Evaluated:
    """An equation with the operands and the results that it had; ``index`` counts equations."""

    eqn: Equation
    xs: list[Any]
    ys: list[Any]
    place: Place | None
    index: int


class Reader:
    """Evaluates jaxprs for one adoption. ``hidden`` are equations that are left to JAX."""

    adoption: Adoption
    hidden: frozenset[int]
    count: int

    def __init__(self, adoption: Adoption, hidden: frozenset[int]) -> None:
        self.adoption, self.hidden = adoption, hidden
        self.count = 0
        self.tape: list[Evaluated] = []

    def evaluate(self, closed: Jaxpr, args: Sequence[Any], place: Place | None = None) -> list[Any]:
        """Return the results of a jaxpr. ``place`` is the line of the call that it belongs to."""
        jaxpr: Jaxpr = getattr(closed, "jaxpr", closed)
        env: dict[Any, Any] = dict(zip(jaxpr.constvars, getattr(closed, "consts", ()), strict=True))
        env |= dict(zip(jaxpr.invars, args, strict=True))

        def read(v: Variable) -> Any:
            return v.val if hasattr(v, "val") else env[v]

        for eqn in jaxpr.eqns:
            found = self.apply(eqn, [read(v) for v in eqn.invars], place)
            env.update(zip(eqn.outvars, found, strict=True))
        return [read(v) for v in jaxpr.outvars]

    # --- one equation -----------------------------------------------------------------------------

    def apply(self, eqn: Equation, xs: list[Any], outer: Place | None) -> list[Any]:
        """Return the results of an equation."""
        name, place = eqn.primitive.name, place_of(eqn, outer)
        mixed = any(isinstance(x, Complex) for x in xs)
        live = mixed or any(map(is_live, xs))
        if live and name in CALLS:
            return self._call(eqn, xs, place)
        if live and name in CONTROL:
            found: list[Any] | None = CONTROL[name](self, eqn, xs, place)
            if found is not None:
                return found
        if not live:
            return concrete(eqn, xs)
        self.count += 1
        if mixed:
            return self._complex(eqn, xs, place)
        if name in COMPARED:
            args = [array_of(numbers(x)) for x in xs]
            self.adoption.facts.append((place, TABLE[COMPARED[name]], args))
        if name in FLAT or not any(inexact(v.aval) for v in eqn.outvars):
            return concrete(eqn, xs)
        if any(is_complex(v.aval) for v in eqn.outvars):
            return self._complex(eqn, xs, place)
        index = self.count
        if index in self.hidden:
            return self._opaque(eqn, xs, place)
        seen = self._seen(eqn, name, xs, place)
        if seen is None:
            return self._opaque(eqn, xs, place)
        self.tape.append(Evaluated(eqn, xs, seen, place, index))
        return seen

    def _seen(
        self, eqn: Equation, name: str, xs: list[Any], place: Place | None
    ) -> list[Any] | None:
        """Return the results by the table; ``None`` if it has no rule, or another result."""
        try:
            if name in MOVED:
                out = at(place, _gathered, eqn, self._operands(eqn, xs))
            elif name in RULES:
                args = self._operands(eqn, xs)
                out = at(place, RULES[name], eqn.params, *args)
            else:
                return None
        except (GradwalkError, TypeError, ValueError, IndexError, NotImplementedError):
            return None  # a form of the operation that the table does not have
        return None if out is NotImplemented else self._all_settled(name, eqn, out, xs, place)

    def _operands(self, eqn: Equation, xs: Sequence[Any]) -> list[Any]:
        """Return floating operands as Tensors, which are kept, and others as arrays."""
        found = [_operand(x, v) for x, v in zip(xs, eqn.invars, strict=True)]
        for x in found:
            self.adoption.keep(x)  # nodes have weak references to constants that no rule reads
        return found

    def _all_settled(
        self, name: str, eqn: Equation, out: Operand, xs: list[Any], place: Place | None
    ) -> list[Any] | None:
        """Return results with the numbers of JAX; ``None`` if one of them is another one."""
        ys = list(out) if isinstance(out, (list, tuple)) else [out]
        refs = concrete(eqn, xs)
        found = []
        for y, ref, v in zip(ys, refs, eqn.outvars, strict=True):
            own = self._settled(name, y, ref, v.aval, xs, place)
            if own is None:
                return None
            found.append(own)
        return found

    def _settled(
        self, name: str, y: Operand, ref: Operand, aval: Aval, xs: Sequence[Any],
        place: Place | None,
    ) -> Operand:  # fmt: skip
        """Return a result with the numbers of JAX, ``None`` if they are others than ours."""
        if not is_live(y):
            return ref
        ref = array_of(ref)
        if name in UNDEFINED:
            ref = UNDEFINED[name](ref)
        found = gap(*map(np.abs, (y._data, ref))) if name in GAUGED else gap(y._data, ref)
        if found > 0.0 and name in SUMS:
            found = _gap_of_terms(name, y._data, ref, xs)
        agreement = self.adoption.agreement
        if agreement.is_more(found, eps_of(aval)):
            return None
        agreement.note(name, found)
        if any(y is x for x in xs):
            return y
        if y.dtype != ref.dtype:
            y = at(place, _cast, y, ref.dtype)
        put_numbers(y, ref)
        self.adoption.keep(y)
        return y

    def _opaque(self, eqn: Equation, xs: list[Any], place: Place | None) -> list[Any]:
        """Return the results of an equation that gradwalk does not see into."""
        live = [i for i, x in enumerate(xs) if is_live(x)]
        refs = concrete(eqn, xs)
        floats = [i for i, v in enumerate(eqn.outvars) if floating(v.aval)]
        run, _ = vjp_of(eqn, xs, live, floats)
        kinds = [eqn.invars[i].aval for i in live]
        return self.hidden_results(
            eqn.primitive.name, run, kinds, [xs[i] for i in live], refs, floats, place
        )

    def hidden_results(
        self, name: str, run: Any, kinds: Sequence[Any], inputs: list[Any], refs: list[Any],
        floats: list[int], place: Place | None,
    ) -> list[Any]:  # fmt: skip
        """Return ``refs``, of which those at ``floats`` are results of one opaque operation."""
        if not floats:
            return refs
        self.adoption.opaque[name] += 1
        made = [array_of(refs[i]) for i in floats]

        def f(*_: Any) -> Any:
            return tuple(made) if len(made) > 1 else made[0]

        def vjp(t: Any, _: Any, *some: Any) -> Any:
            args = [to_jax(s, kind) for s, kind in zip(some, kinds, strict=True)]
            try:
                return vjp_by_jax(run, args, t if isinstance(t, (tuple, list)) else (t,))
            except (TypeError, ValueError, NotImplementedError):
                self.adoption.tell(f"JAX has no reverse mode of {name}")
                return [None] * len(some)

        found = list(refs)
        for i, y in zip(floats, at(place, opaque, name, f, vjp, inputs), strict=True):
            found[i] = y
            self.adoption.keep(y)
        return found

    def _complex(self, eqn: Equation, xs: list[Any], place: Place | None) -> list[Any]:
        """Return the results of an equation on complex numbers."""
        plain = [x.value if isinstance(x, Complex) else x for x in xs]
        refs = concrete(eqn, plain)
        run, inputs, names = joined(eqn, xs)
        found = list(refs)
        for i, v in enumerate(eqn.outvars):
            if is_complex(v.aval):
                found[i] = Complex(refs[i], tuple(inputs), lambda *s, i=i: run(*s)[i], names)
        floats = [i for i, v in enumerate(eqn.outvars) if floating(v.aval)]
        if not floats or eqn.primitive.name in FLAT:
            return found

        def real(*some: Any) -> tuple[Any, ...]:
            out = run(*some)
            return tuple([out[i] for i in floats])

        name = "complex numbers: " + ", ".join(names)
        made = self.hidden_results(name, real, inputs, inputs, refs, floats, place)
        for i in floats:
            found[i] = made[i]
        return found

    # --- calls and control flow -------------------------------------------------------------------

    def _call(self, eqn: Equation, xs: list[Any], place: Place | None) -> list[Any]:
        name, params = eqn.primitive.name, eqn.params
        inner = params[CALLS[name]]
        mixed = any(isinstance(x, Complex) for x in xs)
        given = name in GIVEN
        known = (CUSTOM if given else WHOLE).get(_name(inner))
        if known is None and not given:
            return self.evaluate(inner, xs, place)
        self.count += 1
        index = self.count
        if known is not None and not mixed and index not in self.hidden:
            args = self._operands(eqn, xs)
            found = self._all_settled(_name(inner), eqn, at(place, known, params, *args), xs, place)
            if found is not None:
                self.tape.append(Evaluated(eqn, xs, found, place, index))
                return found
        if not given:
            return self.evaluate(inner, xs, place)
        if mixed:
            return self._complex(eqn, xs, place)
        if index not in self.hidden and self._same_rule(eqn, inner, xs):
            return self.evaluate(inner, xs, place)
        return self._opaque(eqn, xs, place)

    def _same_rule(self, eqn: Equation, inner: Jaxpr, xs: list[Any]) -> bool:
        """Return whether a given derivative is that of the operations inside, at these numbers."""
        live = [i for i, x in enumerate(xs) if is_live(x)]
        floats = [i for i, v in enumerate(eqn.outvars) if inexact(v.aval)]
        if any(is_complex(eqn.outvars[i].aval) for i in floats):
            return False
        run, args = vjp_of(eqn, xs, live, floats)
        given = [to_jax(x, v.aval) for x, v in zip(xs, eqn.invars, strict=True)]

        def opened(*some: Any) -> tuple[Any, ...]:
            operands = list(given)
            for i, s in zip(live, some, strict=True):
                operands[i] = s
            out = _extension().jaxpr_as_fun(_closed(inner))(*operands)
            return tuple([out[i] for i in floats])

        rng = np.random.default_rng(0)
        ts = [rng.uniform(0.5, 1.5, eqn.outvars[i].aval.shape) for i in floats]
        try:
            pairs = zip(vjp_by_jax(run, args, ts), vjp_by_jax(opened, args, ts), strict=True)
            return all(gap(a, b) <= 1e-5 for a, b in pairs)
        except (TypeError, ValueError, NotImplementedError):  # no reverse mode of the inner loops
            return False

    def cond(self, eqn: Equation, xs: list[Any], place: Place | None) -> list[Any]:
        """Return the results of the branch that was taken."""
        branches = eqn.params["branches"]
        which = int(np.clip(int(numbers(xs[0])), 0, len(branches) - 1))
        return self.evaluate(branches[which], xs[1:], place)

    def scan(self, eqn: Equation, xs: list[Any], place: Place | None) -> list[Any] | None:
        """Return the results of a loop, step by step; ``None`` if it has too many steps."""
        p = eqn.params
        steps, fixed, carried = p["length"], p["num_consts"], p["num_carry"]
        if not steps or self.count + steps * _size(p["jaxpr"]) > MOST:
            return None
        consts, carry = xs[:fixed], xs[fixed : fixed + carried]
        given = xs[fixed + carried :]
        rows: dict[int, list[Any]] = {}
        for i in range(steps)[::-1] if p["reverse"] else range(steps):
            row = [at(place, _item, x, i) for x in given]
            out = self.evaluate(p["jaxpr"], [*consts, *carry, *row], place)
            carry, rows[i] = out[:carried], out[carried:]
        columns = zip(*[rows[i] for i in range(steps)], strict=True)
        return [*carry, *[at(place, _stacked, column) for column in columns]]

    def while_loop(self, eqn: Equation, xs: list[Any], place: Place | None) -> list[Any] | None:
        """Return the results of a loop whose condition is computed after each step."""
        p = eqn.params
        a, b = p["cond_nconsts"], p["body_nconsts"]
        tests, consts, carry = xs[:a], xs[a : a + b], xs[a + b :]
        while bool(numbers(self.evaluate(p["cond_jaxpr"], [*tests, *carry], place)[0])):
            if self.count > MOST:
                return None
            carry = self.evaluate(p["body_jaxpr"], [*consts, *carry], place)
        return carry


CONTROL: dict[str, Any] = {
    "cond": Reader.cond, "scan": Reader.scan, "while": Reader.while_loop,
}  # fmt: skip


def _name(closed: Jaxpr) -> str:
    """Return the name of the function that a jaxpr was made of, if it is one of JAX itself."""
    known = getattr(getattr(closed, "jaxpr", closed), "debug_info", None)
    file = str(getattr(known, "func_filename", "") or "")
    return str(known.func_name) if known is not None and "/jax/_src/" in file else ""


def _extension() -> Any:
    return import_module("jax.extend.core")


def _closed(inner: Jaxpr) -> Any:
    return inner if hasattr(inner, "consts") else _extension().ClosedJaxpr(inner, ())


def _size(closed: Jaxpr) -> int:
    """Return how many equations one step of a loop has, those of inner loops included."""
    total = 0
    jaxpr: Jaxpr = getattr(closed, "jaxpr", closed)
    for eqn in jaxpr.eqns:
        inner = [v for v in eqn.params.values() if hasattr(getattr(v, "jaxpr", v), "eqns")]
        inner += list(eqn.params.get("branches", ()))
        times = eqn.params.get("length", 1) if eqn.primitive.name == "scan" else 1
        total += times * sum(map(_size, inner)) if inner else 1
    return total


def _operand(x: Operand, v: Variable) -> Any:
    """Return floating operands as Tensors, and others as arrays."""
    if is_live(x):
        return x
    return tensor(x) if floating(v.aval) else np.asarray(x)


def _cast(y: Operand, dtype: Any) -> Any:
    return astype(y, dtype=dtype)


def _item(x: Operand, i: int) -> Any:
    return x[i]


def _stacked(column: Sequence[Any]) -> Any:
    if any(isinstance(x, Complex) for x in column) or not any(map(is_live, column)):
        plain = [x.value if isinstance(x, Complex) else x for x in column]
        return jax.numpy.stack(plain)
    return gw.stack([tensor(x) for x in column])


def _gap_of_terms(name: str, ours: Operand, theirs: Operand, xs: Sequence[Any]) -> float:
    """Return the difference of two sums as a part of the largest term."""
    sizes = [float(np.abs(array_of(numbers(x))).max(initial=0.0)) for x in xs]
    term = float(np.prod(sizes)) if name in ("dot_general", "conv_general_dilated") else sizes[0]
    found = gap(ours, theirs)
    size = float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0))
    most = max(size, term)
    return found * (size or 1.0) / most if np.isfinite(found) and most else found


def _gathered(eqn: Equation, xs: list[Any]) -> Any:
    """Return what JAX's operation makes of positions, and take those."""
    floats = [i for i, v in enumerate(eqn.invars) if inexact(v.aval)]
    params = dict(eqn.params)
    if getattr(
        getattr(params.get("update_jaxpr"), "jaxpr", None) or params.get("update_jaxpr"), "eqns", ()
    ):
        return NotImplemented  # the elements are changed, not moved
    fill = params.get("fill_value", 0)
    if "fill_value" in params:
        params["fill_value"] = -1
    args = [to_jax(x, v.aval) for x, v in zip(xs, eqn.invars, strict=True)]

    def run(*places: Any) -> Any:
        given = list(args)
        for i, q in zip(floats, places, strict=True):
            given[i] = jax.numpy.asarray(q, "int32")
        return eqn.primitive.bind(*given, **params)

    empty = np.nan if fill is None else fill
    return gathered(run, [xs[i] for i in floats], empty)
