"""Export a constrained problem for a solver: gradient, sparse Jacobian, sparse Hessian.

python examples/export_lagrangian.py [FOLDER] [VARIABLES]

The problem is that of L. Luksan and J. Vlcek, Sparse and partially separable test problems for
unconstrained and equality constrained optimization (1999): chained Rosenbrock functions with
constraints, which benchmarks of interior-point solvers use.
"""

import sys
from pathlib import Path

from gradwalk import exp, export, sin


def objective(x):
    """Return the sum of the chained terms."""
    total = 0.0
    for i in range(1, len(x)):
        total = total + 100 * (x[i - 1] ** 2 - x[i]) ** 2 + (x[i - 1] - 1) ** 2
    return total


def constraints(x):
    """Return what a solver makes 0."""
    return [
        3 * x[i + 1] ** 3 + 2 * x[i + 2] - 5
        + sin(x[i + 1] - x[i + 2]) * sin(x[i + 1] + x[i + 2])
        + 4 * x[i + 1] - x[i] * exp(x[i] - x[i + 1]) - 3
        for i in range(len(x) - 2)
    ]  # fmt: skip


def lagrangian(x, multipliers):
    """Return the objective with the constraints, weighted."""
    pairs = zip(multipliers, constraints(x), strict=True)
    return objective(x) + sum(m * c for m, c in pairs)


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
n = int(sys.argv[2]) if len(sys.argv) > 2 else 40
start = [1.0 if i % 2 else -1.2 for i in range(n)]
export(objective, start, path=folder / "objective.c")
export(constraints, start, path=folder / "constraints.c", derivatives="sparse_jacobian")
export(
    lagrangian, start, [1.0] * (n - 2), path=folder / "lagrangian.c", derivatives="sparse_hessian"
)
for name in ("objective.c", "constraints.c", "lagrangian.c"):
    text = (folder / name).read_text()
    print(f"{name}: {len(text.splitlines())} lines, {text.count('for (')} loops")
