"""Methods under PyTorch's names, where NumPy has no method of that name.

Each calls the function of the array API that does the same. Methods that end in ``_`` write.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, cleandoc, signature
from typing import Any

import numpy as np

from ...core.expect import describe
from ...engine.operators import section
from ...errors import OptionError
from ...ops import TABLE
from ..functions import constants, dtypes, indexing, random, reductions, shapes
from ..functions.diagonals import tril, triu
from ..functions.dims import with_dim
from ..functions.elementwise import isfinite, isinf, isnan, logical_not
from ..functions.exchange import device_and_dtype, to_device
from ..functions.products import outer
from ..functions.repeating import repeat, roll
from ..functions.types import ArrayLike
from ..graph.convert import as_operand
from ..graph.tensor import Tensor
from ..graph.types import DTypeLike, Seed, Shape
from . import reshaping
from .reshaping import listed

__all__ = ["HOOKS", "OURS"]


_WRITTEN = {
    "clamp_": ("1.0, 2.0", "[1.0, 2.0]"),
    "copy_": ("Tensor([5.0, 6.0])", "[5.0, 6.0]"),
    "fill_": ("0.5", "[0.5, 0.5]"),
    "masked_fill_": ("Tensor([True, False]), 0.0", "[0.0, 4.0]"),
    "scatter_": ("0, [1], Tensor([9.0])", "[1.0, 9.0]"),
    "scatter_add_": ("0, [1], Tensor([9.0])", "[1.0, 13.0]"),
    "zero_": ("", "[0.0, 0.0]"),
}
_HEADS = {
    "copy_": "Write the elements of another array into the Tensor.",
    "fill_": "Write a number into every element.",
    "zero_": "Write 0 into every element.",
}
_NUMBER = {"mul": "[2.0, 8.0]", "div": "[0.5, 2.0]"}
_NUMBER |= {"eq": "[False, False]", "ne": "[True, True]", "lt": "[True, False]"}
_NUMBER |= {"le": "[True, False]", "gt": "[False, True]", "ge": "[False, True]"}
_PRODUCT = {
    "mm": ("[[1.0, 2.0]]", "[[3.0], [4.0]]", "[[11.0]]"),
    "bmm": ("[[[1.0, 2.0]]]", "[[[3.0], [4.0]]]", "[[[11.0]]]"),
    "mv": ("[[1.0, 2.0]]", "[3.0, 4.0]", "[11.0]"),
}


def in_place(name: str) -> str:
    """Return the example of a method that writes into its Tensor."""
    if name in _WRITTEN:
        args, result = _WRITTEN[name]
        return f">>> Tensor([1.0, 4.0]).{name}({args}).tolist()\n{result}"
    args = "2.0" if name in ("add_", "sub_", "mul_", "div_", "pow_") else ""
    lines = (
        "x = Tensor([1.0, 4.0])",
        f"y = x.{name[:-1]}({args})",
        f"x.{name}({args}) is x, bool((x == y).all())",
    )
    return "".join(f">>> {line}\n" for line in lines) + "(True, True)"


def operated(name: str) -> str:
    """Return the example of a method that is an operator."""
    if name in _PRODUCT:
        a, b, result = _PRODUCT[name]
        return f">>> Tensor({a}).{name}(Tensor({b})).tolist()\n{result}"
    return f">>> Tensor([1.0, 4.0]).{name}(2.0).tolist()\n{_NUMBER[name]}"


Method = Callable[..., Any]
where = TABLE["where"]

ITSELF = "the shape of the Tensor\n    The Tensor itself."
UNFIT = "SizeError\n    If the shapes do not broadcast together."
UNWRITABLE = """\
InPlaceError
    If the Tensor is a leaf that requires a gradient, outside `no_grad`.
NotANumberError
    If the dtype of the Tensor cannot hold the result."""


def _composed(summary: str, **sections: str) -> str:
    """Return a docstring of a summary and of the sections that are not empty."""
    return "\n\n".join([summary, *(section(name, text) for name, text in sections.items() if text)])


def _entries(function: Method, title: str) -> str:
    """Return the entries of a section in the docstring of a function."""
    head = f"{title}\n{'-' * len(title)}\n"
    return cleandoc(function.__doc__ or "").partition(head)[2].partition("\n\n")[0]


# --- elements -------------------------------------------------------------------------------------


def masked_fill(self: Tensor, mask: ArrayLike, value: ArrayLike) -> Any:
    """Return a copy with one value where a mask is true.

    Parameters
    ----------
    mask : any shape that broadcasts with the Tensor
        Bools.
    value : any shape that broadcasts to the result
        The number, or numbers, to put there. Gradients flow to it.

    Returns
    -------
    the shape that the Tensor and the mask broadcast to
        The new Tensor.

    Raises
    ------
    OptionError
        If ``mask`` is not made of bools.
    SizeError
        If the shapes do not broadcast together.

    See Also
    --------
    gradwalk.where

    Examples
    --------
    >>> x = Tensor([1.0, -2.0])
    >>> x.masked_fill(x < 0.0, 0.0).tolist()
    [1.0, 0.0]
    """
    return where(_mask(mask), value, self)


def masked_select(self: Tensor, mask: ArrayLike) -> Tensor:
    """Return the elements where a mask is true.

    Parameters
    ----------
    mask : any shape that broadcasts with the Tensor
        Bools.

    Returns
    -------
    (count,)
        The elements, row by row.

    Raises
    ------
    OptionError
        If ``mask`` is not made of bools.
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> x = Tensor([1.0, -2.0])
    >>> x.masked_select(x < 0.0).tolist()
    [-2.0]
    """
    x, chosen = shapes.broadcast_arrays(self, mask)
    return x[_mask(chosen)]


def _mask(mask: object) -> Any:
    if isinstance(mask, bool) or getattr(mask, "dtype", None) == np.dtype(bool):
        return mask
    raise OptionError(
        where="t.masked_fill(mask, value)",
        expected="a mask of bools",
        got=describe(mask),
        fix="Write t.masked_fill(mask == 0, value).",
    )


def clamp(self: Tensor, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Tensor:
    """Limit the elements to a range, as `clip` does.

    Parameters
    ----------
    min, max : any shape
        The bounds; ``None`` is no bound.

    Returns
    -------
    the shape that the Tensor and the bounds broadcast to
        The limited elements.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> Tensor([-2.0, 0.5, 3.0]).clamp(-1.0, 1.0).tolist()
    [-1.0, 0.5, 1.0]
    """
    return self.clip(min, max)


def add(self: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """Return the sum with a multiple of another array.

        y = t + alpha · other

    Parameters
    ----------
    other : any shape that broadcasts with the Tensor
        The other term.
    alpha
        The factor of ``other``.

    Returns
    -------
    the shape that both broadcast to
        The sum.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> Tensor([1.0, 2.0]).add(Tensor([1.0, 1.0]), alpha=10.0).tolist()
    [11.0, 12.0]
    """
    return self + (other if type(alpha) is int and alpha == 1 else other * alpha)


def sub(self: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """Return the difference with a multiple of another array.

        y = t - alpha · other

    Parameters
    ----------
    other : any shape that broadcasts with the Tensor
        The term to subtract.
    alpha
        The factor of ``other``.

    Returns
    -------
    the shape that both broadcast to
        The difference.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> Tensor([1.0, 2.0]).sub(Tensor([1.0, 1.0]), alpha=10.0).tolist()
    [-9.0, -8.0]
    """
    return self - (other if type(alpha) is int and alpha == 1 else other * alpha)


def index_select(self: Tensor, dim: int, index: ArrayLike) -> Tensor:
    """Return the parts at some indices along an axis, as `take` does.

    Parameters
    ----------
    dim
        The axis along which the indices count.
    index : (k,)
        Integers; negative ones count from the back.

    Returns
    -------
    the shape of the Tensor, with length k along dim
        The parts.

    Raises
    ------
    SizeError
        If there is no such axis.
    KeyRangeError
        If an index is out of bounds, or is not an integer.

    Examples
    --------
    >>> Tensor([1.0, 2.0, 3.0]).index_select(0, [2, 0]).tolist()
    [3.0, 1.0]
    """
    return indexing.take(self, index, dim)


def to(self: Tensor, *args: object, **named: object) -> Tensor:
    """Return the Tensor in another dtype, on another device, or both.

    Parameters
    ----------
    *args
        A device (see `to_device`), a dtype, or an array that stands for its dtype, in any order.
    **named
        ``device``, ``dtype`` or ``other`` (an array). PyTorch's ``copy`` and ``non_blocking`` are
        accepted, and not used.

    Returns
    -------
    the shape of the Tensor
        The Tensor itself if nothing changes, else another one through which gradients flow back.

    Raises
    ------
    OptionError
        If there is no such dtype, device or library.
    MissingExtraError
        If the library is not installed.

    Examples
    --------
    >>> Tensor([1.0]).to("cpu", "float32").dtype
    dtype('float32')
    """
    device, kind = device_and_dtype("t.to", args, named)
    y = to_device(self, device)
    return y if kind is None else dtypes.astype(y, kind, copy=False)


def _cast(kind: DTypeLike, name: str) -> Method:
    def cast(self: Tensor) -> Tensor:
        return dtypes.astype(self, kind, copy=False)

    flows = "Gradients flow" if np.dtype(kind).kind == "f" else "No gradient flows"
    cast.__doc__ = _composed(
        f"Return the elements as {np.dtype(kind)}.\n\n{flows} through the conversion.",
        Returns="the shape of the Tensor\n    The Tensor itself if it has this dtype already.",
        Examples=f">>> Tensor([1.0]).{name}().dtype\n{np.dtype(kind)!r}",
    )
    cast.__name__ = name
    return cast


UNMAKABLE = """\
OptionError
    If a length is not a non-negative integer, or ``dtype`` is not a dtype of Tensors."""
NEW = """\
*size
    The lengths of the axes, one by one or as a tuple.
dtype
    The dtype of the result; ``None`` is that of this Tensor.
requires_grad
    Whether the result is a leaf that collects gradients."""


def _new(make: Method, name: str) -> Method:
    def new(
        self: Tensor, *size: Shape, dtype: DTypeLike | None = None, requires_grad: bool = False
    ) -> Any:
        kind = self.dtype if dtype is None else dtype
        return make(listed(size), dtype=kind, requires_grad=requires_grad)

    new.__doc__ = _composed(
        f"Return `{make.__name__}` of a shape, in this Tensor's dtype.",
        Parameters=NEW,
        Returns="the given shape\n    A new Tensor.",
        Raises=UNMAKABLE,
        Examples=f">>> Tensor([1.0]).{name}(2, 3).shape\n(2, 3)",
    )
    new.__name__ = name
    return new


# --- gradients ------------------------------------------------------------------------------------


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Set whether the Tensor is a leaf that collects gradients.

    Parameters
    ----------
    requires_grad
        The new value of the attribute.

    Returns
    -------
    the shape of the Tensor
        The Tensor itself.

    Raises
    ------
    OptionError
        If ``requires_grad`` is not a bool, or is true and the dtype is not a floating one.

    Examples
    --------
    >>> Tensor([1.0]).requires_grad_().requires_grad
    True
    """
    self.requires_grad = requires_grad
    return self


def retain_grad(self: Tensor) -> None:
    """Do nothing: results store the gradient of the last pass while something refers to them."""


def is_leaf(self: Tensor) -> bool:
    """Whether the Tensor is not the result of a recorded operation."""
    return not self._is_traced() and (self._node is None or self._node._primitive is None)


# --- in place -------------------------------------------------------------------------------------


def _written(name: str, compute: Method) -> Method:
    def write(self: Tensor, *args: Any, **options: Any) -> Tensor:
        self[...] = compute(self, *args, **options)
        return self

    write.__name__ = name
    write.__doc__ = _composed(
        _HEADS.get(name, f"Write the result of ``{name[:-1]}`` into the Tensor."),
        Parameters=_entries(compute, "Parameters"),
        Returns=ITSELF,
        Raises=f"{_entries(compute, 'Raises')}\n{UNWRITABLE}".lstrip(),
        Examples=in_place(name),
    )
    given = signature(compute)
    _, *options = given.parameters.values()
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor")
    if options and options[0].kind is Parameter.POSITIONAL_ONLY:
        own = own.replace(kind=Parameter.POSITIONAL_ONLY)
    shown = Signature([own, *options], return_annotation="Tensor")
    write.__signature__ = shown  # type: ignore[attr-defined]
    return write


def _called(name: str) -> Method:
    """Return the method of this name, as it is when it is called."""

    def unary(self: Tensor) -> Any:
        return getattr(self, name)()

    def binary(self: Tensor, other: ArrayLike) -> Any:
        return getattr(self, name)(other)

    binary.__doc__ = _composed(
        "Apply the method.",
        Parameters="other : any shape that broadcasts to the Tensor\n    The other operand.",
        Raises=UNFIT,
    )
    return binary if name in ("mul", "div", "pow") else unary


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, seed: Seed = None) -> Tensor:
    """Draw every element from a normal distribution, as `gradwalk.random.normal` does.

    Parameters
    ----------
    mean
        The mean.
    std
        The standard deviation, >= 0.
    seed
        An integer (equal ones give equal bits), a generator, or ``None`` for new draws each time.

    Returns
    -------
    the shape of the Tensor
        The Tensor itself.

    Raises
    ------
    OptionError
        If ``std`` is negative, ``seed`` is not a seed, or the dtype is not a floating one.
    InPlaceError
        If the Tensor is a leaf that requires a gradient, outside `no_grad`.

    Examples
    --------
    >>> Tensor([0.0, 0.0]).normal_(seed=0).shape
    (2,)
    """
    self[...] = random.normal(self.shape, mean, std, seed=seed, dtype=self.dtype)
    return self


def uniform_(self: Tensor, low: float = 0.0, high: float = 1.0, *, seed: Seed = None) -> Tensor:
    """Draw every element between two bounds, as `gradwalk.random.uniform` does.

    Parameters
    ----------
    low
        The lower bound, included.
    high
        The upper bound, >= ``low``, not included.
    seed
        An integer (equal ones give equal bits), a generator, or ``None`` for new draws each time.

    Returns
    -------
    the shape of the Tensor
        The Tensor itself.

    Raises
    ------
    OptionError
        If low > high, ``seed`` is not a seed, or the dtype is not a floating one.
    InPlaceError
        If the Tensor is a leaf that requires a gradient, outside `no_grad`.

    Examples
    --------
    >>> bool((Tensor([5.0, 5.0]).uniform_(seed=0) < 1.0).all())
    True
    """
    self[...] = random.uniform(self.shape, low, high, seed=seed, dtype=self.dtype)
    return self


def fill(self: Tensor, value: ArrayLike) -> ArrayLike:
    """Return the value for every element, for ``fill_``.

    Parameters
    ----------
    value : any shape that broadcasts to the Tensor
        The number, or numbers.

    Raises
    ------
    SizeError
        If ``value`` does not broadcast to the Tensor.
    """
    return value


def _zeros(self: Tensor) -> float:
    """Return 0, for ``zero_``."""
    return 0.0 if self.dtype.kind == "f" else 0


def _operator(name: str, symbol: str) -> Method:
    def operate(self: Tensor, other: ArrayLike) -> Any:
        result = getattr(self, symbol)(other)
        if result is not NotImplemented:
            return result
        as_operand(other, name)  # raises for what is no number and no array
        return getattr(np.asarray(self), symbol)(other)

    operate.__name__ = name
    product = name in _PRODUCT
    other = "(..., k, m) or (k,)" if product else "any shape that broadcasts with the Tensor"
    operate.__doc__ = _composed(
        f"Return what the operator ``{symbol}`` returns.",
        Parameters=f"other : {other}\n    The right operand.",
        Returns="(..., n, m) or (...)\n    The product, as of `matmul`."
        if product
        else "the shape that both broadcast to\n    The result.",
        Raises="SizeError\n    If the shapes do not fit." if product else UNFIT,
        Examples=operated(name),
    )
    return operate


_METHODS: tuple[Method, ...] = (
    *(getattr(reshaping, name) for name in reshaping.__all__ if name != "listed"),
    *(masked_fill, masked_select, clamp, add, sub, index_select, to, requires_grad_, retain_grad),
    *(isfinite, isinf, isnan, logical_not, tril, triu, outer, roll),
)
UNARY: tuple[str, ...] = ("abs", "ceil", "cos", "erf", "exp", "floor", "log", "neg", "pow")
UNARY += ("reciprocal", "relu")
UNARY += ("round", "sigmoid", "sin", "sqrt", "square", "tanh", "trunc")
_OPERATORS = {"mul": "__mul__", "div": "__truediv__", "eq": "__eq__", "ne": "__ne__"}
_OPERATORS |= {"lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__"}
_OPERATORS |= dict.fromkeys(("mm", "bmm", "mv"), "__matmul__")
_CASTS: dict[str, Any] = {
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
    "long": np.int64,
}
_CASTS |= {"int": np.int32, "bool": np.bool_}
_OTHERS: dict[str, Any] = {"repeat_interleave": repeat, "swapdims": shapes.swapaxes}
_OTHERS |= {"amax": reductions.max, "amin": reductions.min, "movedim": shapes.moveaxis}
_OTHERS |= {
    "ndimension": reshaping.dim,
    "nelement": reshaping.numel,
    "reshape_as": reshaping.view_as,
    "clamp_": clamp,
}
_OTHERS |= {"add_": add, "sub_": sub, "fill_": fill, "copy_": fill, "zero_": _zeros}
_OTHERS |= {"cpu": reshaping.contiguous}
_OTHERS |= {"masked_fill_": masked_fill, "scatter_": indexing.scatter}
_OTHERS |= {"scatter_add_": indexing.scatter_add}

HOOKS: dict[str, Any] = {
    **{method.__name__: with_dim(method) for method in _METHODS},
    **{name: _operator(name, symbol) for name, symbol in _OPERATORS.items()},
    **{name: _cast(kind, name) for name, kind in _CASTS.items()},
    **{
        f"new_{f.__name__}": _new(f, f"new_{f.__name__}") for f in (constants.zeros, constants.ones)
    },
    **{
        name: _written(name, with_dim(method)) if name.endswith("_") else with_dim(method, name)
        for name, method in _OTHERS.items()
    },
    **{f"{name}_": _written(f"{name}_", _called(name)) for name in ("mul", "div", *UNARY)},
    "normal_": normal_,
    "uniform_": uniform_,
    "is_leaf": property(is_leaf),
}
"""What is attached to `Tensor`."""

OURS = {
    "addmm": "t + a @ b",
    "cuda": 't.to("cuda"), which needs PyTorch',
    "grad_fn": "t.op",
    "index_add_": "t.scatter_add(axis, indices, values)",
    "is_cuda": "t.device",
    "median": "gradwalk.median(t)",
    "quantile": "gradwalk.quantile(t, q)",
    "register_hook": "gradwalk.custom_vjp, a rule of your own",
    "rsqrt": "t ** -0.5",
    "sort": "gradwalk.sort(t), and t.argsort() for the indices",
    "type": "t.dtype, and t.astype(dtype)",
    "type_as": "t.astype(other.dtype)",
    "unique": "gradwalk.unique(t)",
    "var_mean": "t.var(axis) and t.mean(axis)",
    "where": "gradwalk.where(condition, t, other)",
}
"""Methods of PyTorch's Tensors, and what has this meaning here."""


def no_attribute(self: Tensor, name: str) -> Any:
    """Raise the error for a name that a Tensor has not, with the name that is meant."""
    use = f": use {OURS[name]}" if name in OURS else ""
    raise AttributeError(f"'Tensor' object has no attribute {name!r}{use}", name=name, obj=self)


HOOKS["__getattr__"] = no_attribute
