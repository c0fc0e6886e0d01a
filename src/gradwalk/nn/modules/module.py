"""`Module`: anything that owns parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, Protocol, Self, TypeVar

from ...core.calls import below, checked_init, expect_function, explain_call
from ...core.carrier import Carrier, is_tensor
from ...core.expect import describe
from ...engine.value import Value
from ...errors import OptionError
from ...levels.level import Tracer
from ...levels.programs import assigns
from .parts import Owner, Parts, is_trained, members, traverse
from .state import StateDictReport, entries, load, recast, saved_form, untied

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["Module", "StateDictReport"]

_MEANT = {"cpu": 'model.to("cpu")', "cuda": 'model.to("cuda"), which needs PyTorch'}
_MEANT |= {"double": 'model.to("float64")', "float": 'model.to("float32")'}
_MEANT |= {"half": 'model.to("float16")', "fit": "gradwalk.fit(model, loss, optimizer, ...)"}
_MEANT |= {"compile": "gradwalk.fit, which takes the loss and the optimizer"}
_MEANT |= {"predict": "model(x)", "summary": "print(model)"}
"""Methods of PyTorch's and Keras's modules, and what has this meaning here."""


class _Absent:
    """A name that other libraries have: the error says what to use.

    With ``__getattr__`` instead, each attribute of each module took 18 ns more.
    """

    def __init__(self, name: str, use: str) -> None:
        self.name, self.use = name, use

    def __get__(self, module: object, owner: type) -> NoReturn:
        text = f"{owner.__name__!r} object has no attribute {self.name!r}: use {self.use}"
        raise AttributeError(text, name=self.name, obj=module)

    def __repr__(self) -> str:
        return f"not here: use {self.use}"


def tree(module: Any) -> str:
    """Return the repr of a module with its options, and below it the modules inside, indented.

    >>> from gradwalk.nn import Linear, ReLU, Sequential
    >>> Sequential(Linear(2, 3), ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """
    inside = [indent(f"({name}): {part!r}", "  ") for name, part in module.named_children()]
    options = module.extra_repr()
    if not inside:
        return f"{type(module).__name__}({options})"
    lines = [indent(options, "  ")] if options else []
    return "\n".join([f"{type(module).__name__}(", *lines, *inside, ")"])


Inputs = ParamSpec("Inputs")
Output_co = TypeVar("Output_co", covariant=True)


def _is_parameter(tensor: Any) -> bool:
    """Return whether a Tensor becomes a parameter; what a program computes is a result."""
    return is_trained(tensor) and not _is_of_program(tensor)


def _is_of_program(tensor: object) -> bool:
    return isinstance(tensor, Tracer) and tensor._level.records_program


class _HasForward(Protocol[Inputs, Output_co]):
    def forward(self, *args: Inputs.args, **named: Inputs.kwargs) -> Output_co:
        """Return the output of a module."""


class Module(Owner):
    """Base of everything with parameters.

    A subclass writes ``forward`` and assigns Values, Tensors and Modules to attributes.

    A parameter is a Value without operands, or a Tensor with ``requires_grad=True`` that is not the
    result of an operation. It is an attribute, a member of a list, tuple or dict in an attribute,
    or a parameter of a Module there. Its name is the path to it, such as
    ``layers.0.neurons.1.weights.2``. Parameters are in the order of definition; a parameter with
    two paths counts once, under the first. A Tensor that was assigned as a parameter stays one when
    it is frozen (``requires_grad = False``). Tensors that are saved but not trained are buffers
    (`register_buffer`).

    Raises
    ------
    NotImplementedError
        If a module without ``forward`` is called.
    OptionError
        If a parameter of Tensors is replaced by something other than a Tensor, a Value or
        ``None``.

    See Also
    --------
    Sequential, Parameter, gradwalk.optim.Optimizer

    Examples
    --------
    >>> class Line(Module):
    ...     def __init__(self):
    ...         self.slope, self.offset = Value(2.0), Value(1.0)
    ...     def forward(self, x):
    ...         return self.slope * x + self.offset
    >>> line = Line()
    >>> line(3.0).data, line.state_dict()
    (7.0, {'slope': 2.0, 'offset': 1.0})
    """

    training: bool = True
    """Whether the module trains (`train`) or is only used (`eval`)."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("gradwalk.") and "__init__" in vars(cls):
            setattr(cls, "__init__", checked_init(cls.__init__))  # noqa: B010  (mypy)

    # self is typed by its method forward: so model(x) has the types of the subclass
    def __call__(
        self: _HasForward[Inputs, Output_co], *args: Inputs.args, **named: Inputs.kwargs
    ) -> Output_co:
        """Return the result of ``forward``."""
        try:
            return self.forward(*args, **named)
        except Exception as error:
            where = f"calling {type(self).__name__}"
            explain_call(error, below(error), self.forward, where, "model", args, named)
            raise

    def forward(self, *args: Any, **named: Any) -> Any:
        """Return the output of the module. Subclasses implement it, and ``module(...)`` calls it.

        Parameters
        ----------
        *args, **named
            The arguments of the subclass.

        Raises
        ------
        NotImplementedError
            If the subclass has no ``forward``.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method forward(self, ...).")

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, Carrier) and is_tensor(value) and name not in self._buffer_names:
            if _is_parameter(value) != (name in self._parameter_names):
                self.__dict__["_parameter_names"] = self._parameter_names ^ {name}
        elif name in self._parameter_names and value is not None and not isinstance(value, Carrier):
            raise self._no_parameter(name, value)
        assigns(self, name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        assigns(self, name)
        object.__delattr__(self, name)

    def _no_parameter(self, name: str, value: object) -> OptionError:
        return OptionError(
            where=f"{type(self).__name__}.{name}",
            expected="a Tensor or a Value, because this is a parameter, or None",
            got=describe(value),
            fix=f"Write model.{name}.data = array to change its numbers.",
        )

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Make a Tensor an attribute that is saved with the module, but not trained.

        Parameters
        ----------
        name
            The name of the attribute.
        tensor : any shape
            The buffer, without a gradient; ``None`` reserves the name. A view is copied.
        persistent
            Whether `state_dict` has the buffer; `to` converts it in any case.

        Raises
        ------
        OptionError
            If ``tensor`` is no Tensor, or requires a gradient.
        """
        held: Any = tensor
        free = is_tensor(held) and (not held.requires_grad or _is_of_program(held))
        if tensor is not None and not free:
            raise OptionError(
                where=f"{type(self).__name__}.register_buffer({name!r})",
                expected="a Tensor that requires no gradient, or None",
                got=describe(tensor),
                fix="Wrap an array in gradwalk.Tensor(...), or assign a parameter as an attribute.",
            )
        self._buffer_names = self._buffer_names | {name}
        self._unsaved_names = self._unsaved_names - {name} | (set() if persistent else {name})
        if (
            tensor is not None and type(tensor._alias) is tuple
        ):  # a view, which loading would refuse
            tensor = tensor.copy()
        setattr(self, name, tensor)

    def register_parameter(self, name: str, parameter: Value | Tensor | None) -> None:
        """Assign a parameter to an attribute, as programs written for PyTorch do.

        Parameters
        ----------
        name
            The name of the attribute.
        parameter : any shape
            The parameter; ``None`` reserves the name.

        Raises
        ------
        OptionError
            If ``parameter`` is neither a Tensor nor a Value nor ``None``.
        """
        if parameter is not None and not isinstance(parameter, Carrier):
            raise self._no_parameter(name, parameter)
        setattr(self, name, parameter)

    # --- what is inside ---------------------------------------------------------------------------

    def named_modules(self) -> Parts[tuple[str, Module]]:
        """Return this module (under the name ``""``) and all modules inside, with their names."""
        return Parts((name, part) for name, kind, part in traverse(self) if kind == "module")

    def named_children(self) -> Parts[tuple[str, Module]]:
        """Return the modules directly inside, with their names."""
        parts = traverse(self, deep=False)
        return Parts((name, part) for name, kind, part in parts if kind == "module" and name)

    def named_parameters(self) -> Parts[tuple[str, Value | Tensor]]:
        """Return all parameters with their names, in the order of definition.

        Returns
        -------
        pairs of a name and a parameter of any shape
            A list, whose members ``next`` returns one by one, too.

        Examples
        --------
        >>> from gradwalk.nn import Neuron
        >>> [name for name, _ in Neuron(2).named_parameters()]
        ['weights.0', 'weights.1', 'bias']
        """
        return Parts((name, part) for name, kind, part in traverse(self) if kind == "parameter")

    def named_buffers(self) -> Parts[tuple[str, Tensor]]:
        """Return all buffers with their names, those that `state_dict` leaves out, too.

        Returns
        -------
        pairs of a name and a Tensor of any shape
            A list, whose members ``next`` returns one by one, too.
        """
        kinds = ("buffer", "unsaved")
        return Parts((name, part) for name, kind, part in traverse(self) if kind in kinds)

    def modules(self) -> Parts[Module]:
        """Return this module and all modules inside."""
        return Parts(module for _, module in self.named_modules())

    def children(self) -> Parts[Module]:
        """Return the modules directly inside."""
        return Parts(module for _, module in self.named_children())

    def parameters(self) -> Parts[Value | Tensor]:
        """Return all parameters, in the order of definition.

        Returns
        -------
        parameters of any shape
            A list, for an optimizer; ``next`` returns its members one by one, too.
        """
        parts = Parts(part for _, kind, part in traverse(self) if kind == "parameter")
        parts.owner = self
        return parts

    def buffers(self) -> Parts[Tensor]:
        """Return all buffers, those that `state_dict` leaves out, too.

        Returns
        -------
        Tensors of any shape
            A list, whose members ``next`` returns one by one, too.
        """
        return Parts(buffer for _, buffer in self.named_buffers())

    def num_parameters(self, trainable_only: bool = False) -> int:
        """Return the number of numbers in all parameters.

        Parameters
        ----------
        trainable_only
            Whether frozen parameters (``requires_grad = False``) are left out.
        """
        return sum(
            getattr(p, "size", 1)
            for p in self.parameters()
            if not trainable_only or getattr(p, "requires_grad", True)
        )

    # --- what is done to all of it ----------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradient of every parameter.

        The gradient of a Value becomes 0.0.

        Parameters
        ----------
        set_to_none
            Whether the gradient of a Tensor becomes ``None``, instead of zeros.
        """
        for parameter in self.parameters():
            if isinstance(parameter, Value):
                parameter.grad = 0.0
            elif set_to_none:
                if parameter.requires_grad:
                    parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = parameter.grad * 0

    def train(self, mode: bool = True) -> Self:
        """Set ``training`` here and in every module inside, and return the module.

        Parameters
        ----------
        mode
            Whether modules such as `Dropout` and `BatchNorm2d` work as in training.

        Raises
        ------
        OptionError
            If ``mode`` is no bool.

        See Also
        --------
        eval
        """
        if not isinstance(mode, bool):
            raise OptionError(
                where=f"{type(self).__name__}.train(mode)",
                expected="True or False",
                got=describe(mode),
                fix="Write model.train() before the loop, and call gradwalk.fit to train.",
            )
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Call ``train(False)``. Return the module."""
        return self.train(False)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call a function with every module inside, and with this one last, and return the module.

        Parameters
        ----------
        fn
            The function of one module; its result is ignored.

        Raises
        ------
        OptionError
            If ``fn`` is no function.

        Examples
        --------
        >>> from gradwalk.nn import Linear, Sequential, init
        >>> model = Sequential(Linear(2, 3), Linear(3, 1))
        >>> model = model.apply(lambda m: init.zeros_(m.bias) if isinstance(m, Linear) else None)
        """
        expect_function(fn, f"{type(self).__name__}.apply")
        for module in reversed(self.modules()):
            fn(module)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze or train every parameter, and return the module.

        Parameters
        ----------
        requires_grad
            Whether the parameters get gradients; ``False`` freezes them.

        Raises
        ------
        OptionError
            If a parameter is a Value, or ``requires_grad`` no bool.
        """
        for name, parameter in self.named_parameters():
            if isinstance(parameter, Value):
                raise OptionError(
                    where=f"{type(self).__name__}.requires_grad_",
                    expected="Tensors",
                    got=f"the Value {name}",
                    fix="Leave Values out of the optimizer's parameters instead.",
                )
            parameter.requires_grad = requires_grad
        return self

    def to(self, *args: DTypeLike, **named: DTypeLike) -> Self:
        """Convert the Tensors inside, in place, to a dtype, a device or a library, and return the
        module.

        Parameters
        ----------
        *args, **named
            A floating dtype, alone or as ``dtype=...``, to which parameters and buffers of
            floats are converted, with their gradients; a device, alone or as ``device=...``, to
            which all Tensors move: "cpu", "cuda", "torch:cpu" and so on, as in
            `Tensor.to_device`.

        Raises
        ------
        OptionError
            If a dtype is no floating one of at most 64 bits, or a device is unknown.
        MissingExtraError
            If the library of a device is not installed.

        See Also
        --------
        astype

        Examples
        --------
        >>> from gradwalk.nn import Linear
        >>> Linear(2, 1).to("cpu").to("float32").weight.dtype
        dtype('float32')
        """
        tensors = [p for _, kind, p in traverse(self) if kind != "module" and is_tensor(p)]
        recast(tensors, args, named)
        return self

    astype = to

    # --- saving and loading -----------------------------------------------------------------------

    def state_dict(self) -> dict[str, float | NDArray[np.generic]]:
        """Return parameters and buffers by name, for a file or for `load_state_dict`.

        Returns
        -------
        a dict of numbers and arrays of any shape
            A float for a Value, ready for JSON, and a new array for a Tensor.
        """
        return {name: saved_form(part) for name, part in self._state()}

    def _state(self) -> list[tuple[str, Value | Tensor]]:
        kinds = ("parameter", "buffer")
        return [(name, part) for name, kind, part in traverse(self) if kind in kinds]

    def load_state_dict(
        self,
        state_dict: Mapping[str, Value | Tensor | ArrayLike],
        strict: bool = True,
    ) -> StateDictReport:
        """Set every parameter and buffer to the entry under its name.

        All entries are checked before the first is loaded: after an error the module is unchanged.

        Parameters
        ----------
        state_dict : the shape of each parameter or buffer
            The entries by name: numbers, arrays, Values or Tensors, as in
            ``dict(other.named_parameters())``. Arrays are converted to the dtype of the
            parameter. A shared parameter may have an entry under each of its names, as in
            PyTorch's files; the entry of the first name counts.
        strict
            Whether names that only one side has are an error; otherwise they are skipped, and
            returned.

        Returns
        -------
        ``(missing_keys, unexpected_keys)``
            The names that were skipped.

        Raises
        ------
        StateDictError
            If an entry is missing, unexpected or of another shape. Also if its conversion would
            overflow, or change a number of an integer buffer. The message lists every such
            entry.

        Examples
        --------
        >>> from gradwalk.nn import Neuron
        >>> first, second = Neuron(2, seed=1), Neuron(2, seed=2)
        >>> second.load_state_dict(first.state_dict())
        StateDictReport(missing_keys=[], unexpected_keys=[])
        >>> second.state_dict() == first.state_dict()
        True
        """
        state = dict(self._state())
        named = untied(self, members, state, state_dict)
        checked = entries(type(self).__name__, state, named, strict)
        load(state, checked.entries)
        return checked.report

    def extra_repr(self) -> str:
        """Return the text between the parentheses of the repr."""
        return ""

    def __repr__(self) -> str:
        if any(isinstance(p, Value) for p in self.parameters()):
            return f"{type(self).__name__}({len(self.parameters())} parameters)"
        return tree(self)


for _name, _use in _MEANT.items():  # not in the class: checkers report names that are not there
    setattr(Module, _name, _Absent(_name, _use))
