"""`export`: a function and its derivatives as a file of C or JavaScript."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from math import prod
from pathlib import PurePath
from typing import Any

from ..core.expect import describe, is_array
from ..core.files import PathLike, write_file
from ..core.functions import Function
from ..errors import OptionError, SizeError
from ..levels.level import running
from ..program.source.elements import record
from ..program.source.file import LANGUAGES, Description, Printed, print_file
from ..program.source.names import identifier, unique
from ..program.source.sparse import sparse_hessian, sparse_jacobian
from ..program.source.steps import Array
from .arguments import ArgNums
from .exported_arguments import Inputs
from .gradients import value_and_grad
from .hessians import hessian
from .jacobians import jacobian

__all__ = ["export"]

KINDS = ("none", "gradient", "jacobian", "hessian", "sparse_jacobian", "sparse_hessian")
WHERE = "export(f, *examples)"
OF_ONE = ("gradient", "hessian", "sparse_hessian")

Plain = Callable[[Sequence[Any]], list[Any]]
"""The function of one list of numbers and arrays."""


def export(
    f: Function,
    *examples: Any,
    path: PathLike,
    derivatives: str = "gradient",
    argnums: ArgNums = 0,
) -> None:
    """Write a function of numbers and its derivatives to a file of C or JavaScript.

    ``f(*examples)`` is recorded, as `compile` does it, and printed with its derivatives: with loops
    where it repeats itself, without allocation, and with no library but libm. A file ``loss.c`` has

    * ``loss(..., result)``: what ``f`` returns;
    * ``loss_gradient(..., result, gradient)`` for ``derivatives="gradient"``: ∂f/∂x too;
    * ``loss_jacobian(..., result, jacobian)`` for "jacobian": rows are results, columns inputs;
    * ``loss_hessian(..., result, gradient, hessian)`` for "hessian"; for "none" nothing more;
    * ``loss_sparse_jacobian(..., result, values)`` for "sparse_jacobian", and
      ``loss_sparse_hessian(..., result, gradient, values)`` for "sparse_hessian": the numbers that
      are not 0 by structure. Tables with ``_rows`` and ``_columns`` at the end of their names say
      where they stand, as in a `scipy.sparse.csr_array`. Their sums have another order, and x**2,
      x**3 and x**4 are products: the last bits differ from those of `sparse_jacobian`.

    Each argument is a parameter: a number by value, an array or container as an array of its
    numbers in the order of its leaves, which the header comment lists.
    Operations on arrays, transforms inside ``f`` included, become operations on their elements;
    their sums have another order than those of NumPy, so the last bits differ.

    Compiled as the header comment says, the C functions give the bits of gradwalk. A question about
    numbers (``if x > 0``) is checked: a function returns the number of the first question with
    another answer than for the examples, and else 0. `where` asks nothing.

    Parameters
    ----------
    f
        The function to write. A Value or Tensor that it closes over is a constant with the numbers
        that it has now.
    *examples
        One example of every argument, of the shapes that the file is for. An argument that is no
        number is a constant.
    path
        The file: one that ends in ``.c`` gets C99, one in ``.js`` JavaScript for Node and pages.
    derivatives
        What the file has besides ``f``: "none", "gradient", "jacobian", "hessian",
        "sparse_jacobian" or "sparse_hessian".
    argnums
        The positions of the arguments to differentiate with respect to.

    Raises
    ------
    OptionError
        If ``derivatives``, ``argnums`` or ``path`` are others, ``f`` draws random numbers, or uses
        an operation on arrays without a finite formula, such as `svd`.
    InPlaceError
        If ``f`` writes into a Tensor that it closes over.
    NotANumberError
        If an argument to differentiate by is not floating-point, or a result is no number.
    SizeError
        If the gradient of several results is asked for.
    FileError
        If the file cannot be written.

    See Also
    --------
    compile

    Examples
    --------
    >>> from gradwalk import export
    >>> export(lambda w, x: (w * x - 1.0) ** 2, 3.0, 0.5, path="loss.c")  # doctest: +SKIP
    """
    _expect(f, derivatives, path)
    inputs = Inputs.of(f, examples, argnums)
    suffix = PurePath(os.fspath(path)).suffix
    name = identifier(PurePath(os.fspath(path)).stem)
    made = _functions(inputs, f, name, derivatives)
    arrays = _parameters(inputs, {name, *(p.name for p in made)}, made[-1].results)
    text = print_file(made, arrays, _description(f, inputs, arrays, made[-1]), suffix)
    write_file(path, text.encode())


def _expect(f: object, derivatives: str, path: PathLike) -> None:
    if not callable(f):
        raise OptionError(
            where="export(f, ...)",
            expected="a function",
            got=describe(f),
            fix='Write export(f, x, path="f.c"), not export(f(x), ...).',
        )
    if derivatives not in KINDS:
        raise OptionError(
            where="export(derivatives=...)",
            expected=", ".join(map(repr, KINDS)),
            got=describe(derivatives),
            fix='Write derivatives="gradient".',
        )
    if not isinstance(path, (str, os.PathLike)) or PurePath(path).suffix not in LANGUAGES:
        raise OptionError(
            where="export(path=...)",
            expected="a path that ends in .c or .js",
            got=describe(path),
            fix='Write path="loss.c" for C, or path="loss.js" for JavaScript.',
        )
    if running.depth:
        raise OptionError(
            where="export",
            expected="a call outside transforms",
            got="one inside another transform",
            fix="Call export with plain numbers, where no transform is active.",
        )


# --- functions ------------------------------------------------------------------------------------


def _functions(inputs: Inputs, f: Callable[..., Any], name: str, derivatives: str) -> list[Printed]:
    def plain(xs: Sequence[Any]) -> list[Any]:
        return inputs.call(f, xs)

    program, shapes = record(plain, inputs.numbers, WHERE)
    size = len(program.outputs)
    made = [Printed(name, program, [Array("result", size)])]
    if derivatives in OF_ONE and size != 1:
        raise SizeError(
            where=f'export(derivatives="{derivatives}")',
            expected="a function of one result",
            got=f"one of {size} results",
            fix=f'Write derivatives="{"sparse_" * derivatives.startswith("sparse")}jacobian".',
        )
    if derivatives in ("gradient", "hessian"):
        made.append(_gradient(inputs, plain, name))
    if derivatives in ("jacobian", "hessian"):
        made.append(_matrix(inputs, plain, name, derivatives, [*map(prod, shapes)]))
    if derivatives.startswith("sparse"):
        made.append(_sparse(inputs, plain, name, derivatives))
    return made


def _sparse(inputs: Inputs, plain: Plain, name: str, kind: str) -> Printed:
    second, moving = kind == "sparse_hessian", inputs.moving_numbers
    program, _ = record(plain, inputs.numbers, WHERE, looks_inside=False)
    made, pattern = (sparse_hessian if second else sparse_jacobian)(program, moving)
    arrays = [Array("result", len(program.outputs)), Array("values", len(pattern[1]))]
    if second:
        arrays.insert(1, Array("gradient", len(moving)))
    return Printed(f"{name}_{kind}", made, arrays, pattern)


def _gradient(inputs: Inputs, plain: Plain, name: str) -> Printed:
    def both(xs: list[Any]) -> list[Any]:
        of_moving: Callable[..., Any] = value_and_grad(_moved(inputs, plain, xs))
        y, slopes = of_moving([xs[i] for i in inputs.moving])
        return [y, *slopes]

    program, _ = record(both, inputs.numbers, WHERE)
    arrays = [Array("result", 1), Array("gradient", len(program.outputs) - 1)]
    return Printed(f"{name}_gradient", program, arrays)


def _moved(inputs: Inputs, plain: Plain, xs: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
    """Return the one result as a function of the arguments that move."""

    def moved(moving: Sequence[Any]) -> Any:
        [y] = [y for y in plain(inputs.merged(xs, moving)) if prod(getattr(y, "shape", ()))]
        return y.reshape(()) if getattr(y, "shape", ()) else y

    return moved


def _matrix(inputs: Inputs, plain: Plain, name: str, kind: str, sizes: list[int]) -> Printed:
    second = kind == "hessian"

    def rows(xs: list[Any]) -> list[Any]:
        here = [xs[i] for i in inputs.moving]
        if second:
            moved = _moved(inputs, plain, xs)
            of_moving: Callable[..., Any] = value_and_grad(moved)
            y, slopes = of_moving(here)
            blocks: Callable[..., Any] = hessian(moved)
            return [y, *slopes, *_flat(blocks(here))]

        def results(moving: Sequence[Any]) -> list[Any]:
            return plain(inputs.merged(xs, moving))

        blocks = jacobian(results)
        return [*results(here), *_flat(blocks(here))]

    program, _ = record(rows, inputs.numbers, WHERE)
    columns, count = inputs.moving_sizes, sum(inputs.moving_sizes)
    arrays = [Array("result", sum(sizes))]
    if second:
        arrays.append(Array("gradient", count))
        sizes = columns
    before = sum(a.size for a in arrays)
    rest = iter(program.outputs[before:])
    program.outputs = (*program.outputs[:before], *_by_rows(rest, sizes, columns))
    arrays.append(Array(kind, sum(sizes) * count))
    return Printed(f"{name}_{kind}", program, arrays)


def _by_rows(atoms: Iterator[int], rows: list[int], columns: list[int]) -> Iterator[int]:
    """Yield a matrix by rows that comes block by block."""
    for m in rows:
        blocks = [[[*islice(atoms, n)] for _ in range(m)] for n in columns]
        for parts in zip(*blocks, strict=True):
            yield from chain.from_iterable(parts)


def _flat(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [x for row in rows for x in row]


# --- names and words ------------------------------------------------------------------------------


def _parameters(inputs: Inputs, taken: set[str], results: Sequence[Array]) -> list[Array]:
    present = [a for a in inputs.arguments if a.size]
    names = unique([identifier(a.name) for a in present], {*taken, *(r.name for r in results)})
    return [
        Array(name, a.size, scalar=a.structure.rebuild is None and not is_array(a.leaves[0]))
        for name, a in zip(names, present, strict=True)
    ]


def _description(
    f: Callable[..., Any], inputs: Inputs, arrays: Sequence[Array], last: Printed
) -> Description:
    title = f"{getattr(f, '__name__', 'f')}".replace("<lambda>", "A function")
    present = [a for a in inputs.arguments if a.size]
    names = [(a.name, b.places) for a, b in zip(arrays, present, strict=True)]
    fixed = [a.name for a in inputs.arguments if not a.size]
    if fixed:
        names.append((", ".join(fixed), "as in the examples, without a parameter"))
    moving = ", ".join(a.name for a, b in zip(arrays, present, strict=True) if b.moves)
    words = {
        "result": "what the function returns, in order",
        "gradient": f"the derivatives of the result with respect to the numbers of {moving}",
        "jacobian": f"by rows: the derivatives of each result by the numbers of {moving}",
        "hessian": f"by rows: the second derivatives by the numbers of {moving}",
        "values": "the numbers of a sparse matrix by rows: of row i they are values[k] for k from "
        f"{last.name}_rows[i] to {last.name}_rows[i + 1] - 1, each in the column "
        f"{last.name}_columns[k]: the number of a derivative in {moving}",
    }
    names += [(f"{r.name}[{r.size}]", words[r.name]) for r in last.results]
    return Description(title, names)
