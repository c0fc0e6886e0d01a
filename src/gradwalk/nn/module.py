"""`Module`: anything that owns parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from ..core.carrier import Carrier, is_tensor
from ..core.expect import describe
from ..engine.scalar import Scalar
from ..engine.value import Value
from ..errors import OptionError
from ..levels.level import Tracer
from .state import StateDictReport, entries, load, recast, saved_form, untied
from .tree import tree

__all__ = ["Module", "StateDictReport"]


class Module:
    """Base of everything with parameters; write ``forward`` and assign Values, Tensors, Modules.

    A parameter is a Value without operands, or a Tensor with ``requires_grad=True`` that is no
    result: an attribute, or a member of an attribute that is a list, tuple or dict, or belongs so
    to another Module among them. Its name is the path to it, such as
    ``layers.0.neurons.1.weights.2``. Order is the order of definition; what can be reached on two
    paths counts once, under the first. A Tensor that was assigned as a parameter stays one when
    it is frozen (``requires_grad = False``). Tensors that are saved but not trained are named by
    `register_buffer`.

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

    _parameter_names: frozenset[str] = frozenset()  # of Tensors, frozen ones too
    _buffer_names: frozenset[str] = frozenset()
    _unsaved_names: frozenset[str] = frozenset()

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute ``forward``."""
        return self.forward(*args, **named)

    def forward(self, *args: Any, **named: Any) -> Any:
        """What the module computes; every subclass writes its own."""
        raise NotImplementedError(f"{type(self).__name__} has no method forward(self, ...).")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Carrier) and is_tensor(value) and name not in self._buffer_names:
            others = self._parameter_names - {name}
            self.__dict__["_parameter_names"] = others | {name} if _is_trained(value) else others
        object.__setattr__(self, name, value)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Make ``tensor`` the attribute ``name``: part of the state, but no parameter.

        ``None`` holds the name free. With ``persistent=False`` it is not in `state_dict` either,
        but `to` still converts it.
        """
        if tensor is not None and not (is_tensor(tensor) and not tensor.requires_grad):
            raise OptionError(
                where=f"{type(self).__name__}.register_buffer({name!r})",
                expected="a Tensor through which no gradient flows, or None",
                got=describe(tensor),
                fix="Wrap arrays in gradwalk.Tensor(...); a Tensor to be trained is assigned.",
            )
        self._buffer_names = self._buffer_names | {name}
        self._unsaved_names = self._unsaved_names - {name} | (set() if persistent else {name})
        setattr(self, name, tensor)

    def register_parameter(self, name: str, parameter: Any) -> None:
        """The same as assigning the attribute, for programs written for PyTorch."""
        setattr(self, name, parameter)

    # --- what is inside ---------------------------------------------------------------------------

    def named_modules(self) -> list[tuple[str, Module]]:
        """This module (under the name ``""``) and all modules inside, with their names."""
        return [(name, part) for name, kind, part in _walk(self) if kind == "module"]

    def named_children(self) -> list[tuple[str, Module]]:
        """The modules directly inside, with their names."""
        found = [(name, part) for name, kind, part in _walk(self, deep=False) if kind == "module"]
        return found[1:]

    def named_parameters(self) -> list[tuple[str, Any]]:
        """All parameters with their names, in the order of definition.

        >>> from gradwalk.nn import Neuron
        >>> [name for name, _ in Neuron(2).named_parameters()]
        ['weights.0', 'weights.1', 'bias']
        """
        return [(name, part) for name, kind, part in _walk(self) if kind == "parameter"]

    def named_buffers(self) -> list[tuple[str, Any]]:
        """All buffers with their names."""
        kinds = ("buffer", "unsaved")
        return [(name, part) for name, kind, part in _walk(self) if kind in kinds]

    def modules(self) -> list[Module]:
        """This module and all modules inside."""
        return [module for _, module in self.named_modules()]

    def children(self) -> list[Module]:
        """The modules directly inside."""
        return [module for _, module in self.named_children()]

    def parameters(self) -> list[Any]:
        """All parameters, in the order of definition."""
        return [part for _, kind, part in _walk(self) if kind == "parameter"]

    def buffers(self) -> list[Any]:
        """All buffers."""
        return [buffer for _, buffer in self.named_buffers()]

    def num_parameters(self, trainable_only: bool = False) -> int:
        """How many numbers the parameters have together; without the frozen ones, if asked."""
        return sum(
            getattr(p, "size", 1)
            for p in self.parameters()
            if not trainable_only or getattr(p, "requires_grad", True)
        )

    # --- what is done to all of it ----------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient of every parameter.

        That of a Value becomes 0.0, that of a Tensor ``None``, or zeros if ``set_to_none`` is
        false.
        """
        for parameter in self.parameters():
            if isinstance(parameter, Value):
                parameter.grad = 0.0
            elif parameter.grad is not None:
                parameter.grad = None if set_to_none else parameter.grad * 0

    def train(self, mode: bool = True) -> Self:
        """Set ``training`` here and in every module inside; returns the module."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """The same as ``train(False)``."""
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` with every module inside, and with this one last; returns the module.

        >>> from gradwalk.nn import Linear, Sequential, init
        >>> model = Sequential(Linear(2, 3), Linear(3, 1))
        >>> model = model.apply(lambda m: init.zeros_(m.bias) if isinstance(m, Linear) else None)
        """
        for module in reversed(self.modules()):
            fn(module)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze (``False``) or train (``True``) every parameter; returns the module."""
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

    def to(self, dtype: Any) -> Self:
        """Convert every Tensor of floating numbers, in place, to ``dtype``; returns the module.

        >>> from gradwalk.nn import Linear
        >>> Linear(2, 1).to("float32").weight.dtype
        dtype('float32')
        """
        recast([p for _, kind, p in _walk(self) if kind != "module" and is_tensor(p)], dtype)
        return self

    astype = to

    # --- saving and loading -----------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything that is saved, by name: a float for a Value, an array for a Tensor.

        Floats are ready for JSON; arrays are copies.
        """
        return {name: saved_form(part) for name, part in self._state()}

    def _state(self) -> list[tuple[str, Any]]:
        kinds = ("parameter", "buffer")
        return [(name, part) for name, kind, part in _walk(self) if kind in kinds]

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True
    ) -> StateDictReport:
        """Set every parameter and buffer to what was saved under its name.

        All entries are looked at before the first is loaded: after a `StateDictError` the module
        is as it was, and the message lists everything that is missing, unexpected or of another
        shape. ``strict=False`` skips names that only one side has, and returns them. Arrays are
        converted to the dtype of the parameter. Of a Value or Tensor, as in
        ``dict(other.named_parameters())``, the numbers are loaded. What is shared may have an
        entry under each of its names, as in PyTorch's files; that of the first one counts.

        >>> from gradwalk.nn import Neuron
        >>> first, second = Neuron(2, seed=1), Neuron(2, seed=2)
        >>> second.load_state_dict(first.state_dict())
        StateDictReport(missing_keys=[], unexpected_keys=[])
        >>> second.state_dict() == first.state_dict()
        True
        """
        state = dict(self._state())
        named = untied(self, _members, state, state_dict)
        found = entries(type(self).__name__, state, named, strict)
        load(state, found.entries)
        return found.report

    def extra_repr(self) -> str:
        """What stands between the parentheses of the repr."""
        return ""

    def __repr__(self) -> str:
        if any(isinstance(p, Value) for p in self.parameters()):
            return f"{type(self).__name__}({len(self.parameters())} parameters)"
        return tree(self)


def _is_trained(tensor: Any) -> bool:
    """Whether a Tensor is a leaf that gets gradients."""
    if isinstance(tensor, Tracer):
        return True
    return tensor._node is not None and tensor._node._primitive is None


def _walk(root: Module, deep: bool = True) -> Iterator[tuple[str, str, Any]]:
    """Name, kind and object of all that ``root`` holds, each once, parents first, no recursion."""
    yield "", "module", root
    seen = {id(root)}
    path: list[tuple[str, Any, Iterator[tuple[Any, Any]]]] = [("", root, _members(root))]
    while path:
        prefix, owner, members = path[-1]
        for key, part in members:
            if type(part) in _PLAIN or not isinstance(part, _PARTS) or id(part) in seen:
                continue
            seen.add(id(part))
            name = f"{prefix}{key}"
            if isinstance(part, Carrier):
                if kind := _kind(owner, key, part):
                    yield name, kind, part
                continue
            if isinstance(part, Module):
                yield name, "module", part
                if not deep:
                    continue
            path.append((f"{name}.", part, _members(part)))
            break
        else:
            path.pop()


_PARTS = (Carrier, Module, list, tuple, dict)
_PLAIN = {bool, int, float, str, type(None), frozenset}  # quickly passed over: most attributes


def _kind(owner: Any, key: Any, part: Any) -> str:
    """What a Value or Tensor is to the module or container that holds it; ``""``: nothing."""
    if isinstance(part, Value):
        return "" if part._primitive is not None else "parameter"  # a result is no parameter
    if isinstance(part, Scalar):  # in the place of a Value, while a transform is running
        return "parameter"
    if not is_tensor(part):
        return ""
    if isinstance(owner, Module):
        if key in owner._buffer_names:
            return "unsaved" if key in owner._unsaved_names else "buffer"
        return "parameter" if key in owner._parameter_names else ""
    return "parameter" if _is_trained(part) else ""


def _members(part: Any) -> Iterator[tuple[Any, Any]]:
    """What a module or a container holds, with the names."""
    if isinstance(part, Module):
        part = vars(part)
    return iter(part.items()) if isinstance(part, dict) else enumerate(part)
