"""`Tensor`: an array that records how it was computed."""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

import numpy as np

from ...causes.in_place_errors import forbid_view
from ...core.carrier import is_tensor
from ...core.expect import describe, expect_text
from ...core.primitive import Primitive
from ...engine.observing import INTERCEPTORS, notify, observers
from ...errors import OptionError
from ...levels.level import Tracer
from ...levels.programs import clears, flags, labels, lifted, made, program_for, reads
from ...libraries import LibraryArray
from ...ops.array.structure import astype, reshape
from .backward import backward, gradients, tensors_of
from .convert import array_like, as_array, like_shape, to_array
from .copying import Copying, copies_traced
from .fast import applier, quick
from .gradient import Gradient
from .interface import TensorMethods
from .node import Node, part_of
from .properties import Facts, check_flag
from .types import Array, Data, DTypeLike
from .write_guard import is_owned, writable_view

__all__ = ["Tensor"]


_ndarray = np.ndarray
_new: Any = object.__new__


class Tensor(Facts, Copying, TensorMethods):
    """An array that remembers how it was computed.

    Operators and functions act on each element, shapes are broadcast as in NumPy, and comparisons
    give Tensors of bools. Assignment is differentiable, and views are NumPy's. `backward` adds to
    ``grad``, an array of the same shape, ``None`` at first.

    Parameters
    ----------
    data : any shape
        A number, nested lists, or an array of floats, integers or bools, which is copied.
    dtype
        The dtype of the elements; ``None`` lets NumPy choose: float64 for floats, int64 for
        integers.
    requires_grad
        Whether the Tensor is a leaf that collects gradients, which needs a floating dtype.
    label
        The name of the Tensor in messages and pictures of graphs.

    Raises
    ------
    NotANumberError
        If ``data`` holds something that is not a real number, or lists of different lengths.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have, or ``requires_grad`` is not a
        bool, or is true for another dtype than a floating one.
    UsageError
        If ``label`` is not a str.

    See Also
    --------
    gradwalk.array, gradwalk.asarray

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> w, x = Tensor([[1.0, -2.0]], requires_grad=True, label="w"), Tensor([3.0, 4.0])
    >>> y = w @ x
    >>> y.backward()
    >>> y, w.grad
    (Tensor([-5.], requires_grad=True), array([[3., 4.]]))
    """

    __slots__ = ("__weakref__", "_alias", "_data", "_label", "_node")
    _rank = 1
    _is_tensor: ClassVar[bool] = True
    __array_priority__ = 1000
    _placed: ClassVar[Any]  # the class of Tensors of other libraries, which sets this

    def __init__(
        self,
        data: Data,
        dtype: DTypeLike | None = None,
        requires_grad: bool = False,
        label: str = "",
    ) -> None:
        if is_tensor(data) and copies_traced(self, data, dtype):
            return
        self._data: Any = to_array(data, dtype)
        if type(self._data) is not _ndarray:
            self.__class__ = self._placed
        self._node: Node | None = None
        self._alias: Any = None  # see `views`
        self.label = label
        self.requires_grad = requires_grad
        made(self)

    @classmethod
    def _of(cls, data: Any, node: Node | None = None) -> Self:
        """Return the handle of an array without other references, and of its node."""
        if type(data) is _ndarray:
            tensor = _new(Tensor)  # __init__ would copy the array
            tensor._data = data
        else:
            tensor = _new(Tensor._placed if type(data) is LibraryArray else Tensor)
            tensor._data = as_array(data)
        tensor._node = node
        tensor._alias = None
        if INTERCEPTORS:
            made(tensor)
        return tensor  # type: ignore[no-any-return]

    @classmethod
    def _multi_output(cls, results: tuple[Any, ...], node: Node | None) -> tuple[Self, ...]:
        """Return the handles of an operation with several results."""
        nodes = [None if node is None else part_of(node, i, y) for i, y in enumerate(results)]
        return tuple(map(cls._of, results, nodes))

    @classmethod
    def _apply(
        cls,
        primitive: Primitive,
        args: tuple[Any, ...],
        options: dict[str, Any] = {},  # noqa: B006
    ) -> Any:
        """Apply a primitive, and record a node if gradients flow through an argument."""
        return quick(primitive, Tensor)(*args, **options)

    @staticmethod
    def _record(primitive: Primitive, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Apply a primitive to operands of any kind, in Python.

        A program that is being recorded comes first; then observers, who see what was computed
        with arrays of NumPy.
        """
        apply = applier(primitive, Tensor)
        if not INTERCEPTORS or any(isinstance(x, Tracer) for x in args):
            return apply(args, options, True)
        if (program := program_for(args)) is not None:
            return program.apply(primitive, args, options)
        if not observers or Tensor._placed in map(type, args):
            return apply(args, options, True)
        with np.errstate(all="ignore"):  # observers say themselves what is not finite
            result = apply(args, options, True)
        notify(primitive, args, result)
        return result

    # --- the array and its gradient ---------------------------------------------------------------

    @property
    def data(self) -> Array:
        """The array; what is assigned is copied, in the Tensor's dtype and shape.

        Writing into it is an `InPlaceError` as long as a graph needs the numbers (see `guard`).
        """
        program = program_for((self,)) if INTERCEPTORS else None
        if program is not None and program.has_backward:
            return program.array_of(self)  # type: ignore[no-any-return]
        reads(self)
        if type(self._data) is _ndarray and self._alias is None and is_owned(self):
            return self._data  # the usual case, in half of the time
        return writable_view(self)  # type: ignore[no-any-return]

    @data.setter
    def data(self, array: Data) -> None:
        program = program_for((self,)) if INTERCEPTORS else None
        if program is not None:
            program.assign(self, as_like(lifted(array), self._data, "Tensor.data"))
            return
        if array is self._data:  # t.data -= step has written into it already
            return
        forbid_view(self)
        self._data = array_like(array, self._data, "Tensor.data")
        self._expire_views()

    @property
    def grad(self) -> Gradient | Any:  # ``Any`` for None, so that ``w.data -= w.grad`` has a type
        """The gradient as an array, after `backward`; ``None`` before."""
        if self._node is None:
            return None
        program = program_for((self,)) if INTERCEPTORS else None
        gradient = self._node.grad if program is None else program.updates.gradient_of(self)
        if gradient is None or type(gradient) is Gradient:  # no call: 0.1 µs less
            return gradient
        if isinstance(gradient, Tracer):
            return gradient
        return Gradient.of(self._node)

    @grad.setter
    def grad(self, array: Data | None) -> None:
        if self._node is None:
            raise OptionError(
                where="Tensor.grad",
                expected="a Tensor with requires_grad=True",
                got=describe(self),
                fix="Set requires_grad first.",
            )
        clears(self)
        array = lifted(array) if INTERCEPTORS else array
        if isinstance(array, Tracer) and array._level.records_program:
            self._node.grad = as_like(array, self._data, "Tensor.grad")
            return
        self._node.grad = None if array is None else array_like(array, self._data, "Tensor.grad")

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to or through this Tensor; may be set on leaves."""
        return self._node is not None

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        check_flag(self, flag)
        if flag == (self._node is not None):  # a new node would lose `grad`
            return
        if INTERCEPTORS:
            flags(self)
        if type(self._alias) is tuple:  # a leaf has its own memory
            self._data, self._alias = self._data.copy(), None
        label = self.label
        self._node = Node(None, (), self._data.shape, self._data.dtype) if flag else None
        if flag and type(self._data) is LibraryArray:
            self._node.place = self._data.place  # type: ignore[union-attr]
        self.label = label

    @property
    def label(self) -> str:
        """The name in pictures and messages."""
        return self._node.label if self._node is not None else getattr(self, "_label", "")

    @label.setter
    def label(self, text: str) -> None:
        expect_text(text, "Tensor.label")
        if INTERCEPTORS:
            labels(self, text)
        if self._node is not None:
            self._node.label = text
        else:
            self._label = text

    @property
    def op(self) -> str:
        """Name of the primitive that computed this Tensor; ``""`` for a leaf."""
        return "" if self._node is None else self._node.op

    def detach(self) -> Self:
        """Return a copy as a leaf through which no gradient flows."""
        if isinstance(traced := lifted(self), Tracer):  # by a program that closes over it
            return cast("Any", traced).detach()  # type: ignore[no-any-return]
        return type(self)._of(self._data.copy())

    def clone(self) -> Self:
        """Return a copy through which gradients flow back to this Tensor."""
        return reshape(self, shape=self.shape)

    __pos__ = clone  # another Tensor: writing into one must not be seen in the other

    def backward(self, gradient: Data | None = None, retain_graph: bool = False) -> None:
        """Add ∂(gradient · self)/∂leaf to ``grad`` of every leaf that requires it.

        Intermediate results store the gradient of the last pass in ``grad`` while there is a
        reference to them.

        Parameters
        ----------
        gradient : the shape of this Tensor
            The gradient to start from, the weights of the sum over all elements; ``None`` is 1 for
            a Tensor of one element.
        retain_graph
            Whether the graph is kept for a further pass, else it is freed on the way.

        Raises
        ------
        SizeError
            If ``gradient`` has another shape, or is ``None`` for more than one element.
        OptionError
            If this Tensor does not depend on one with ``requires_grad``, or ``retain_graph`` is not
            a bool.
        FreedGraphError
            If an earlier pass freed the graph.

        See Also
        --------
        gradwalk.gradients, gradwalk.grad

        Examples
        --------
        >>> from gradwalk import Tensor
        >>> x = Tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).backward([1.0, 10.0])
        >>> x.grad
        array([ 2., 40.])
        """
        backward(self, gradient, retain_graph)

    def _gradients(self, wrt: object, create_graph: bool, gradient: Any) -> Any:
        """Return the gradients that `gradwalk.gradients` asks for."""
        single = isinstance(wrt, Tensor)
        found = gradients(self, [wrt] if single else tensors_of(wrt), gradient, create_graph)
        return found[0] if single else tuple(found)

    __hash__ = object.__hash__  # by identity, although `==` compares elements


def as_like(x: Any, like: Any, where: str) -> Any:
    """Return an array, or a tracer of a program, in the dtype of the array ``like``."""
    if not isinstance(x, Tracer):
        return array_like(x, like, where)
    new = like_shape(x, like, where)
    return new if new.dtype == like.dtype else astype(new, dtype=like.dtype)


Gradient._tensor = Tensor
