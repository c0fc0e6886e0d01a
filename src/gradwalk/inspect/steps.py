"""The walk through a graph in steps: numbers forward, then gradients backward, one node at a time.

Nodes are processed in the order of `gradwalk.engine.reverse.reverse_steps`, as in every backward
pass. So the gradients of the last step have the bits of ``backward()``. The graph is not changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from ..core.calls import caller
from ..core.expect import describe
from ..engine.value import Value
from ..errors import NotANumberError
from .graph import Item, Snapshot, local_gradients, snapshot
from .names import Names
from .tree import _printable

__all__ = ["Contribution", "Step", "Steps", "steps", "written"]

Gradients = dict[int, float]
"""The gradients so far, by the index of their node."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of a node to the gradient of one operand.

    ``operand``       the index of the operand in the list of nodes
    ``position``      its position among the operands of the node
    ``slope``         the local derivative, ``None`` if no gradient flows
    ``contribution``  gradient times local derivative, ``None`` if no gradient flows
    ``before``        the gradient of the operand before this step, ``None`` if there is none yet
    ``after``         the gradient of the operand after this step
    """

    operand: int
    position: int
    slope: float | None
    contribution: float | None
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step: ``kind`` is start, forward, seed or backward, ``node`` an index.

    ``gradient`` is the gradient of the node, ``None`` if none has reached it.
    """

    kind: str
    node: int
    gradient: float | None = None
    contributions: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """All steps of a walk: from step 0, where only leaves have numbers, to the last gradient."""

    items: list[Item]
    steps: list[Step]
    _computed_at: dict[int, int] = field(repr=False)

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    def name(self, node: int) -> str:
        """Return the name of a node, the number of a constant, or else ``v`` and the index."""
        item = self.items[node]
        if item.constant and not item.name:
            return written(item.data)
        return _printable(" ".join(item.name.split())) or f"v{node}"

    def known(self, node: int, step: int) -> bool:
        """Return whether the number of a node is known after this step."""
        return self._computed_at.get(node, 0) <= step

    def gradients(self, step: int) -> Gradients:
        """Return the gradients after this step. Nodes that no gradient has reached are left out."""
        arrived: Gradients = {}
        for taken in self.steps[: step + 1]:
            if taken.kind == "seed":
                arrived[taken.node] = 1.0
            for contribution in taken.contributions:
                if contribution.after is not None:
                    arrived[contribution.operand] = contribution.after
        return arrived

    def sentences(self, step: int) -> list[str]:
        """Describe this step with its numbers. A backward step has a sentence per contribution.

        >>> from gradwalk import Value
        >>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
        >>> told = steps(a * b, names=False)
        >>> for number in range(len(told.steps)):
        ...     print(*told.sentences(number), sep="\\n")
        Only the leaves have numbers: a = 2.0, b = -3.0.
        v2 = a × b = 2.0 × -3.0 → -6.0
        v2.grad = 1.0: the backward pass starts here.
        a.grad += v2.grad × ∂v2/∂a = 1.0 × -3.0 → -3.0
        b.grad += v2.grad × ∂v2/∂b = 1.0 × 2.0 → 2.0
        """
        taken = self.steps[step]
        if taken.kind == "backward":
            return self._passed(taken)
        name, item = self.name(taken.node), self.items[taken.node]
        if taken.kind == "start":
            leaves = [f"{self.name(i)} = {written(x.data)}" for i, x in self._leaves()]
            return [f"Only the leaves have numbers: {', '.join(leaves)}."]
        if taken.kind == "seed":
            return [f"{name}.grad = 1.0: the backward pass starts here."]
        names = [self.name(i) for i in item.inputs]
        numbers = [written(self.items[i].data) for i in item.inputs]
        middle = "" if names == numbers else f" = {applied(item, numbers)}"
        return [f"{name} = {applied(item, names)}{middle} {_result(item.data)}"]

    def _leaves(self) -> Iterator[tuple[int, Item]]:
        return ((i, x) for i, x in enumerate(self.items) if not (x.inputs or x.constant))

    def _passed(self, taken: Step) -> list[str]:
        name = self.name(taken.node)
        if taken.gradient is None:
            return [f"No gradient has reached {name}, so it propagates none."]
        told = [self._given(name, taken, contribution) for contribution in taken.contributions]
        return told or [f"{name} depends only on constants, which get no gradient."]

    def _given(self, name: str, taken: Step, contribution: Contribution) -> str:
        operand = self.name(contribution.operand)
        if contribution.contribution is None or taken.gradient is None:
            return f"No gradient flows to {operand}: {self._reason(taken.node, contribution)}."
        uses = self.items[taken.node].inputs.count(contribution.operand)
        which = f" (operand {contribution.position + 1})" if uses > 1 else ""
        slope = "?" if contribution.slope is None else written(contribution.slope)
        told = f"{operand}.grad += {name}.grad × ∂{name}/∂{operand}{which} = "
        told += f"{written(taken.gradient)} × {slope} {_result(contribution.contribution)}"
        if contribution.before is None or contribution.after is None:
            return told
        total = f"{written(contribution.before)} + {_bracketed(written(contribution.contribution))}"
        return f"{told}; {operand}.grad: {total} {_result(contribution.after)}"

    def _reason(self, node: int, contribution: Contribution) -> str:
        """Why a gate is shut."""
        item = self.items[node]
        numbers = [written(self.items[i].data) for i in item.inputs]
        if item.primitive is None or not item.primitive.differentiable:
            return f"{item.op} is declared to have no derivative"
        if item.primitive.rules and item.primitive.rules[contribution.position] is None:
            return f"{item.op} uses it only as a condition"
        if item.op == "where":
            return f"the condition is {numbers[0]}, so the other branch was taken"
        if item.op in ("maximum", "minimum"):
            larger = "larger" if item.op == "maximum" else "smaller"
            return f"{numbers[contribution.position]} is not the {larger} one"
        kinks = f" (convention at the kink: {item.primitive.kinks})" if item.primitive.kinks else ""
        return f"{item.op} is flat at {', '.join(numbers)}{kinks}"


def steps(v: Value, *, names: Names = True) -> Steps:
    """Return the walk of ``v``: its operations in order, the seed, and the backward pass.

    ``names``: True takes names for unlabelled nodes from the variables of the caller, False takes
    none, a dictionary gives them. Leaves propagate nothing and take no step.

    >>> from gradwalk import Value
    >>> x = Value(3.0)
    >>> told = steps(x * x)
    >>> [step.kind for step in told.steps], told.gradients(told.last)
    (['start', 'forward', 'seed', 'backward'], {1: 1.0, 0: 6.0})
    """
    if not isinstance(v, Value):
        raise NotANumberError(
            where="steps(v)",
            expected="a Value, whose numbers are stepped through one by one",
            got=describe(v),
            fix="Write gradwalk.explore(v) for a graph of Tensors.",
        )
    items = snapshot(v, names, caller())
    root = len(items) - 1
    forward = [Step("forward", i) for i, item in enumerate(items) if item.inputs]
    taken = [Step("start", root), *forward, Step("seed", root), *_backward(items)]
    return Steps(items, taken, {s.node: n for n, s in enumerate(taken) if s.kind == "forward"})


def _backward(items: Snapshot) -> Iterator[Step]:
    """Yield the backward steps of all nodes with operands, in the order of the backward pass."""
    place = {item.atom: i for i, item in enumerate(items) if not item.constant}
    arrived: Gradients = {len(items) - 1: 1.0}
    for atom, t, given in items.run.reverse(1.0):
        here = place.get(atom)
        if here is not None and items[here].inputs:
            gradient = next(iter(t.values())) if isinstance(t, dict) else t
            found = () if t is None else _contributions(items, items[here], given, arrived)
            yield Step("backward", here, gradient, tuple(found))


def _contributions(
    items: list[Item], item: Item, given: Sequence[Any], arrived: Gradients
) -> Iterator[Contribution]:
    """Yield the contribution to each operand that is no constant, and add it to ``arrived``."""
    parts = zip(item.inputs, local_gradients(items, item), given, strict=True)
    for position, (operand, slope, contribution) in enumerate(parts):
        if items[operand].constant:
            continue
        before = after = arrived.get(operand)
        if contribution is not None:
            after = arrived[operand] = contribution if before is None else before + contribution
        yield Contribution(operand, position, slope, contribution, before, after)


SIGNS = {"mul": "×", "pow": "**", "floordiv": "//", "mod": "%"}


def applied(item: Item, operands: list[str]) -> str:
    """Write an operation on its operands: ``a × b``, ``tanh(n)``."""
    primitive = item.primitive
    sign = SIGNS.get(item.op) or (primitive.infix if primitive is not None else "")
    if item.op == "neg":
        return f"-{_bracketed(operands[0])}"
    if not sign or len(operands) != 2:
        return f"{item.op}({', '.join(operands)})"
    left, right = operands
    left = _bracketed(left) if item.op == "pow" else left
    return f"{left} {sign} {_bracketed(right) if item.op in ('add', 'sub', 'pow') else right}"


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _result(x: float) -> str:
    """Format a result: after → if its text reads back as the number, after ≈ if it is rounded."""
    text = written(x)
    return f"{'→' if not isfinite(x) or float(text) == x else '≈'} {text}"


def written(x: float) -> str:
    """Format a number with at most six significant digits, as a float: ``10.0``.

    >>> written(10.0), written(1 / 3), written(-1.5e-7), written(float("inf"))
    ('10.0', '0.333333', '-1.5e-7', 'inf')
    """
    if not isfinite(x):
        return f"{x}"
    if x == int(x) and abs(x) < 1e6:
        return f"{x:.1f}"
    mantissa, e, exponent = f"{x:.6g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa
