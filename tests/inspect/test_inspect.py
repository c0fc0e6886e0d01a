"""Trees, DOT, pictures and plots: they show the graph that is there, whatever its size."""

from __future__ import annotations

import builtins
import io
import math
import re
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Value, nn
from gradwalk.errors import DataError, MissingExtraError, NotANumberError, OptionError, SizeError
from gradwalk.inspect import draw, plot_boundary, plot_loss, to_dot, tree
from gradwalk.inspect.fold import fold, pattern
from gradwalk.inspect.graph import number, snapshot, tally
from gradwalk.inspect.layout import arrange

from ..helpers.amount import amount, examples

SVG = "{http://www.w3.org/2000/svg}"


def diamond():
    a = Value(2.0, "a")
    d = (a + 1) * (a * 3)
    d.backward()
    return d


def mlp_loss(points=40, sizes=(8, 8, 1)):
    net = nn.MLP(2, list(sizes), seed=0)
    inputs = [[0.1 * k, 1.0 - 0.05 * k] for k in range(points)]
    loss = nn.mse([net(x) for x in inputs], [k % 2 for k in range(points)])
    loss.backward()
    return loss


def chain(length):
    x = Value(1.0, "x")
    y = x
    for _ in range(length // 2):
        y = y * 1.0000001 + 1e-9
    return y


def parsed(drawing):
    return ElementTree.fromstring(drawing.svg)


def texts(drawing):
    return [element.text for element in parsed(drawing).iter(f"{SVG}text")]


def hovers(drawing):
    return [element.text for element in parsed(drawing).iter(f"{SVG}title")]


def shapes(drawing, kind):
    return [g for g in parsed(drawing).iter(f"{SVG}g") if kind == g.get("class")]


# --- numbers and names --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (0.0, "0"), (-0.0, "-0"), (2.0, "2"), (-3.0, "-3"), (6.8813735, "6.881"), (1e5, "100000"),
        (1e6, "1e6"), (123456.7, "1.235e5"), (1.5e-7, "1.5e-7"), (float("inf"), "inf"),
        (float("nan"), "nan"), (0.1 + 0.2, "0.3"),
    ],
)  # fmt: skip
def test_numbers_are_compact(x, shown):
    assert number(x) == shown


@given(st.floats(-1e308, 1e308))
def test_compact_numbers_are_close_and_short(x):
    assert float(number(x)) == pytest.approx(x, rel=5e-4, abs=1e-320)
    assert len(number(x)) <= 11


BELOW = Value(5.0)


def test_variables_of_the_caller_name_unlabelled_nodes():
    x, w = Value(1.0), [Value(2.0), Value(3.0)]
    parameters = {"bias": Value(4.0)}
    hidden = x * w[1]
    out = hidden + parameters["bias"] + BELOW + w[0]
    text = tree(out)
    for name in (
        "out = add",
        "hidden = mul",
        "─ x ",
        "w[0]",
        "w[1]",
        "parameters['bias']",
        "BELOW",
    ):
        assert name in text


def test_a_label_wins_and_a_switched_off_search_finds_nothing():
    a = b = Value(1.0, "mine")
    y = b * 2.0
    assert "mine" in tree(y)
    assert "a" not in {line.split()[0] for line in tree(y).splitlines()}
    del a
    c = Value(1.0)
    z = c * 2.0
    assert tree(z, names=False).splitlines()[0].startswith("mul")
    assert "─ leaf" in tree(z, names=False)


def test_of_two_names_the_shorter_wins_then_the_earlier():
    longer = first = other = Value(1.0)
    y = longer * 2.0
    assert "─ first" in tree(y)
    assert first is other


def test_local_names_go_before_global_ones():
    a_longer_local_name = BELOW
    assert "a_longer_local_name" in tree(a_longer_local_name * 2.0)


def test_names_at_the_top_of_a_program():
    scope = {"tree": tree, "Value": Value}
    exec("x = Value(2.0)\ny = x * x\ntext = tree(y)", scope)
    assert scope["text"].startswith("y = mul")


def test_private_names_and_the_history_of_a_notebook_are_passed_over():
    _hidden = Value(1.0)
    Out = {1: Value(2.0)}  # noqa: N806
    text = tree(_hidden * Out[1])
    assert text.count("leaf") == 2


def test_names_can_be_given():
    x, y = Value(1.0), Value(2.0)
    text = tree(x * y, names={"left": x, "rest": [y]})
    assert "left" in text
    assert "rest[0]" in text
    assert "─ x" not in text
    with pytest.raises(OptionError, match="names"):
        tree(x, names="x")


def test_the_search_for_names_survives_loops_and_large_scopes():
    loop: list[object] = []
    loop.append(loop)
    count = amount(100_000, 10_000)
    rows = [[float(k)] * 3 for k in range(count)]
    x = Value(1.0)
    late = [x]
    assert "─ x" in tree(late[0] * 2.0)
    assert len(rows) + len(loop) == count + 1


# --- the snapshot -------------------------------------------------------------------------------


@pytest.mark.parametrize("view", [tree, to_dot, draw])
def test_views_leave_the_graph_alone(view):
    x = Value(2.0)
    y = x * 3.0 + 1.0
    view(y)
    assert type(y._inputs[1]) is float


@pytest.mark.parametrize("view", [tree, to_dot, draw])
@pytest.mark.parametrize("wrong", [3.0, None, [1.0]])
def test_only_values_have_a_graph(view, wrong):
    with pytest.raises(NotANumberError, match="a Value"):
        view(wrong)


def test_constants_that_became_leaves_are_still_constants():
    x = Value(2.0)
    y = x * 3.0
    before = tree(y)
    assert y.operands[1].data == 3.0
    assert tree(y) == before
    assert tree(y.operands[1]).split() == ["constant", "data", "3"]


def test_tally_counts_kinds():
    items = snapshot(diamond(), {})
    assert tally(items) == "2 constants, 2 mul, 1 leaf, 1 add"
    assert tally(items, most=1) == "2 constants, 4 other"


# --- tree ---------------------------------------------------------------------------------------


def test_a_label_cannot_reach_the_terminal():
    x, y = Value(1.0, "a\x1b[31m\x00\x9b\ud800b"), Value(2.0, "größe ∂ 😀")
    text = tree(x * y, names=False)
    assert "─ a\ufffd[31m\ufffd\ufffd\ufffdb " in text
    assert "─ größe ∂ 😀" in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]", text)
    assert len({line.index("data") for line in text.splitlines()}) == 1, "still aligned"


def test_tree_shows_the_diamond_once():
    assert tree(diamond(), names=False).splitlines() == [
        "mul               data  18   grad   1",
        "├─ add            data   3   grad   6",
        "│  ├─ a           data   2   grad  15",
        "│  └─ constant    data   1",
        "└─ mul            data   6   grad   3",
        "   ├─ ↑ a",
        "   └─ constant    data   3",
    ]


def test_shared_nodes_without_a_name_of_their_own_are_numbered():
    x = Value(3.0, "same")
    square = x * Value(1.0, "same")
    lines = tree(square + square, names=False).splitlines()
    assert [line.split("  ")[0] for line in lines[1:2]] == ["├─ mul #1"]
    assert lines[-1] == "└─ ↑ mul #1"
    both = tree(x * x, names=False).splitlines()
    assert both[1].startswith("├─ same ")
    assert both[2] == "└─ ↑ same"
    twins = tree((x * x) + Value(0.0, "same"), names=False)
    assert "same #1" in twins


def test_a_long_chain_is_abbreviated():
    length = amount(100_000, 10_000)
    text = tree(chain(length))
    assert len(text.splitlines()) <= 100
    assert max(map(len, text.splitlines())) < 200
    hidden = length + length + 1 - len(text.splitlines())
    (remark,) = re.findall(r"… (.*)", text)
    counts = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?= )", remark)]
    assert sum(counts) == hidden


@pytest.mark.parametrize("lines", [1, 2, 3, 10, 50])
def test_max_lines_holds(lines):
    loss = mlp_loss(points=5)
    text = tree(loss, max_lines=lines)
    assert len(text.splitlines()) <= lines
    assert "…" in text


def test_max_depth_holds_and_nothing_is_left_out_of_a_small_graph():
    assert len(tree(chain(100), max_depth=3).splitlines()) == 7
    whole = tree(mlp_loss(points=2, sizes=(2, 1)), max_lines=10_000, max_depth=10_000)
    assert "…" not in whole


def test_a_hidden_part_that_is_shown_elsewhere_says_so():
    x = Value(2.0, "x")
    y = gw.exp(x)
    assert "… shown above" in tree(y * x, max_depth=1, names=False)


@pytest.mark.parametrize("option", [{"max_lines": 0}, {"max_depth": 0}, {"max_lines": 2.5}])
def test_limits_that_mean_nothing(option):
    with pytest.raises(OptionError, match=next(iter(option))):
        tree(Value(1.0), **option)


# --- DOT ----------------------------------------------------------------------------------------


def test_dot_has_every_node_operation_and_edge():
    dot = to_dot(diamond(), names=False)
    assert dot.startswith("digraph gradwalk {")
    assert len(re.findall(r"^  n\d+ \[shape=record", dot, re.M)) == 6
    assert len(re.findall(r"^  o\d+ \[shape=circle", dot, re.M)) == 3
    assert len(re.findall(r"^  n\d+ -> o\d+ ", dot, re.M)) == 6
    assert 'label="{a | data 2 | grad 15}"' in dot
    assert r"∂mul/∂a = 3\nargument a of a * b\ngrad 3 × 3 = 9 arrives" in dot


def test_dot_escapes_every_label():
    x = Value(1.0, 'a"b\\c{d}|<e>&amp;\n\x00f')
    (line,) = re.findall(r'^  n0 \[shape=record, label="((?:[^"\\]|\\.)*)"', to_dot(x * 2), re.M)
    assert line.startswith(r"{a\"b\\c\{d\}\|\<e\>&amp;amp; " + "\ufffdf | data 1")


def test_dot_folds_unless_told_otherwise():
    loss = mlp_loss(points=10)
    assert len(re.findall("shape=record", to_dot(loss))) < 60
    assert len(re.findall("shape=record", to_dot(loss, max_nodes=None))) == len(snapshot(loss, {}))


# --- pictures -----------------------------------------------------------------------------------


def test_a_picture_shows_names_numbers_and_operations():
    drawing = draw(diamond(), names=False)
    shown = Counter(texts(drawing))
    assert shown["a"] == 1
    assert shown["×"] == 2
    assert shown["+"] == 1
    assert shown["data"] == shown["grad"] == 4
    assert Counter(texts(drawing)) >= Counter(["2", "15", "3", "6", "18", "1"])
    assert len(shapes(drawing, "leaf")) == 1
    assert len(shapes(drawing, "constant")) == 2
    assert len(shapes(drawing, "inner")) == 2
    assert len(shapes(drawing, "root")) == 1
    assert repr(drawing) == "<drawing of 6 nodes; .save('graph.svg') writes it>"
    assert drawing._repr_svg_() == drawing.svg


def test_edges_hover_their_local_derivative():
    x, y = Value(3.0, "x"), Value(0.0, "y")
    out = gw.maximum(x * x, y) + gw.logsumexp([x, y])
    out.backward()
    drawing = draw(out, names=False)
    said = "\n".join(hovers(drawing))
    assert "∂mul/∂x = 3\nargument a of a * b\ngrad 1 × 3 = 3 arrives" in said
    assert "no gradient flows here\nargument b of maximum(a, b)" in said
    assert "argument rest of logsumexp(x, shift, rest)" in said
    assert len(shapes(drawing, "edge blocked")) == 1
    assert "a constant" in hovers(draw(x * 2.0))[-1] + "".join(hovers(draw(x * 2.0)))


@pytest.mark.parametrize(
    "label",
    ["<script>alert('x')</script>", 'a"b&c', "\x00\x1b\ud800", "日本語", "&lt;", "]]>", " "],
)
def test_labels_are_escaped(label):
    drawing = draw(Value(1.0, label) * 2.0)
    root = parsed(drawing)
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    clean = re.sub(r"[\x00\x1b\ud800]", "\ufffd", label)
    shown = " ".join(clean.split())
    assert not shown or shown in texts(drawing)
    drawing.svg.encode("utf-8")


def test_a_long_label_is_shortened_and_hovers_in_full():
    drawing = draw(Value(1.0, "a" * 60) * 2.0)
    assert max(len(t) for t in texts(drawing)) == 28
    assert any("a" * 60 in hover for hover in hovers(drawing))


def test_colours_serve_light_and_dark_screens_and_stay_inside_the_picture():
    style = parsed(draw(diamond())).find(f"{SVG}style").text
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    selectors = re.findall(r"([^{}\n]+) \{", light)
    assert all(s.strip().startswith(".gradwalk") for line in selectors for s in line.split(","))
    assert ".gradwalk .paper { fill: #ffffff }" in light
    assert ".gradwalk .paper { fill: #0f1720 }" in dark


def test_the_same_graph_gives_the_same_bytes():
    assert draw(mlp_loss()).svg == draw(mlp_loss()).svg
    assert to_dot(mlp_loss()) == to_dot(mlp_loss())


def test_saving(tmp_path):
    drawing = draw(diamond())
    path = drawing.save(tmp_path / "graph.svg")
    assert path.read_text(encoding="utf-8") == drawing.svg
    assert ElementTree.parse(path).getroot().tag == f"{SVG}svg"
    with pytest.raises(OptionError, match=r"\.svg"):
        drawing.save(tmp_path / "graph.png")


@pytest.mark.parametrize("view", [draw, to_dot])
@pytest.mark.parametrize("max_nodes", [0, 2, 2.5, "all"])
def test_max_nodes_that_mean_nothing(view, max_nodes):
    with pytest.raises(OptionError, match="max_nodes"):
        view(Value(1.0), max_nodes=max_nodes)


def test_a_single_leaf_has_a_picture():
    assert len(shapes(draw(Value(1.0)), "root")) == 1


# --- layout -------------------------------------------------------------------------------------

sizes = st.tuples(st.floats(20.0, 200.0), st.floats(20.0, 60.0))


@st.composite
def graphs(draw_from):
    """Sizes and edges of a graph in which everything leads to the last box, as in a real one."""
    count = draw_from(st.integers(1, 14))
    edges = []
    for k in range(1, count):
        operands = draw_from(st.lists(st.integers(0, k - 1), min_size=0, max_size=3))
        edges += [(j, k) for j in operands]
    used = {j for j, _ in edges}
    edges += [(j, count - 1) for j in range(count - 1) if j not in used]
    return [draw_from(sizes) for _ in range(count)], edges


@examples(150)
@given(graphs())
def test_boxes_do_not_overlap_and_edges_run_through_none(graph):
    boxes, edges = graph
    plan = arrange(boxes, edges)
    spans = [
        (x, y - h / 2, x + w, y + h / 2) for (x, y), (w, h) in zip(plan.places, boxes, strict=True)
    ]
    for i, a in enumerate(spans):
        assert a[0] >= -1e-6
        assert a[1] >= -1e-6
        assert a[2] <= plan.width + 1e-6
        assert a[3] <= plan.height + 1e-6
        for b in spans[:i]:
            apart = a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
            assert apart
    for (source, target), path in zip(edges, plan.paths, strict=True):
        assert spans[source][2] <= path[0][0] + 1e-6
        assert path[-1][0] == spans[target][0]
        assert all(a[0] <= b[0] + 1e-6 for a, b in pairwise(path))
        others = [s for k, s in enumerate(spans) if k not in (source, target)]
        for k, ((x0, y0), (x1, y1)) in enumerate(pairwise(path)):
            if k % 2:  # through a layer, on one level
                assert y0 == y1
                assert not [s for s in others if x0 < s[2] and s[0] < x1 and s[1] < y0 < s[3]]
            else:  # a curve between two layers
                assert not [s for s in others if x0 + 1e-6 < s[2] and s[0] < x1 - 1e-6]


def test_a_tree_is_drawn_without_crossings_and_leaves_stand_beside_their_user():
    a, b, c = Value(2.0, "a"), Value(-3.0, "b"), Value(10.0, "c")
    items = snapshot(a * b + c, {})
    edges = [(j, k) for k, item in enumerate(items) for j in item.inputs]
    plan = arrange([(50.0, 30.0)] * len(items), edges)
    place = {item.name or item.op: plan.places[k] for k, item in enumerate(items)}
    assert place["a"][0] == place["b"][0] < place["mul"][0] == place["c"][0] < place["add"][0]
    assert place["a"][1] < place["mul"][1] < place["b"][1]
    assert place["mul"][1] < place["add"][1] < place["c"][1]


def test_crossings_are_removed():
    edges = [(0, 5), (1, 4), (2, 3), (3, 6), (4, 6), (5, 6)]
    plan = arrange([(40.0, 20.0)] * 7, edges)
    sources = sorted(range(3), key=lambda k: plan.places[k][1])
    targets = sorted(range(3, 6), key=lambda k: plan.places[k][1])
    assert [5 - s for s in sources] == targets


# --- folding ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("l0.n3.w7", "l0.n*.w*"), ("layers.0.weights.7", "layers.0.weights.*"), ("x12", "x*"),
        ("w[3][1]", "w[*][*]"), ("loss", "loss"), ("layers.0", "layers.*"), ("", ""),
        ("layers.0.neurons.3.bias", "layers.0.neurons.*.bias"),
    ],
)  # fmt: skip
def test_patterns_of_names(name, expected):
    assert pattern(name) == expected


def check_partition(items, groups, max_nodes):
    assert len(groups) <= max_nodes
    assert sorted(i for g in groups for i in g.members) == list(range(len(items)))
    assert groups[-1].members == [len(items) - 1]
    at = {i: k for k, group in enumerate(groups) for i in group.members}
    between = Counter(
        (at[j], at[i]) for i, item in enumerate(items) for j in item.inputs if at[i] != at[j]
    )
    assert between == {(j, k): n for k, group in enumerate(groups) for j, n in group.inputs.items()}
    assert all(j < k for j, k in between)


@examples(100)
@given(st.data(), st.integers(3, 30))
def test_folding_keeps_every_node_and_every_edge(data, max_nodes):
    names = st.sampled_from(["", "", "", "w1", "w2", "b", "layers.0.x", "layers.1.x"])
    nodes = [Value(1.0, data.draw(names)) for _ in range(3)]
    ops = [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - 1.5, lambda a, b: gw.tanh(b)]
    for _ in range(data.draw(st.integers(1, 60))):
        pick = st.sampled_from(nodes)
        node = data.draw(st.sampled_from(ops))(data.draw(pick), data.draw(pick))
        node.label = data.draw(names)
        nodes.append(node)
    items = snapshot(nodes[-1], {})
    check_partition(items, fold(items, max_nodes), max_nodes)


def test_the_loss_of_a_network_folds_into_the_network():
    points = amount(100, 20)
    loss = mlp_loss(points=points, sizes=(16, 16, 1))
    items = snapshot(loss, {})
    assert len(items) > 600 * points
    groups = fold(items, 300)
    check_partition(items, groups, 30)
    titles = [group.title for group in groups]
    for title in (
        *("l0.n*.w*", "l0.n*.b", "l1.n*.w*", f"{32 * points:,} mul", f"{256 * points:,} mul"),
        *(f"{32 * points:,} add", f"{256 * points:,} add"),
    ):
        assert title in titles
    assert titles.count(f"{16 * points:,} tanh") == 2
    drawing = draw(loss)
    assert len(shapes(drawing, "group")) > 10
    assert len(drawing.svg) < 100_000
    assert f"{256 * points:,} edges" in hovers(drawing)


def test_parameters_without_names_are_told_apart_by_their_use():
    first, second = ([Value(0.1 * k) for k in range(20)] for _ in range(2))
    hidden = [gw.tanh(w * 0.5) for w in first]
    loss = sum(h * w for h, w in zip(hidden, second, strict=True))
    items = snapshot(loss, {})
    groups = fold(items, 30)
    check_partition(items, groups, 12)
    assert [group.title for group in groups].count("20 leaves") == 2


def test_a_sum_is_one_box_however_it_was_added_up():
    xs = [Value(1.0, f"x{k}") for k in range(64)]
    pairs = xs
    while len(pairs) > 1:
        pairs = [a + b for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
    in_a_row = xs[0]
    for x in xs[1:]:
        in_a_row = x - in_a_row
    for total in (gw.exp(pairs[0]), gw.exp(in_a_row)):
        groups = fold(snapshot(total, {}), 10)
        assert [len(group.members) for group in groups] == [64, 63, 1]


def test_a_recurrence_is_cut_into_bands_of_depth():
    items = snapshot(chain(20_000), {})
    groups = fold(items, 300)
    check_partition(items, groups, 20)
    bands = [group for group in groups if group.title.startswith("depth ")]
    assert len(bands) == 8
    assert [group.title for group in groups[:-1] if group not in bands] == ["x"]
    assert bands[0].title == "depth 1–2,500"


def test_many_different_names_are_folded_all_the_same():
    letters = [f"{a}{b}" for a in "abcdefgh" for b in "stuvwxyz"]
    total = sum(gw.tanh(Value(1.0, name)) for name in letters)
    items = snapshot(gw.exp(total) * 2.0, {})
    check_partition(items, fold(items, 20), 20)


def test_groups_show_the_span_of_their_numbers():
    xs = [Value(float(k), f"x{k + 2}") for k in range(-2, 10)] + [Value(float("nan"), "x99")]
    total = gw.exp(sum(gw.tanh(x) for x in xs))
    shown = texts(draw(total, max_nodes=10))
    assert "data -2 … 9, nan" in shown
    assert "grad 0" in shown
    nans = [Value(float("nan"), f"n{k}") for k in range(12)]
    assert "data nan" in texts(draw(gw.exp(sum(nans)), max_nodes=10))


def test_a_mixed_chain_is_named_after_what_it_computes():
    xs = [Value(1.0, f"x{k}") for k in range(20)]
    total = xs[0]
    for k, x in enumerate(xs[1:]):
        total = total + x if k % 2 else total - x
    groups = fold(snapshot(gw.exp(total), {}), 10)
    assert [group.title for group in groups] == ["x*", "sum", "root"]
    assert "10 sub, 9 add" in texts(draw(gw.exp(total), max_nodes=10, names=False))


# --- plots --------------------------------------------------------------------------------------


def test_plot_loss_draws_one_curve_per_name(tmp_path):
    losses = {"train": [1.0, Value(0.5), 0.25], "test": [1.5, 1.0, 0.75]}
    figure = plot_loss(losses, tmp_path / "loss.png", title="Moons", log=True)
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = figure.axes
    assert axes.get_yscale() == "log"
    curves = [line for line in axes.lines if len(line.get_xdata()) > 1]
    assert [list(c.get_ydata()) for c in curves] == [[1.0, 0.5, 0.25], [1.5, 1.0, 0.75]]
    assert [t.get_text() for t in axes.texts] == ["train 0.25", "test 0.75"]


def test_plot_loss_of_one_list():
    (axes,) = plot_loss([3.0], xlabel="step", ylabel="error").axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("step", "error")
    assert [t.get_text() for t in axes.texts] == ["3"]
    assert axes.get_yscale() == "linear"


@pytest.mark.parametrize("losses", [[], {"train": []}])
def test_plot_loss_of_nothing(losses):
    with pytest.raises(DataError, match="at least one loss"):
        plot_loss(losses)


@pytest.mark.parametrize(
    ("losses", "log", "last", "note"),
    [
        ([1.0, 0, 0], True, (1, 1.0), "1"),
        ([1.0, 0.5, -1.0], True, (2, 0.5), "0.5"),
        ([1.0, float("inf")], False, (1, 1.0), "1"),
        ([1.0, float("nan"), 0.0], False, (3, 0.0), "0"),
        ([float("-inf"), 2.0, float("nan")], True, (2, 2.0), "2"),
    ],
)
def test_a_curve_ends_at_the_last_number_that_has_a_place(tmp_path, losses, log, last, note):
    (axes,) = plot_loss(losses, tmp_path / "l.png", log=log).axes
    line, dot = axes.lines
    assert len(line.get_ydata()) == len(losses)
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == last
    assert [t.get_text() for t in axes.texts] == [note]


@pytest.mark.parametrize("log", [False, True])
def test_a_curve_without_any_such_number_is_empty(tmp_path, log):
    (axes,) = plot_loss([float("nan"), float("inf")], tmp_path / "l.png", log=log).axes
    assert len(axes.lines) == 1
    assert not axes.texts


@pytest.mark.parametrize("losses", [3, None, {"train": 3.0}])
def test_losses_are_a_list(losses):
    with pytest.raises(DataError, match="a list of at least one loss, got"):
        plot_loss(losses)


POINTS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def drawn_points(figure):
    """Label, count and missed points of each class."""
    return [
        (c.get_label(), len(c.get_offsets()), sum(w > 1.0 for w in c.get_linewidths()))
        for c in figure.axes[0].collections
        if c.get_label()[:1] != "_"
    ]


@pytest.mark.parametrize("targets", [[0, 1, 1, 0], [-1, 1, 1, -1]])
def test_plot_boundary_of_a_score(tmp_path, targets):
    def model(x):
        return Value(x[0]) + x[1] - 0.5  # right but for (1, 1)

    file = tmp_path / "b.svg"
    figure = plot_boundary(model, zip(POINTS, targets, strict=True), file, resolution=10)
    assert "<svg" in file.read_text(encoding="utf-8")
    low, high = sorted(set(targets))
    assert drawn_points(figure) == [(str(low), 2, 1), (str(high), 2, 0)]
    assert len(figure.axes[0].images) == 1


def test_the_threshold_says_where_the_classes_part():
    targets = [0, 1, 1, 1]
    figure = plot_boundary(
        lambda x: max(x), zip(POINTS, targets, strict=True), threshold=0.5, resolution=10
    )
    assert drawn_points(figure) == [("0", 1, 0), ("1", 3, 0)]


def test_plot_boundary_of_one_score_per_class():
    centres = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.5)]

    def model(x):
        return [-((x[0] - a) ** 2) - (Value(x[1]) - b) ** 2 for a, b in centres]

    figure = plot_boundary(model, zip(POINTS, [0, 1, 2, 1], strict=True), resolution=12)
    assert drawn_points(figure) == [("0", 1, 0), ("1", 2, 1), ("2", 1, 0)]


@pytest.mark.parametrize("model", [lambda x: 1.0, lambda x: [1.0, 0.0], lambda x: 0.0])
def test_a_model_that_says_the_same_everywhere(model):
    figure = plot_boundary(model, [([1.0, 2.0], 1)], resolution=3)
    assert len(drawn_points(figure)) == 1


def infinite(x):
    return float("inf") if x[0] > 0.5 else float("-inf")


@pytest.mark.parametrize(
    "model",
    [
        infinite,
        lambda x: float("inf"),
        lambda x: float("nan"),
        lambda x: infinite(x) if x[1] > 0.5 else x[0] - 0.5,
        lambda x: float("nan") if x[1] > 0.8 else x[0] - 0.5,
        lambda x: (x[0] - 0.5) * 1e308,
        lambda x: [infinite(x), -infinite(x)],
        lambda x: [infinite(x), x[0], x[1]],
        lambda x: [float("nan"), x[0]] if x[1] > 0.8 else [x[1], x[0]],
        lambda x: [float("nan")] * 2,
    ],
)
def test_scores_that_are_not_finite_can_be_drawn(tmp_path, model):
    figure = plot_boundary(model, zip(POINTS, [0, 0, 1, 1], strict=True), tmp_path / "b.png")
    assert sum(count for _, count, _ in drawn_points(figure)) == 4
    for image in figure.axes[0].images:
        assert not any(map(math.isinf, image.get_array().compressed()))


def test_an_infinite_score_means_its_class_and_the_line_is_drawn(tmp_path):
    figure = plot_boundary(infinite, zip(POINTS, [0, 0, 1, 1], strict=True), resolution=8)
    assert drawn_points(figure) == [("0", 2, 0), ("1", 2, 0)]
    assert len(figure.axes[0].collections) == 3, "two classes and the contour"


def test_plot_boundary_records_nothing_and_takes_a_data_set():
    from gradwalk.data import moons

    seen = []

    def model(x):
        seen.append(Value(x[0]) * 2.0)
        return seen[-1]

    plot_boundary(model, moons(20, seed=0), resolution=5)
    assert len(seen) == 5 * 5 + 20
    assert all(not node.operands for node in seen)


def test_plot_boundary_names_what_is_wrong():
    with pytest.raises(SizeError, match="point 1"):
        plot_boundary(sum, [([0.0, 1.0], 0), ([1.0, 2.0, 3.0], 1)])
    with pytest.raises(DataError, match="at least one point"):
        plot_boundary(sum, [])
    for data in (POINTS, [[1.0, 2.0, 3.0]], 3, [(1.0, 2.0)]):
        with pytest.raises(DataError, match=r"pairs of a point and its target.*zip\(points"):
            plot_boundary(sum, data, [0, 1])
    with pytest.raises(NotANumberError, match="got str 'cat'"):
        plot_boundary(sum, [([0.0, 1.0], "cat")])
    with pytest.raises(DataError, match="finite points and targets"):
        plot_boundary(sum, [([0.0, float("inf")], 1)])
    with pytest.raises(OptionError, match="resolution"):
        plot_boundary(sum, [([0.0, 1.0], 0)], resolution=1)


def test_plots_leave_pyplot_alone_and_can_be_written_to_memory():
    import sys

    sys.modules.pop("matplotlib.pyplot", None)
    buffer = io.BytesIO()
    plot_loss([1.0, 0.5]).savefig(buffer)
    assert buffer.getvalue()
    assert "matplotlib.pyplot" not in sys.modules


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"gradwalk\[plot\]"):
        plot_loss([1.0])
