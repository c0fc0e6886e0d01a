"""Second derivatives: `hessian`, its products `hvp` and `vhp`, its diagonal, and `laplacian`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, Literal, Unpack, overload

from ..core.carrier import is_tensor
from ..core.functions import Lambda, LikeFirst, Transformed, Untyped
from ..core.pytree import LEAF, PyTree, flatten
from ..errors import OptionError
from ..levels.level import running
from .arguments import ArgNums, Inputs, expect_scalar, inputs_of, is_plain
from .cotangents import cotangents_like
from .gradients import gradient_of
from .graphs import gradients_at_bottom, tensor_graphs
from .jacobians import derivative_of, jacobian_of
from .results import to_caller
from .runs import Record, jvp_run
from .signatures import Aux, Number, P, R, Ts, X, Y

__all__ = ["gradient_and_hessian_diagonal", "hessian", "hvp", "laplacian", "vhp"]


@overload
def hessian(f: Lambda, argnums: ArgNums = 0, has_aux: bool = False) -> Untyped: ...
@overload
def hessian(
    f: Callable[Concatenate[Number, P], object],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
) -> Transformed[Concatenate[Number, P], Number]: ...
@overload
def hessian(
    f: Callable[Concatenate[Number, P], tuple[object, Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
) -> Transformed[Concatenate[Number, P], tuple[Number, Aux]]: ...
@overload
def hessian(
    f: Callable[P, object], argnums: ArgNums = 0, has_aux: bool = False
) -> Transformed[P, Any]: ...
def hessian(
    f: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the function that computes all second derivatives of ``f``, a function of one result.

        x ↦ H,   H[i, j] = ∂²f(x) / ∂x[i] ∂x[j]

    The Jacobian of the gradient, forward over reverse.

    Parameters
    ----------
    f
        A function that returns one number, of shape ().
    argnums
        The position of the argument to differentiate by, or a tuple of positions, whose blocks are
        in a tuple of tuples.
    has_aux
        Whether ``f`` returns ``(result, aux)``; then the new function returns ``(H, aux)``.

    Returns
    -------
    a function of the arguments of f
        H has the structure of the argument that ``argnums`` names, where in place of each number or
        array is that structure again. The block of two arrays of shapes s and t has shape s + t;
        for two floats it is a float.

    Raises
    ------
    SizeError
        If the result is an array with axes or a container.
    NotANumberError
        If the result is no floating-point number, or an argument is an array of integers.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.

    See Also
    --------
    hvp, sparse_hessian

    Examples
    --------
    >>> from gradwalk import hessian
    >>> hessian(lambda x, y: x**2 * y, argnums=(0, 1))(2.0, 3.0)
    ((6.0, 4.0), (4.0, 0.0))
    >>> import numpy as np
    >>> hessian(lambda x: (x[:-1] * x[1:]).sum())(np.array([2.0, 3.0]))
    array([[0., 1.],
           [1., 0.]])
    """
    slope = gradient_of(f, argnums, has_aux, "hessian")
    return jacobian_of(slope, argnums, "forward", has_aux, "hessian")


# without a vector `hvp` gives a function, with one the product
@overload
def hvp(f: Lambda, /, *, argnums: Literal[0] = 0) -> LikeFirst: ...
@overload
def hvp(f: Lambda, x: X, /, *at: Any, argnums: Literal[0] = 0) -> X: ...
@overload
def hvp(f: Lambda, /, *at: Any, argnums: ArgNums = 0) -> Any: ...
@overload
def hvp(f: Callable[[X], object], /, *, argnums: Literal[0] = 0) -> Callable[[X, X], X]: ...
@overload
def hvp(f: Callable[[X], object], x: X, v: X, /, *, argnums: Literal[0] = 0) -> X: ...
@overload
def hvp(f: Callable[[X, Y], object], /, *, argnums: Literal[0] = 0) -> Callable[[X, Y, X], X]: ...
@overload
def hvp(f: Callable[[X, Y], object], x: X, y: Y, v: X, /, *, argnums: Literal[0] = 0) -> X: ...
@overload
def hvp(f: Callable[..., object], /, *at: Any, argnums: ArgNums = 0) -> Any: ...
def hvp(f: Callable[..., Any], *at: Any, argnums: ArgNums = 0) -> Any:
    """Return the product of the Hessian of ``f`` and a vector, without computing the Hessian.

        (x, v) ↦ H(x) v

    ``hvp(f)`` is that function, ``hvp(f, x, v)`` its result. It is the tangent of the gradient,
    forward over reverse, or for small plain arrays outside of other transforms reverse over
    reverse: a few times the cost of a gradient, however many numbers there are.

    Parameters
    ----------
    f
        A function that returns one number, of shape ().
    *at
        The arguments of ``f``, and after them the vector: x, v or a, b, v. Without any the function
        is returned, which takes the same ones. v is like the argument that ``argnums`` names; for a
        tuple of positions it is a tuple.
    argnums
        The position of the argument to differentiate by, or a tuple of positions.

    Returns
    -------
    like the vector
        H(x) v, or the function that computes it.

    Raises
    ------
    SizeError
        If v has another structure or shape than the argument, or ``f`` returns more than one
        number.
    NotANumberError
        If the result is no floating-point number, or an argument is an array of integers.
    OptionError
        If the vector is missing, ``argnums`` names no argument, or ``f`` is no function.

    See Also
    --------
    vhp, hessian

    References
    ----------
    Pearlmutter, Fast exact multiplication by the Hessian (1994).

    Examples
    --------
    >>> from gradwalk import hvp
    >>> hvp(lambda x: x[0] ** 2 * x[1], [2.0, 3.0], [1.0, 0.0])
    [6.0, 4.0]
    """
    slope = gradient_of(f, argnums, False, "hvp")

    @wraps(f)
    def product(*args: Any, **options: Any) -> Any:
        inputs, v = _with_vector(f, args, options, argnums, "hvp")
        if _of_plain_arrays(inputs.primals, v):  # there the engine of Tensors is quicker
            return _product_at_bottom(inputs, v, "hvp")
        inputs = inputs_of(slope, args[:-1], options, argnums, "hvp")
        # v as a tangent of the argument gives H v, as the tangent of the gradient
        level, result = jvp_run(inputs.call, inputs.primals, v, "hvp")
        tangents = [level.tangent(g) for g in flatten(result)[0]]
        return inputs.build(tangents)

    return product(*at) if at else product


@overload
def vhp(f: Lambda, /, *, argnums: Literal[0] = 0) -> LikeFirst: ...
@overload
def vhp(f: Lambda, x: X, /, *at: Any, argnums: Literal[0] = 0) -> X: ...
@overload
def vhp(f: Lambda, /, *at: Any, argnums: ArgNums = 0) -> Any: ...
@overload
def vhp(f: Callable[[X], object], /, *, argnums: Literal[0] = 0) -> Callable[[X, X], X]: ...
@overload
def vhp(f: Callable[[X], object], x: X, v: X, /, *, argnums: Literal[0] = 0) -> X: ...
@overload
def vhp(f: Callable[[X, Y], object], /, *, argnums: Literal[0] = 0) -> Callable[[X, Y, X], X]: ...
@overload
def vhp(f: Callable[[X, Y], object], x: X, y: Y, v: X, /, *, argnums: Literal[0] = 0) -> X: ...
@overload
def vhp(f: Callable[..., object], /, *at: Any, argnums: ArgNums = 0) -> Any: ...
def vhp(f: Callable[..., Any], *at: Any, argnums: ArgNums = 0) -> Any:
    """Return the product of a vector and the Hessian of ``f``, by reverse over reverse.

        (x, v) ↦ vᵀ H(x)

    The result is that of `hvp`, because the Hessian is symmetric. For numbers, and inside other
    transforms, `hvp` is cheaper.

    Parameters
    ----------
    f
        A function that returns one number, of shape ().
    *at
        The arguments of ``f``, and after them the vector, as `hvp` takes them. Without any the
        function is returned.
    argnums
        The position of the argument to differentiate by, or a tuple of positions.

    Returns
    -------
    like the vector
        vᵀ H(x), or the function that computes it.

    Raises
    ------
    SizeError
        If v has another structure or shape than the argument, or ``f`` returns more than one
        number.
    NotANumberError
        If the result is no floating-point number, or an argument is an array of integers.
    OptionError
        If the vector is missing, ``argnums`` names no argument, or ``f`` is no function.

    See Also
    --------
    hvp

    Examples
    --------
    >>> from gradwalk import vhp
    >>> vhp(lambda x: x[0] ** 2 * x[1], [2.0, 3.0], [1.0, 0.0])
    [6.0, 4.0]
    """
    slope = gradient_of(f, argnums, False, "vhp")

    @wraps(f)
    def product(*args: Any, **options: Any) -> Any:
        inputs, v = _with_vector(f, args, options, argnums, "vhp")
        if _of_plain_arrays(inputs.primals, v):
            return _product_at_bottom(inputs, v, "vhp")
        inputs = inputs_of(slope, args[:-1], options, argnums, "vhp")
        record = Record(inputs.call, inputs.primals, "vhp")
        # v as a cotangent of the gradient gives vᵀ H
        gradients = record.vjp(flatten(record.result)[0], v)
        return inputs.build(gradients)

    return product(*at) if at else product


@overload
def gradient_and_hessian_diagonal(f: Lambda, /, *, argnums: ArgNums = 0) -> Untyped: ...
@overload
def gradient_and_hessian_diagonal(
    f: Lambda, x: X, /, *at: Any, argnums: Literal[0] = 0
) -> tuple[X, X]: ...
@overload
def gradient_and_hessian_diagonal(
    f: Callable[Concatenate[X, P], object], /, *, argnums: Literal[0] = 0
) -> Transformed[Concatenate[X, P], tuple[X, X]]: ...
@overload
def gradient_and_hessian_diagonal(
    f: Callable[[X, Unpack[Ts]], object], x: X, /, *at: *Ts, argnums: Literal[0] = 0
) -> tuple[X, X]: ...
@overload
def gradient_and_hessian_diagonal(
    f: Callable[..., object], /, *at: Any, argnums: ArgNums = 0
) -> Any: ...
def gradient_and_hessian_diagonal(f: Callable[..., Any], *at: Any, argnums: ArgNums = 0) -> Any:  # type: ignore[misc]
    """Return the gradient of ``f``, and the diagonal of its Hessian.

        x ↦ (∂f/∂x, ∂²f/∂x[i]²)

    The gradient is recorded once, with one forward pass for each coordinate. Of every row only its
    own number is kept.

    Parameters
    ----------
    f
        A function that returns one number, of shape ().
    *at
        The arguments of ``f``; without any the function of them is returned.
    argnums
        The position of the argument to differentiate by, or a tuple of positions.

    Returns
    -------
    (gradient, diagonal)
        Both have the structure and shapes of the argument that ``argnums`` names.

    Raises
    ------
    SizeError
        If the result is an array with axes or a container.
    NotANumberError
        If the result is no floating-point number, or an argument is an array of integers.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.

    See Also
    --------
    laplacian, hessian

    Examples
    --------
    >>> from gradwalk import gradient_and_hessian_diagonal
    >>> gradient_and_hessian_diagonal(lambda x: x[0] ** 3 * x[1], [2.0, 5.0])
    ([60.0, 8.0], [60.0, 0.0])
    """
    slope = gradient_of(f, argnums, False, "gradient_and_hessian_diagonal")

    @wraps(f)
    def both(*args: Any, **options: Any) -> Any:
        here = derivative_of(slope, args, options, argnums, "gradient_and_hessian_diagonal")
        build = here.inputs.build
        return build(here.record.level.primals(here.ys)), build(here.diagonal())

    return both(*at) if at else both


@overload
def laplacian(f: Lambda, /, *, argnums: ArgNums = 0) -> Untyped: ...
@overload
def laplacian(f: Lambda, /, *at: Any, argnums: ArgNums = 0) -> Any: ...
@overload
def laplacian(f: Callable[P, R], /, *, argnums: ArgNums = 0) -> Transformed[P, R]: ...
@overload
def laplacian(f: Callable[[Unpack[Ts]], R], /, *at: *Ts, argnums: ArgNums = 0) -> R: ...
def laplacian(f: Callable[..., Any], *at: Any, argnums: ArgNums = 0) -> Any:  # type: ignore[misc]
    """Return the Laplacian of ``f``, a function of one result: the trace of its Hessian.

        x ↦ Σᵢ ∂²f / ∂x[i]²

    Parameters
    ----------
    f
        A function that returns one number, of shape ().
    *at
        The arguments of ``f``: ``laplacian(f, x)`` is the number. Without any the function of them
        is returned.
    argnums
        The position of the argument to differentiate by, or a tuple of positions, over all of which
        the sum goes.

    Returns
    -------
    ()
        The sum of the second derivatives, or the function that computes it.

    Raises
    ------
    SizeError
        If the result is an array with axes or a container.
    NotANumberError
        If the result is no floating-point number, or an argument is an array of integers.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.

    See Also
    --------
    gradient_and_hessian_diagonal, divergence

    Examples
    --------
    >>> from gradwalk import laplacian
    >>> laplacian(lambda x: x[0] ** 2 + 3.0 * x[1] ** 2, [1.0, 2.0])
    8.0
    """
    slope = gradient_of(f, argnums, False, "laplacian")

    @wraps(f)
    def trace(*args: Any, **options: Any) -> Any:
        here = derivative_of(slope, args, options, argnums, "laplacian")
        return to_caller([here.trace()], here.inputs.leaves)[0]

    return trace(*at) if at else trace


def _with_vector(
    slope: Callable[..., Any],
    args: Sequence[Any],
    options: dict[str, Any],
    argnums: ArgNums,
    where: str,
) -> tuple[Inputs, list[Any]]:
    """Return the arguments, and the leaves of the vector, which comes last."""
    if len(args) < 2:
        raise OptionError(
            where=f"{where}(f)(x, v)",
            expected="the arguments of f, and after them a vector like the one to differentiate by",
            got=f"{len(args)} positional arguments",
            fix=f"Write {where}(f)(x, v), or {where}(f)(a, b, v) for a function of two.",
        )
    inputs = inputs_of(slope, args[:-1], options, argnums, where)
    v = args[-1]
    if isinstance(v, list) and not inputs.single:
        v = tuple(v)  # for several arguments a list is as good as a tuple
    where = f"{where}: the vector"
    return inputs, cotangents_like(v, inputs.primals, inputs.structure, where)


def _of_plain_arrays(primals: Sequence[Any], v: Sequence[Any]) -> bool:
    # inside other transforms tracers are needed, and numbers are faster forward over reverse
    if running.depth or not any(map(is_tensor, primals)):
        return False
    return all(map(is_plain, primals)) and all(map(is_plain, v))


def _product_at_bottom(inputs: Inputs, v: Sequence[Any], where: str) -> Any:
    """Return the product by graphs of Tensors, of the function and of its gradient."""

    def split(result: object) -> tuple[list[Any], PyTree]:
        expect_scalar(result, where)
        return [result], LEAF

    def backward(root: object, nodes: Sequence[Any], shared: bool) -> tuple[Any, list[Any]]:
        return tensor_graphs().hessian_product(root, nodes, shared, v)  # type: ignore[no-any-return]

    return inputs.build(gradients_at_bottom(inputs, split, backward)[2])
