"""`Program`: what it is, and that every graph becomes one without losing a bit."""

from __future__ import annotations

import ast
import copy
import math
import pickle
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Tensor, Value, gradients, native, program_of
from gradwalk.core.pytree import flatten
from gradwalk.engine.node import ancestors
from gradwalk.engine.reverse import consumer_counts, reverse_steps, vjp_on_numbers
from gradwalk.errors import FreedGraphError, NotANumberError, OptionError
from gradwalk.ops import TABLE
from gradwalk.program import builder as builders
from gradwalk.program.builder import Builder, Columns, restricted
from gradwalk.program.program import GUARD, backward_order, evaluate
from gradwalk.program.run import _walked, run_of

from ..engine.test_random_programs import ANY_FLOAT, NUMERIC, TAME_FLOAT, programs
from ..helpers.amount import examples

pytestmark = pytest.mark.engine


# --- graphs of Values -----------------------------------------------------------------------------


@examples(300)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_a_graph_and_its_program_have_the_same_bits(program: Any, bits: Any) -> None:
    _, known = program.run(Value)
    y = known[-1]
    assume(isinstance(y, Value))
    run = run_of(y)
    run.program.check()
    assert bits(run.number(run.root)) == bits(y.data)
    again = evaluate(run.program, run.env[: run.program.inputs])
    assert [*map(bits, again)] == [*map(bits, run.env)]
    assert {node: bits(run.env[atom]) for node, atom in run.where.items()} == {
        node: bits(node.data) for node in ancestors(y)
    }


@examples(300)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_the_reverse_pass_of_a_program_takes_the_order_of_backward(program: Any) -> None:
    _, known = program.run(Value)
    y = known[-1]
    assume(isinstance(y, Value))
    run = run_of(y)
    steps = reverse_steps(y, 1.0, consumer_counts(y), vjp_on_numbers)
    order = backward_order(run.program, [run.root])
    assert [atom for atom, _ in order] == [run.where[node] for node, _ in steps]
    assert all(run.program.maker(atom) == (None if k < 0 else k) for atom, k in order)


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
@examples(300)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_the_reverse_pass_of_a_program_has_the_bits_of_backward(program: Any, bits: Any) -> None:
    _, known = program.run(Value)
    y = known[-1]
    assume(isinstance(y, Value) and y.op)
    run = run_of(y)
    found = run.cotangents(1.0)
    nodes = ancestors(y)
    assert [bits(found.get(run.where[n], 0.0)) for n in nodes] == [*map(bits, gradients(y, nodes))]


@examples(100)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_equal_graphs_are_equal_programs(program: Any) -> None:
    one, two = (program.run(Value)[1][-1] * Value(2.0) for _ in range(2))
    assert program_of(one) == program_of(two)
    assert program_of(one) != program_of(one + 1.0)
    assert program_of(one + 0.0) != program_of(one + -0.0)


def test_what_a_program_says_of_itself():
    x, y = Value(2.0, label="x"), Value(3.0)
    program = program_of(x * y + x, x * 2.0).check()
    assert len(program) == 3
    assert program.inputs == 2
    assert [(e.primitive.name, e.operands, [*e.results]) for e in program] == [
        ("mul", (0, 1), [2]),
        ("add", (2, 0), [3]),
        ("mul", (0, -1), [4]),
    ]
    assert program.consts == [2.0]
    assert str(program).splitlines() == [
        "program of x, v1",
        "  v2 = mul x v1",
        "  v3 = add v2 x",
        "  v4 = mul x 2.0",
        "  return v3, v4",
    ]
    assert [program.maker(a) for a in range(5)] == [None, None, 0, 1, 2]


def test_a_program_is_a_function_of_its_inputs():
    x, y = Value(2.0, label="x"), Value(3.0)
    program = program_of(x * y + x)
    assert program() == 8.0
    x.data = 5.0
    assert program() == 20.0
    assert program(1.0) == 4.0  # the rest is read
    assert program(1.0, 1.0) == 2.0
    assert gw.grad(program, argnums=(0, 1))(2.0, 7.0) == (8.0, 2.0)
    assert gw.vmap(program)(np.arange(3.0), np.ones(3)).tolist() == [0.0, 2.0, 4.0]
    assert gw.compile(program)(2.0, 7.0) == 16.0
    with pytest.raises(OptionError, match=r"2 inputs: x, v1"):
        program(1.0, 2.0, 3.0)


def test_a_program_of_a_leaf_and_of_nothing():
    x = Value(2.0, label="x")
    assert str(program_of(x)) == "program of x\n  return x"
    assert program_of(x)(7.0) == 7.0
    with pytest.raises(NotANumberError, match=r"compile\(f\)"):
        program_of(2.0)  # type: ignore[arg-type]
    with pytest.raises(NotANumberError):
        program_of(x, Tensor([1.0], requires_grad=True))
    with pytest.raises(OptionError, match="requires_grad"):
        program_of(Tensor([1.0]))
    y = x * x
    y.backward(retain_graph=False)
    with pytest.raises(FreedGraphError):
        program_of(y)


def test_lines_are_written_down():
    with gw.inspect.lines():
        y = gw.exp(Value(1.0)) * 2.0
    origin = program_of(y)[0].origin
    assert origin is not None
    assert origin[0].co_filename == __file__
    assert "test_program.py, line" in str(program_of(y))
    t = (Tensor([1.0], requires_grad=True) * 2.0).sum()
    assert all(e.origin is not None for e in program_of(t))


@pytest.mark.parametrize("depth", [100_000])
def test_a_deep_graph_needs_no_stack(depth: int) -> None:
    y = x = Value(1.0)
    for _ in range(depth):
        y = y + x
    run = run_of(y)
    assert len(run.program) == depth
    assert run.cotangents(1.0)[0] == depth + 1.0


# --- several results ------------------------------------------------------------------------------


def several(x: Any) -> Any:
    a, b = gw.checkpoint(lambda x: (gw.sin(x) * x, gw.exp(x)))(x)
    return a * b + a


def test_an_operation_with_several_results_is_one_equation(bits: Any) -> None:
    x = Value(0.5)
    y = several(x)
    run = run_of(y)
    first = run.program.check()[0]
    assert (first.primitive.name, len(first.results)) == ("checkpoint", 2)
    assert bits(run.cotangents(1.0)[0]) == bits(gw.gradients(y, [x])[0])
    assert run.program(0.7) == several(0.7)
    assert gw.grad(run.program)(0.7) == pytest.approx(gw.grad(several)(0.7))


def test_several_results_of_arrays():
    w = Tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    values, vectors = gw.linalg.eigh(w)
    y = (values * vectors[0]).sum()
    run = run_of(y)
    assert len(run.program.check()[0].results) == 2
    assert np.array_equal(run.cotangents(run.seed())[0], gw.gradients(y, [w])[0])
    assert float(run.program(w.data)) == y.item()


# --- graphs of Tensors ----------------------------------------------------------------------------

A = np.linspace(0.1, 0.9, 6).reshape(2, 3)
ARRAYS = {
    "product": lambda w: (w @ w.T).sum(),
    "network": lambda w: (gw.tanh(w @ A.T) * 2.0).softmax(1).log().mean(),
    "masks": lambda w: (w.relu() + gw.where(w > 0.4, w, 0.0)).sum(),
    "slices": lambda w: (w[:, 1:] * w[:, :-1]).sum() + w[0].max(),
    "views": lambda w: gw.stack([w[0], w[1]]).reshape(3, 2).sum(0).prod(),
    "loop": lambda w: gw.scan(lambda c, x: (c * x, c), w[0], np.ones((3, 3)))[0].sum(),
    "checkpoint": lambda w: gw.checkpoint(lambda w: (w.exp(), w.sum()))(w)[0].sum(),
    "sorted": lambda w: (gw.sort(w, 1)[:, 0] * w.std()).sum(),
    "values": lambda w: (gw.stack([Value(2.0), Value(3.0), Value(4.0)]) * w).sum(),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_a_graph_of_tensors_and_its_program(name: str) -> None:
    w = Tensor(A, requires_grad=True)
    y = ARRAYS[name](w)
    run = run_of(y)
    assert np.array_equal(run.number(run.root), y.data)
    again = evaluate(run.program, run.env[: run.program.inputs])
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(again, run.env, strict=True))
    found = run.cotangents(run.seed())[run.where[w._node]]
    expected = gw.gradients(y, [w])[0]
    assert np.array_equal(found.data if hasattr(found, "mask") else found, expected)
    program = program_of(y).check()
    assert float(program()) == y.item()


def test_constants_do_not_change_with_what_they_were_made_of():
    data = np.array([1.0, 2.0])
    w = Tensor([3.0, 4.0], requires_grad=True)
    y = (w + Tensor(data)).sum()
    program = program_of(y)
    before = float(program())
    assert not any(x.flags.writeable for x in program.consts)
    assert float(program()) == before == 10.0
    assert float(program(np.zeros(2))) == 3.0


def test_a_program_keeps_the_precision_of_its_arrays():
    w = Tensor(np.ones((2, 2), np.float32), requires_grad=True)
    program = program_of((w[0] * 2).sum() + w[1].sum())
    assert program().dtype == np.float32
    assert program(np.full((2, 2), 3.0, np.float32)) == np.float32(18.0)
    assert "[key=(0,)]" in str(program)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_a_copy_is_the_same_program(copied: Any) -> None:
    program = program_of(gw.sin(Value(2.0, label="x")) + 1.0)
    again = copied(program)
    assert again == program
    assert (again(0.5), again()) == (program(0.5), program())


def test_numbers_of_a_graph_are_not_computed_again():
    calls = []

    def forward(x: Any) -> Any:
        calls.append(1)
        return x * x

    twice = gw.pointwise("square_of", lambda t, y, x: 2.0 * t * x, forward=forward)
    y = twice(Value(3.0)) + 1.0
    calls.clear()
    run = run_of(y)
    assert run.number(run.program.results(0)[0]) == 9.0
    assert not calls


@examples(200)
@given(program=programs(NUMERIC, ANY_FLOAT), data=st.data())
def test_the_native_walk_is_that_in_python(program: Any, data: Any, bits: Any) -> None:
    _, known = program.run(Value)
    nodes = [x for x in known if isinstance(x, Value)]
    assume(nodes)
    results = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=3))
    for node in data.draw(st.lists(st.sampled_from(nodes), max_size=3)):
        node.label = data.draw(st.sampled_from(["a", "b", ""]))
    run, builder = run_of(*results), Builder()
    where, env = _walked(builder, tuple(results))
    assert [*run.where.items()] == [*where.items()]  # in the same order, too
    assert [*map(bits, run.env)] == [*map(bits, env)]
    found = builder.program([where[x] for x in results])
    assert run.program == found
    assert run.program.names == found.names


def test_the_walk_leaves_no_trace() -> None:
    x, y = Value(2.0), Value(3.0)
    z = x * y + gw.sin(x)
    z.operands[0].backward()
    first = run_of(z, x)
    z.backward()
    assert (x.grad, y.grad) == (3.0 + 3.0 + math.cos(2.0), 4.0)
    assert run_of(z, x).program == first.program
    leaf = run_of(x)
    assert leaf.program.inputs == 1
    assert leaf.number(leaf.root) == 2.0


def test_rules_of_users_keep_their_names() -> None:
    def first(x: Any) -> Any:
        return gw.exp(x)

    def second(x: Any) -> Any:
        return gw.sin(x)

    pair = [gw.custom_rule(f, vjp=lambda t, y, x: t * y) for f in (first, second)]
    for x in (Value(0.5), Tensor([0.3, 0.5], requires_grad=True)):
        program = program_of(pair[1](pair[0](x))).check()
        assert [e.primitive.name for e in program] == ["first", "second"]


# --- the builder ----------------------------------------------------------------------------------


def test_a_program_that_is_written_by_hand():
    builder = Builder()
    x, y = builder.input(name="x"), builder.input()
    product = builder.add(TABLE["mul"], [x, y])
    total = builder.add(TABLE["add"], [product, builder.constant(0.5)])
    builder.names[total] = "total"
    program = builder.program([total, product]).check()
    assert program(2.0, 3.0) == (6.5, 6.0)
    assert str(program).splitlines()[-1] == "  return total, v2"
    assert builder.constant(0.0) != builder.constant(-0.0)
    assert builder.constant(0.5) == -1


@pytest.mark.parametrize("operands", [[0, 1], [0, -2]])
def test_a_program_that_reads_what_is_not_there_is_noticed(operands: list[int]) -> None:
    program = Builder().program([])
    program.inputs, program.table, program.consts = 1, [TABLE["mul"]], [1.0]
    program.op, program.first, program.atoms = (
        array("H", [0]),
        array("i", [0, 2]),
        array("i", operands),
    )
    program.outputs = (1,)
    with pytest.raises(AssertionError, match="reads"):
        program.check()


def plain_columns() -> Any:
    """Return the class in Python, which the native one has replaced."""
    source = Path(builders.__file__).read_text()
    tree = ast.parse(source)
    known = vars(builders) | {"native": None}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Columns":
            exec(compile(ast.Module([node], []), builders.__file__, "exec"), known)
    return known["Columns"]


@examples(200)
@given(data=st.data())
def test_both_engines_write_the_same_columns(data: Any) -> None:
    pair = Columns(), plain_columns()()
    table = [TABLE[name] for name in ("mul", "sub", "pow", "div", "add")]

    def both(name: str, *args: Any) -> Any:
        found = [getattr(one, name)(*args) for one in pair]
        assert found[0] == found[1]
        return found[0]

    numbers = st.sampled_from([0.0, -0.0, 1.0, 2.0, float("nan"), 1e300])
    both("variable")
    for step in data.draw(st.lists(st.sampled_from("vcawm"), max_size=30)):
        atoms = st.integers(-len(pair[0].consts), pair[0].variables - 1)
        operands = [data.draw(atoms), data.draw(atoms)]
        if step == "v":
            both("variable")
        elif step == "c":
            both("constant", data.draw(numbers), data.draw(st.booleans()))
        elif step == "a":
            both("append", table[0], operands, data.draw(st.integers(0, 3)))
        else:
            atom = both("write", data.draw(st.sampled_from(table)), operands, step == "m")
            both("is_masked", atom)
    assert pair[0].columns() == pair[1].columns()
    assert pair[0].table == pair[1].table
    assert [*map(repr, pair[0].consts)] == [*map(repr, pair[1].consts)]
    assert len(pair[0]) == len(pair[1])


@pytest.mark.parametrize("columns", [Columns, plain_columns()], ids=["engine", "python"])
def test_more_primitives_than_places_are_an_error(columns: Any) -> None:
    one = columns()
    x = one.variable()
    known = [*range(1 << 16)]  # what stands for a primitive is not looked at
    for primitive in known:
        one.append(primitive, [x])
    assert one.append(known[-1], [x]) == 65_537
    with pytest.raises(OverflowError, match="65,536"):
        one.append(object(), [x])


@pytest.mark.parametrize("operands", [[0, 1], [-2, 0], ["x", 0], None, [2**40, 0]])
def test_columns_refuse_atoms_that_are_not_there(operands: Any) -> None:
    if native.engine is None:
        pytest.skip("the class in Python trusts its callers")
    columns = Columns()
    columns.variable()
    columns.constant(1.0)
    for method in (columns.append, columns.write):
        with pytest.raises((ValueError, TypeError)):
            method(TABLE["mul"], operands)
    assert len(columns) == 0


# --- parts ----------------------------------------------------------------------------------------


@examples(200)
@given(program=programs(NUMERIC, ANY_FLOAT), data=st.data())
def test_a_part_computes_what_the_whole_does(program: Any, data: Any, bits: Any) -> None:
    _, known = program.run(Value)
    y = known[-1]
    assume(isinstance(y, Value))
    whole = program_of(y).check()
    run = run_of(y)
    variables = data.draw(st.permutations(range(whole.variables)))
    inputs = variables[: data.draw(st.integers(0, 3))]
    part = restricted(whole, inputs, whole.outputs).check()
    rest = [x for i, x in part.sources.items() if i >= len(inputs)]
    given = [run.number(a) for a in inputs] + [x.data for x in rest]
    assert bits(part(*given)) == bits(y.data)
    used = {a for e in part for a in e.operands} | {*part.outputs}
    assert all(any(a in used for a in e.results) for e in part)  # nothing is there in vain
    assert {a for a in used if a < 0} == {~c for c in range(len(part.consts))}


def test_a_part_leaves_out_what_nothing_needs_but_guards() -> None:
    builder = Builder()
    x = builder.input(name="x")
    half = builder.constant(0.5)
    y = builder.add(TABLE["mul"], [x, half])
    builder.add(TABLE["exp"], [x])
    asked = builder.add(TABLE["less"], [x, half])
    builder.add(GUARD, [asked], {"answer": True, "line": "here"}, 0)
    late = builder.input(3.0)
    z = builder.add(TABLE["add"], [y, late])
    part = builder.program([z], [x, late]).check()
    assert [e.primitive.name for e in part] == ["mul", "less", "guard", "add"]
    assert part(0.25, 2.0) == 2.125
    assert restricted(part, [0, 1], part.outputs) == part
    without = builder.program([y], [x]).check()  # the late input is not needed
    assert (without.inputs, len(without)) == (1, 3)


def test_the_inputs_of_a_program_in_an_order() -> None:
    e, mean = Value(0.3, label="e"), Value(1.2, label="M")
    big = mean + e * gw.sin(mean)
    y = big - e * gw.sin(big)
    program = program_of(y, inputs=[e, mean])
    assert str(program).startswith("program of e, M\n")
    assert program(0.3, 1.2) == program() == y.data
    assert program.sources == {0: e, 1: mean}
    assert str(program_of(y, inputs=[e])).startswith("program of e, M\n")
    behind = program_of(y, inputs=[big])  # how it was computed is not part of the program
    assert [equation.primitive.name for equation in behind] == ["sin", "mul", "sub"]
    assert behind(big.data, 0.3) == behind() == y.data
    assert program_of(y, inputs=[y])(5.0) == 5.0
    assert program_of(y, inputs=big) == behind
    slopes = program_of(y, inputs=[e, mean]).grad()
    assert slopes() == tuple(gradients(y, [e, mean]))


def test_the_inputs_of_a_program_of_tensors() -> None:
    w, b = Tensor(A, requires_grad=True), Tensor(np.ones(2), requires_grad=True)
    hidden = gw.tanh(w @ A.T)
    y = (hidden * b[:1]).sum()
    program = program_of(y, inputs=[b, w]).check()
    assert program(b.data, w.data) == y.item() == program()
    behind = program_of(y, inputs=[b, hidden]).check()
    assert behind(b.data, hidden.data) == behind() == y.item()
    assert behind.avals is None or len(behind.avals) == behind.variables
    u, s, v = gw.linalg.svd(w, full_matrices=False)
    z = (u * s).sum() + v.sum()
    part = program_of(z, inputs=[s, w]).check()
    assert part(s.data, w.data) == pytest.approx(z.item())
    assert part(2.0 * s.data, w.data) != pytest.approx(z.item())


@pytest.mark.parametrize(
    ("inputs", "got"),
    [
        (lambda x, y, z: [z], "Value"),
        (lambda x, y, z: [x, 2.0], "2.0"),
        (lambda x, y, z: [x, x], "one that comes before"),
        (lambda x, y, z: ["x"], "'x'"),
        (lambda x, y, z: z, "Value"),
        (lambda x, y, z: 5, "int 5"),
    ],
)
def test_an_input_that_cannot_be_one(inputs: Any, got: str) -> None:
    x, z = Value(2.0), Value(3.0)
    y = x * x
    with pytest.raises(OptionError, match=rf"inputs\[\d\].*{got}"):
        program_of(y, inputs=inputs(x, y, z))


# --- compiled functions ---------------------------------------------------------------------------


def branch(x: Any) -> Any:
    return x * x if x > 0.0 else gw.exp(x)


COMPILED: dict[str, tuple[Any, Any]] = {
    "gradient": (gw.grad(lambda x: gw.exp(x) * x), (0.5,)),
    "mask": (gw.value_and_grad(lambda x: gw.where(x > 1.0, x * x, 2.0 * x)), (0.5,)),
    "branch": (branch, (2.0,)),
    "hessian": (gw.hessian(lambda p: p[0] ** 2 * p[1] + gw.sin(p[1])), ([0.5, 0.3],)),
    "arrays": (gw.value_and_grad(lambda w: gw.tanh(w @ A.T).sum()), (A,)),
    "several": (
        lambda w: gw.linalg.svd(w, full_matrices=False)[1] * 2.0 + gw.unstack(w)[0].sum(),
        (A,),
    ),
    "sorted": (lambda w: gw.sort(w, 1).relu().cumsum(0), (A,)),
    "loop": (lambda c: gw.scan(lambda c, x: (c * x, c), c, [2.0, 3.0])[0], (0.5,)),
    "constant": (lambda x: (x, 2.0 * A), (0.5,)),
}


@pytest.mark.parametrize("name", COMPILED)
def test_a_compiled_function_is_a_program(name: str) -> None:
    f, args = COMPILED[name]
    compiled = gw.compile(f)
    expected, program = compiled(*args), compiled.program(*args).check()
    leaves = flatten(args)[0]
    found = program(*leaves)
    numbers = flatten(expected)[0]
    given = found if type(found) is tuple else (found,)
    assert len(numbers) == len(given)
    for a, b in zip(numbers, given, strict=True):
        assert np.array_equal(np.asarray(a), np.asarray(b)), "the same bits"
    assert program == compiled.program(*args)
    assert str(len(program)) in repr(program)


def test_a_guard_is_an_equation_without_a_result():
    program = gw.compile(branch).program(2.0)
    guard = program[1]
    assert guard.primitive is GUARD
    assert (guard.operands, list(guard.results), guard.params["answer"]) == ((1,), [], True)
    assert "_ = guard v1 [answer=True]" in str(program)
    assert "# test_program.py, line" in str(program)
    assert program(3.0) == 9.0
    with pytest.raises(OptionError, match=r"branch of the recorded run.*test_program"):
        program(-1.0)


def test_what_a_compiled_function_closes_over_is_an_input():
    w, t = Value(3.0), Tensor([1.0, 2.0])
    assert gw.compile(lambda x: x * w + w).program(2.0).inputs == 2
    program = gw.compile(lambda x: (x * t).sum()).program(2.0)
    assert [program.avals and program.avals[i] and program.avals[i].shape for i in range(2)] == [
        None,
        (2,),
    ]
    assert float(program(2.0, t.data)) == 6.0


# --- the gradient of a program --------------------------------------------------------------------


@examples(60)
@given(program=programs(NUMERIC, TAME_FLOAT))
def test_the_gradient_of_a_program_is_a_program(program: Any) -> None:
    _, known = program.run(Value)
    y = known[-1]
    assume(isinstance(y, Value) and y.op)
    listed = program_of(y)
    slopes = listed.grad().check()
    expected = gradients(y, [listed.sources[i] for i in range(listed.inputs)])
    found = slopes()
    found = found if type(found) is tuple else (found,)
    assert np.allclose(found, expected, 1e-12, 0.0, equal_nan=True)


@pytest.mark.parametrize("name", sorted(ARRAYS.keys() - {"values"}))
def test_the_gradient_of_a_program_of_arrays(name: str) -> None:
    w = Tensor(A, requires_grad=True)
    y = ARRAYS[name](w)
    expected = gw.gradients(y, [w])[0]
    slopes = program_of(y).grad().check()
    found = slopes()
    assert np.allclose(np.asarray(found[0] if type(found) is tuple else found), expected, 1e-12)


def test_the_gradient_of_a_gradient():
    x = Value(0.5, label="x")
    third = program_of(gw.sin(x) * x).grad().grad().grad()
    assert third(0.7) == pytest.approx(-gw.cos(0.7) * 0.7 - 3 * gw.sin(0.7))
    assert "program of x" in str(third)


def test_a_gradient_needs_numbers():
    with pytest.raises(OptionError, match="each of the 1 inputs"):
        gw.compile(lambda x: x * x).program(2.0).grad()
    assert gw.compile(lambda x: x * x).program(2.0).grad(3.0)(4.0) == 8.0


@pytest.mark.parametrize("name", ["checkpoint", "loop"])
def test_derivatives_flow_through_the_bodies_of_a_program(name: str) -> None:
    w = Tensor(A, requires_grad=True)
    program = program_of(ARRAYS[name](w))
    found = gw.grad(lambda w: program(w))(2.0 * A)
    assert np.allclose(found, gw.grad(ARRAYS[name])(2.0 * A))
    other = Tensor(2.0 * A, requires_grad=True)
    program(other).backward()
    assert np.allclose(other.grad, found)
