"""Derivatives with few numbers in them: `sparse_jacobian`, `sparse_hessian`, and their patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from ...core.calls import expect_function
from ...core.expect import describe
from ...core.functions import Function
from ...errors import MissingExtraError, NotANumberError, OptionError, SizeError
from ..arguments import Inputs, inputs_of, is_plain
from ..gradients import gradient_of

__all__ = ["coloring", "sparse_hessian", "sparse_jacobian", "sparsity"]

MODES = (None, "forward", "reverse")


def sparse_jacobian(
    f: Function, x: object, *args: Any, sparsity: Any = None, mode: str | None = None
) -> Any:
    """Return the Jacobian of ``f`` at ``x`` as a `scipy.sparse.csr_array`, from a few passes.

        J_ij = ∂f_i/∂x_j

    ``f(x, *args)`` runs once to find out which result depends on which input. Then there is one
    pass for each colour (see `coloring`): three if each result depends on itself and its two
    neighbours, however many there are.

    Parameters
    ----------
    f
        A function that returns floats, arrays, or containers of these.
    x
        The argument to differentiate by: a float, an array, or a container of these.
    *args
        Further arguments of ``f``, which are constants.
    sparsity
        A pattern (from `sparsity`, or any matrix that is not 0 where J may not be) or its
        `coloring`, which spares the first step; found if ``None``. A pattern holds for the branches
        that were taken; if the program takes others elsewhere, compute it again.
    mode
        "forward" or "reverse" takes passes of this kind only; the cheaper ones, or both, if
        ``None``.

    Returns
    -------
    (results, inputs)
        A sparse matrix with a row for each element of the result and a column for each element of
        ``x``, in order. It is made of plain numbers.

    Raises
    ------
    OptionError
        If another transform or a graph follows ``x``, or ``mode`` or the coloring is another.
    SizeError
        If the pattern has another shape.
    NotANumberError
        If ``x`` or a result is not floating-point, or ``sparsity`` is no matrix.
    MissingExtraError
        If SciPy is not installed.

    See Also
    --------
    sparse_hessian, jacobian

    References
    ----------
    Curtis, Powell and Reid, On the estimation of sparse Jacobian matrices (1974).

    Examples
    --------
    >>> import numpy as np
    >>> from gradwalk import sparse_jacobian
    >>> sparse_jacobian(lambda x: x[1:] * x[:-1], np.array([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    """
    _expect_mode(mode, "sparse_jacobian")
    inputs = _inputs(f, x, args, "sparse_jacobian")
    return _derivatives(inputs.call, inputs, sparsity, mode, "sparse_jacobian")


def sparse_hessian(f: Function, x: object, *args: Any, sparsity: Any = None) -> Any:
    """Return the Hessian of ``f`` at ``x`` as a `scipy.sparse.csr_array`, from a few passes.

        H_ij = ∂²f/∂x_i∂x_j

    It is the `sparse_jacobian` of the gradient. A few inputs that meet all others get a pass each,
    because by symmetry their columns are their rows.

    Parameters
    ----------
    f
        A function that returns one number, of shape ().
    x
        The argument to differentiate by: a float, an array, or a container of these.
    *args
        Further arguments of ``f``, which are constants.
    sparsity
        A pattern from ``sparsity(f, x, hessian=True)`` or its ``coloring(pattern, "symmetric")``;
        found if ``None``.

    Returns
    -------
    (inputs, inputs)
        A sparse matrix with a row and a column for each element of ``x``, in order.

    Raises
    ------
    SizeError
        If ``f`` returns more than one number, or the pattern has another shape.
    OptionError
        If another transform or a graph follows ``x``.
    NotANumberError
        If ``x`` or the result is not floating-point, or ``sparsity`` is no matrix.
    MissingExtraError
        If SciPy is not installed.

    See Also
    --------
    hessian, sparse_jacobian

    Examples
    --------
    >>> import numpy as np
    >>> from gradwalk import sparse_hessian
    >>> H = sparse_hessian(lambda x: (x[1:] * x[:-1]).sum(), np.array([1.0, 2.0, 3.0]))
    >>> H.toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    inputs = _inputs(f, x, args, "sparse_hessian")
    gradient = _gradient(inputs, "sparse_hessian")
    return _derivatives(gradient, inputs, sparsity, "symmetric", "sparse_hessian")


def sparsity(f: Function, x: object, *args: Any, hessian: bool = False) -> Any:
    """Return where the Jacobian or the Hessian of ``f`` may be nonzero: a boolean csr_array.

        S_ij = whether f_i depends on x_j

    ``f(x, *args)`` runs once on numbers that carry the set of the inputs that they depend on. No
    entry is missing for the branches that ``f`` takes at ``x``; there may be too many, for an
    operation that mixes numbers in ways of its own, and for both sides of `where` and `maximum`.

    Parameters
    ----------
    f
        A function that returns floats, arrays, or containers of these.
    x
        The argument whose elements are the columns: a float, an array, or a container of these.
    *args
        Further arguments of ``f``, which are constants.
    hessian
        Whether to return the pattern of the Hessian, of an ``f`` that returns one number.

    Returns
    -------
    (results, inputs), or (inputs, inputs) for a Hessian
        A sparse matrix of bools.

    Raises
    ------
    OptionError
        If another transform or a graph follows ``x``.
    NotANumberError
        If ``x`` or a result is not floating-point.
    MissingExtraError
        If SciPy is not installed.

    See Also
    --------
    coloring, sparse_jacobian

    Examples
    --------
    >>> import numpy as np
    >>> from gradwalk import sparsity
    >>> sparsity(lambda x: x[1:] * x[:-1], np.ones(3)).toarray().astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    inputs = _inputs(f, x, args, "sparsity")
    call = _gradient(inputs, "sparsity") if hessian else inputs.call
    return _scipy("sparsity").detect(call, inputs.primals, "sparsity")


def coloring(pattern: Any, mode: str | None = None) -> Any:
    """Return which columns or rows of a sparse matrix share a pass: a `Coloring`.

        columns of one colour have no row in common

    It can be given to `sparse_jacobian` and `sparse_hessian` again and again.

    Parameters
    ----------
    pattern : (results, inputs)
        A matrix, sparse or dense, that is not 0 where the derivative may not be.
    mode
        "forward" colours columns, "reverse" rows, "symmetric" the columns of a Hessian. With
        ``None`` the cheaper direction is taken, with passes of the other for a few crowded lines.

    Returns
    -------
    a Coloring
        Its ``sweeps`` is the number of passes, its ``columns``, (inputs,), and ``rows``,
        (results,), hold the colour of each (-1 for none).

    Raises
    ------
    NotANumberError
        If ``pattern`` is no matrix.
    OptionError
        If ``mode`` is another word.
    SizeError
        If the matrix of mode "symmetric" is not square.
    MissingExtraError
        If SciPy is not installed.

    See Also
    --------
    sparsity, sparse_jacobian

    References
    ----------
    Gebremedhin, Manne and Pothen, What color is your Jacobian? (2005).

    Examples
    --------
    >>> import numpy as np
    >>> from gradwalk import coloring
    >>> found = coloring(np.eye(5) + np.eye(5, k=1), "forward")
    >>> found.sweeps, found.columns
    (2, array([1, 0, 1, 0, 1]))
    """
    _expect_mode(mode, "coloring", (*MODES, "symmetric"))
    module = _scipy("coloring")
    found = _pattern(pattern, module, "coloring(pattern)")
    if mode == "symmetric" and found.shape[0] != found.shape[1]:
        raise _misfit("coloring(pattern)", "a square matrix", found.shape)
    return module.color(found, mode)


# --- inside ---------------------------------------------------------------------------------------


@cache
def _compression() -> Any:
    return import_module(".compression", __package__)


def _scipy(where: str) -> Any:
    """Return the module that uses SciPy, loaded for the first sparse matrix."""
    try:
        import_module("scipy.sparse")
    except ImportError as error:
        raise MissingExtraError(
            where=where,
            expected="SciPy, whose sparse arrays are the results",
            got=f"an installation without it ({error})",
            fix='Install the extra: pip install "gradwalk[scipy]".',
        ) from error
    return _compression()


def _inputs(f: Function, x: object, args: Sequence[Any], where: str) -> Inputs:
    expect_function(f, where)
    inputs = inputs_of(f, (x, *args), {}, 0, where)
    for leaf in inputs.leaves:
        if not is_plain(leaf):
            raise OptionError(
                where=where,
                expected="plain numbers",
                got=f"{describe(leaf)}, which another transform or graph follows",
                fix="Use gradwalk.jacobian inside other transforms, because sparse matrices "
                "are plain numbers, or x.detach() for the numbers alone.",
            )
    return inputs


def _gradient(inputs: Inputs, where: str) -> Callable[[Sequence[Any]], Any]:
    """Return the leaves of the gradient as a function of the leaves of the argument."""
    gradient = gradient_of(inputs.call, 0, False, where)
    return lambda leaves: gradient(list(leaves))


def _derivatives(
    call: Callable[[Sequence[Any]], Any], inputs: Inputs, known: Any, mode: Any, where: str
) -> Any:
    module = _scipy(where)
    if known is None:
        known = module.detect(call, inputs.primals, where)
    if not isinstance(known, module.Coloring):
        known = module.color(_pattern(known, module, f"{where}(sparsity=...)"), mode)
    elif known.mode == "symmetric" != mode:
        raise OptionError(
            where=f"{where}(sparsity=...)",
            expected="a coloring of all columns or rows",
            got='one of mode "symmetric", which reads rows off the columns',
            fix="Write coloring(pattern); the symmetric ones are for sparse_hessian.",
        )
    run = module.program(call, inputs.primals, where)
    if known.pattern.shape != run.shape:
        raise _misfit(f"{where}(sparsity=...)", f"a matrix of shape {run.shape}", known.pattern)
    return module.fill(run, known)


def _pattern(x: object, module: Any, where: str) -> Any:
    """Return a matrix of any kind as a sorted boolean csr_array."""
    try:
        found = module.csr_array(x)
        if found.ndim != 2:
            raise ValueError(f"{found.ndim} axes")
    except (TypeError, ValueError) as error:
        raise NotANumberError(
            where=where,
            expected="a matrix, sparse or dense, or a coloring",
            got=f"{describe(x)} ({error})",
            fix="Pass gradwalk.sparsity(f, x), the pattern of a function.",
        ) from error
    found = found.astype(bool)
    # explicit zeros and duplicates would cost colours
    found.sum_duplicates()
    found.eliminate_zeros()
    return found


def _misfit(where: str, expected: str, got: Any) -> SizeError:
    return SizeError(
        where=where,
        expected=expected,
        got=f"shape {tuple(getattr(got, 'shape', got))}",
        fix="Pass a matrix with a row for each element of the result and a column for each of x.",
    )


def _expect_mode(mode: object, where: str, modes: tuple[Any, ...] = MODES) -> None:
    if mode not in modes:
        raise OptionError(
            where=f"{where}(mode=...)",
            expected=", ".join(map(repr, modes)),
            got=describe(mode),
            fix="Write mode=None for the direction that needs fewer passes.",
        )
