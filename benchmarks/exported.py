"""The problem of Luksan and Vlcek with 400 variables: written as C, against CasADi's machine.

``python -m benchmarks.exported --library gradwalk`` prints one line of JSON: the seconds of
processor time until all is ready, and those of one evaluation of the gradient of the objective, the
sparse Jacobian of the constraints and the sparse Hessian of the Lagrangian.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

Function = Callable[..., Any]
FLAGS = ["-O3", "-std=c99", "-ffp-contract=off", "-fno-builtin", "-shared", "-fPIC"]


def problem(exp: Function, sin: Function) -> tuple[Function, Function, Function]:
    """Return the objective, the constraints and the Lagrangian, number by number.

    L. Luksan and J. Vlcek, Sparse and partially separable test problems for unconstrained and
    equality constrained optimization, 1999, problem 5.1.
    """

    def objective(x: Any) -> Any:
        total = 0.0
        for i in range(1, len(x)):
            total = total + 100 * (x[i - 1] ** 2 - x[i]) ** 2 + (x[i - 1] - 1) ** 2
        return total

    def constraints(x: Any) -> list[Any]:
        return [
            3 * x[i + 1] ** 3 + 2 * x[i + 2] - 5
            + sin(x[i + 1] - x[i + 2]) * sin(x[i + 1] + x[i + 2])
            + 4 * x[i + 1] - x[i] * exp(x[i] - x[i + 1]) - 3
            for i in range(len(x) - 2)
        ]  # fmt: skip

    def lagrangian(x: Any, multipliers: Any) -> Any:
        pairs = zip(multipliers, constraints(x), strict=True)
        return objective(x) + sum(m * c for m, c in pairs)

    return objective, constraints, lagrangian


def start(n: int) -> tuple[list[float], list[float]]:
    """Return the variables at the start, and multipliers."""
    return [1.0 if i % 2 else -1.2 for i in range(n)], [1.0 + i / n for i in range(n - 2)]


def gradwalk(n: int) -> tuple[Function, list[Any]]:
    """Export the three derivatives and compile them. Return their evaluation, and where it writes.

    The order of the numbers of a sparse matrix differs from CasADi's, so their sums are compared.
    """
    import gradwalk as gw

    objective, constraints, lagrangian = problem(gw.exp, gw.sin)
    x, multipliers = start(n)
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("f.c", "g.c", "l.c")]
        gw.export(objective, x, path=paths[0])
        gw.export(constraints, x, path=paths[1], derivatives="sparse_jacobian")
        gw.export(lagrangian, x, multipliers, path=paths[2], derivatives="sparse_hessian")
        library = os.path.join(folder, "luksan.so")
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, *FLAGS, *map(str, paths), "-o", library, "-lm"], check=True)
        code = ctypes.CDLL(library)
    xs, ms = np.array(x), np.array(multipliers)
    gradient, jacobian = np.empty(n), np.empty(3 * (n - 2))
    hessian = np.empty(3 * n - 2)
    # results that only come along: the values, and the gradient of the Lagrangian
    value, g, weighed, slopes = np.empty(1), np.empty(n - 2), np.empty(1), np.empty(n)

    def call(function: Any, *arrays: Any) -> Function:
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        return lambda kept=arrays: function(*pointers)  # the arrays must outlive the pointers

    calls = [
        call(code.f_gradient, xs, value, gradient),
        call(code.g_sparse_jacobian, xs, g, jacobian),
        call(code.l_sparse_hessian, xs, ms, weighed, slopes, hessian),
    ]
    return lambda: [one() for one in calls], [gradient, jacobian, hessian]


def casadi(n: int) -> tuple[Function, list[Any]]:
    """Build the same three derivatives by CasADi, for its virtual machine."""
    import casadi as ca

    objective, constraints, lagrangian = problem(ca.exp, ca.sin)
    x, multipliers = ca.SX.sym("x", n), ca.SX.sym("m", n - 2)
    xs, ms = [x[i] for i in range(n)], [multipliers[i] for i in range(n - 2)]
    results = [
        ca.gradient(objective(xs), x),
        ca.jacobian(ca.vertcat(*constraints(xs)), x),
        ca.hessian(lagrangian(xs, ms), x)[0],
    ]
    points = [np.array(p) for p in start(n)]
    calls, out = [], []
    for k, result in enumerate(results):
        function = ca.Function(f"f{k}", [x, multipliers], [result])
        buffer, trigger = function.buffer()
        for i, point in enumerate(points):
            buffer.set_arg(i, memoryview(point))
        out.append(np.empty(result.nnz()))
        buffer.set_res(0, memoryview(out[-1]))
        calls.append((trigger, buffer))
    # buffers and points must outlive the triggers, which hold addresses alone
    return lambda kept=points: [trigger() for trigger, _ in calls], out


def processor_time() -> float:
    """Return the seconds of this process and of the compilers that it waited for."""
    uses = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def main() -> None:
    """Measure the library that the command line names."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--library", choices=("gradwalk", "casadi"), default="gradwalk")
    parser.add_argument("--variables", type=int, default=400)
    parser.add_argument("--steps", type=int, default=2000)
    options = parser.parse_args()
    before = processor_time()
    evaluate, out = {"gradwalk": gradwalk, "casadi": casadi}[options.library](options.variables)
    ready = processor_time() - before
    times = []
    for _ in range(5):
        before = processor_time()
        for _ in range(max(1, options.steps // 5)):
            evaluate()
        times.append((processor_time() - before) / max(1, options.steps // 5))
    losses = [float(np.abs(numbers).sum()) for numbers in out]
    print(json.dumps({"ready": ready, "total": min(times), "losses": losses}))


if __name__ == "__main__":
    main()
