"""`Run`: a program with the numbers of one run, and how a graph becomes one.

Graphs are recorded as linked nodes, because that costs nothing where no question is asked. A
question calls `run_of`, which walks the graph once: leaves become inputs, nodes equations. The
numbers are those that the nodes have, as far as they have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .. import native
from ..core.backend import arrays
from ..core.carrier import Carrier, is_tensor
from ..core.expect import describe
from ..engine.node import CONSTANT, ancestors
from ..engine.observing import line_of
from ..engine.reverse import OutputSum
from ..engine.value import Value, enable_grad
from ..errors import NotANumberError, OptionError
from .builder import Builder, restricted
from .program import Program, evaluate, frozen, reverse

__all__ = ["Run", "opened", "program_of", "run_of"]


class Run:
    """A program with the numbers of one run. It is never stored in a graph.

    ``env``    the number of each variable: a float or an array; ``None`` for one that is gone
    ``where``  the atom of each node, in the order in which a walk from the result meets them
    ``nodes``  the node of each variable, if a graph has one
    """

    program: Program
    env: list[Any]
    where: dict[Any, int]
    nodes: list[Any]

    def __init__(self, program: Program, env: list[Any], where: dict[Any, int]) -> None:
        self.program, self.env, self.where = program, env, where
        self.nodes = [None] * program.variables
        for node, atom in where.items():
            if atom >= 0:
                self.nodes[atom] = node

    @property
    def root(self) -> int:
        """The variable of the result."""
        return self.program.outputs[0]

    def number(self, atom: int) -> Any:
        """Return the number of a variable or a constant."""
        return self.env[atom] if atom >= 0 else self.program.consts[~atom]

    def shape(self, atom: int) -> tuple[int, ...]:
        """Return the shape of a variable or a constant, even if its numbers are gone."""
        return ()

    def args(self, k: int) -> list[Any]:
        """Return the numbers of the operands of equation k."""
        env, consts = self.env, self.program.consts
        return [env[a] if a >= 0 else consts[~a] for a in self.program.operands(k)]

    def evaluated(self, k: int, args: Sequence[Any]) -> Any:
        """Return what the operation of equation k makes of other operands."""
        primitive = self.program.primitive(k)
        if hasattr(primitive, "again"):
            found = primitive.again(*args)
            return tuple(found) if len(self.program.results(k)) > 1 else found[0]
        return float(primitive.evaluate(*args))

    def again(self) -> object:
        """Return the result for the numbers that the leaves have now, which are stored."""
        inputs = [self.nodes[i].data for i in range(self.program.inputs)]
        self.env = evaluate(self.program, inputs)
        return self.number(self.root)

    def pull(self, k: int, t: Any) -> Sequence[Any]:
        """Return the contributions of a cotangent of equation k, ``None`` for constants' ones."""
        made, args = self.program.results(k), self.args(k)
        if len(made) > 1:
            primitive: Any = self.program.primitive(k)
            return primitive.joint_contributions(t, args)  # type: ignore[no-any-return]
        return self.pull_of(k, t, self.env[made[0]], args)

    def seed(self) -> Any:
        """Return the cotangent 1 of the result."""
        return 1.0

    def quiet(self) -> AbstractContextManager[object]:
        """Return a context without warnings of NumPy."""
        return nullcontext()

    def pull_of(self, k: int, t: Any, y: Any, args: Sequence[Any]) -> Sequence[Any]:
        """Return the contributions that other numbers of equation k would give."""
        return self.program.primitive(k).contributions(t, y, args)  # type: ignore[no-any-return]

    def reverse(
        self, seed: Any, cotangents: dict[int, Any] | None = None
    ) -> Iterator[tuple[int, Any, Sequence[Any]]]:
        """Yield what `program.reverse` yields for the result of this run."""
        found = {} if cotangents is None else cotangents
        return reverse(self.program, {self.root: seed}, self.pull, found)

    def cotangents(self, seed: Any) -> dict[int, Any]:
        """Return the cotangents of all variables that one reaches."""
        found: dict[int, Any] = {}
        for _ in self.reverse(seed, found):
            pass
        return found

    def handles(self) -> list[Any]:
        """Return the Values, or the Tensors, that the inputs are; ``None`` for one that is gone."""
        return self.nodes[: self.program.inputs]

    def release(self) -> None:
        """Free the graph; that of Values stays."""

    def inside(self, k: int) -> Callable[[], object] | None:
        """Return what runs the body of equation k again; ``None`` if its operation has none."""
        again, args = getattr(self.program.primitive(k), "again", None), self.args(k)
        if again is None or any(a is None for a in args):
            return None
        return lambda: again(*args)


def run_of(*results: Any, whole: bool = True) -> Run:
    """Return the run of Values, or of Tensors. Their graphs stay as they are.

    Raise `FreedGraphError` if a graph was freed. Unless it has to be ``whole``, what was freed
    counts as leaves.
    """
    if not isinstance(results[0], Value):
        return arrays().run_of_tensors(results, whole)  # type: ignore[no-any-return]
    builder = Builder()
    known = native.engine and native.engine.write_graph(builder, results)
    if known:
        where, env, builder.names = known
    else:
        where, env = _walked(builder, results, whole)
    run = Run(builder.program([where[x] for x in results]), env, where)
    if results[0]._inputs and not _is_fresh(run):
        run.again()  # a replay has computed again, and has written the result only
    return run


def _walked(
    builder: Builder, results: tuple[Any, ...], whole: bool = True
) -> tuple[dict[Any, int], list[Any]]:
    """Return the variable of each node, and the number of each variable; write the equations.

    The native engine does the same for what has no line and no rule of Python.
    """
    root: Any = results[0] if len(results) == 1 else OutputSum(results)
    walk: list[Any] = ancestors(root, whole=whole)
    order = [node for node in walk if type(node) is not OutputSum]
    where: dict[Any, int] = dict.fromkeys(order, 0)  # in the order of the walk
    counts = _results(order)
    for node in order:
        if not node._inputs:
            where[node] = builder.input(node, node.label)
    env = [node.data for node in order if not node._inputs]
    for node in order:
        primitive: Any = node._primitive
        if not node._inputs or node in counts:  # a joint node is known by its results alone
            if node in counts:
                where[node] = _add(builder, node, where, counts[node])
                env += [None] * counts[node]
            continue
        below = node._inputs[0] if counts else 0.0
        if type(below) is not float and below in counts:
            where[node] = where[below] + primitive.place
            env[where[node]] = node.data
        else:
            where[node] = _add(builder, node, where, 1)
            env.append(node.data)
        if node.label:
            builder.names[where[node]] = node.label
    for node in counts:
        del where[node]
    return where, env


def _results(order: Sequence[Any]) -> dict[Any, int]:
    """Return the joint nodes of operations with several results, and how many each has."""
    joint = [n for n in order if n._inputs and getattr(n._primitive, "numbers", ())]
    return {n: len(n._primitive.numbers) for n in joint if len(n._primitive.numbers) > 1}


def _add(builder: Builder, node: Any, where: dict[Any, int], count: int) -> int:
    operands = []
    for i in node._inputs:
        if type(i) is float:
            operands.append(builder.constant(i))
            continue
        if i._primitive is CONSTANT and i not in where:  # one that was looked at is a node
            where[i] = builder.constant(i.data, True)
            if i.label:
                builder.names[where[i]] = i.label
        operands.append(where[i])
    return builder.add(node._primitive, operands, count=count, origin=line_of(node))


def _is_fresh(run: Run) -> bool:
    """Return whether the result is what its operation makes of its operands."""
    k, y = run.program.maker(run.root), run.number(run.root)
    assert k is not None
    if run.program.primitive(k).kind != "pointwise":
        return True  # it is part of no graph that runs again
    found = run.evaluated(k, run.args(k))
    return bool(found == y or (found != found and y != y))


def opened(result: Any, *others: Any) -> tuple[Any, ...]:
    """Return results whose graphs have what bodies compute, in place of operations with a body.

    Such operations are those of `checkpoint` and of long loops, whose functions run once more, on
    the same leaves. ``others`` are nodes of the graph, or leaves, which are found again in it.
    """
    run = run_of(result)
    program, handles = run.program, run.handles()
    if not any(hasattr(p, "again") for p in program.table) or None in handles:
        return result, *others
    with enable_grad(), run.quiet():
        env = evaluate(program, handles)
    for a, name in program.names.items():
        if a >= program.inputs:
            env[a].label = name
    atoms = [run.where.get(getattr(x, "_node", x), -1) for x in others]
    found = [env[a] if a >= 0 else x for a, x in zip(atoms, others, strict=True)]
    return opened(env[run.root], *found)  # a body may have bodies


def program_of(result: Any, *others: Any, inputs: Any = None) -> Program:
    """Return what ``result`` was computed by: the primitives that its graph has recorded.

    Nothing is computed, and the graph stays as it is; constants are constants.

    Parameters
    ----------
    result
        A Value, a Tensor or a `Replay`.
    *others
        Further results, of the same kind, of one program.
    inputs
        One Value or Tensor of the graph, or several, which become the inputs in this order. What a
        node among them was computed by is then not part of the program. The leaves that are needed
        beside them follow, in the order in which a walk through the operands meets them; with
        ``None`` the inputs are all leaves, in that order.

    Returns
    -------
    a Program
        A sequence of equations, which can be called with other numbers.

    Raises
    ------
    NotANumberError
        If a result has no graph, or the results are not of one kind.
    OptionError
        If an input is not in the graph, or is given twice.
    FreedGraphError
        If the graph was freed.

    See Also
    --------
    compile, replay

    Examples
    --------
    >>> from gradwalk import Value, program_of, tanh
    >>> w, x = Value(0.5, label="w"), Value(2.0, label="x")
    >>> program = program_of(tanh(w * x), inputs=[x, w])
    >>> for equation in program:
    ...     print(equation.primitive.name, [*map(program.name, equation.operands)])
    mul ['w', 'x']
    tanh ['v2']
    >>> program(3.0, 0.0)  # of x, w
    0.0
    """
    found = [x.graph() if hasattr(x, "graph") else x for x in (result, *others)]
    kinds = {is_tensor(x) if isinstance(x, Value) or is_tensor(x) else None for x in found}
    if kinds not in ({False}, {True}):
        raise NotANumberError(
            where="program_of(result)",
            expected="Values, or Tensors, whose graphs are a program",
            got=", ".join(map(describe, found)),
            fix="Pass the result of a computation, or write compile(f).program(x) for a function.",
        )
    run = run_of(*found)
    program = run.program
    program.consts = [*map(frozen, program.consts)]
    handles = run.handles()
    program.sources = {i: x for i, x in enumerate(handles) if x is not None}
    if inputs is None:
        return program
    single = isinstance(inputs, Value) or is_tensor(inputs) or not isinstance(inputs, Iterable)
    wanted = [inputs] if single else [*inputs]
    atoms = [_input(run, x, i) for i, x in enumerate(wanted)]
    program.sources |= dict(zip(atoms, wanted, strict=True))
    if len({*atoms}) < len(atoms):
        i = next(i for i, a in enumerate(atoms) if a in atoms[:i])
        raise _no_input(i, "one that comes before", "Pass each of them once.")
    return restricted(program, atoms, program.outputs)


def _input(run: Run, x: Any, i: int) -> int:
    """Return the variable of a Value or a Tensor that is to be an input."""
    atom = run.where.get(getattr(x, "_node", x) if isinstance(x, Carrier) else None, -1)
    if atom < 0:
        fix = "Pass Values or Tensors that the result was computed from, and leave out the others."
        raise _no_input(i, describe(x), fix)
    return atom


def _no_input(i: int, got: str, fix: str) -> OptionError:
    return OptionError(
        where=f"program_of(result, inputs=...): inputs[{i}]",
        expected="a Value or a Tensor of the graph of the result",
        got=got,
        fix=fix,
    )
