"""Judge neurons, layers, MLPs, training, numerical gradients, and deep graphs, from facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import exp, isfinite, tanh
from typing import Any, Final

from .graph import close, number
from .programs import OTHERS, SCALES
from .report import Mistake
from .source import Source

__all__ = ["other_mistakes"]

Facts = dict[str, Any]
PHASE_OF: Final = {"net": 8, "numerical": 7, "train": 9, "deep": 11, "wide": 11}
"""The phase of each kind of program that is not a formula."""

SIZES: Final = {"neuron": 4, "layer": 16, "layer.single": 4, "mlp": 41, "mlp.two": 17}
LENGTHS: Final = {"neuron": 1, "layer": 4, "layer.single": 1, "mlp": 1, "mlp.two": 2}


def _mistake(
    id: str,
    phase: int,
    title: str,
    says: str,
    hints: tuple[str, str, str],
    line: int | None,
    program: str = "",
    level: str = "wrong",
) -> Mistake:
    return Mistake(
        id, phase, title, says, level, "", "exact", 1, line, (), program, {}, None, hints
    )


def _raised(key: str, phase: int, facts: Facts, source: Source) -> Mistake:
    error, text = facts["error"], _text(key)
    # the mistake is rarely in the class of numbers, which passed before: it was given nonsense
    outside = [x for x in error.get("lines", ()) if not source.in_engine(x)]
    line = (outside or [error["line"]])[-1] or source.refused(error["message"])
    shown = source.line(line)
    return _mistake(
        f"{key}_raises".replace(".", "_"),
        phase,
        f"{text} raises {error['type']}: {error['message']}",
        f"It ends with {error['type']}: {error['message']}"
        + (f" in line {line}, `{shown}`." if shown else "."),
        (f"Run {text} by itself.", f"{error['type']}: {error['message']}", f"Look at `{shown}`."),
        line,
        text,
    )


def _text(key: str) -> str:
    row = OTHERS[key]
    if row["kind"] == "net":
        return f"{row['class']}({', '.join(map(str, row['args']))})({row['xs']})"
    if row["kind"] == "train":
        return f"train(MLP(2, [3, 1]), xs, ys, {row['steps']}, {row['lr']})"
    if row["kind"] == "numerical":
        return "numerical_gradient(f, x, eps), with f = x ** 3 + x at x = 2"
    if row["kind"] == "deep":
        return f"y = a + a + a ..., {row['times']} times"
    return f"x = x + x, {row['times']} times"


_LISTS: Final = {
    "parameters_shared",
    "parameters_new",
    "parameters_nested",
    "parameters_incomplete",
    "bias_not_in_parameters",
    "bias_unused",
    "weight_unused",
}
ECHOES: Final = {
    "train_some": _LISTS,
    "no_update": {"parameters_new", "steps_wrong"},
    "train_raises": {"parameters_new", "parameters_nested", "zero_grad_none"},
    "train_long_raises": {"parameters_new", "parameters_nested", "zero_grad_none"},
    "bias_unused": {"weight_unused"},
    "layer_skipped": {"weight_unused", "bias_unused"},
    "train_no_zero": {"zero_grad_incomplete"},
    "no_activation": {"parameters_shared", "weight_unused"},
}
"""Mistakes that only repeat others, which were found before."""


def other_mistakes(
    records: dict[str, Facts], stopped: list[Facts], source: Source, engine: Facts, sound: bool
) -> Iterator[tuple[str, int, Mistake | None]]:
    """Yield each program with its phase, and the mistakes that it shows, or ``None``.

    ``sound`` says whether the phases before are right: else gradients of nets are not judged.
    """
    nothing: list[Mistake | None] = [None]
    known: set[str] = set()
    for key, row in OTHERS.items():
        kind = row["kind"]
        phase = PHASE_OF[kind]
        if key not in records:
            continue
        facts = records[key]
        found: list[Mistake | None] = list(_judged(key, kind, facts, source, engine, sound))
        if key == "train.rate":
            found = list(_rate_unused(records, source))
        if kind == "net" and facts.get("zeroed") is not None:
            raised = str((records.get("train", {}).get("error") or {}).get("message"))
            strict = "NoneType" in raised and engine["empty"] is not None
            zero: list[Mistake | None] = list(_zeroed(facts, source, row["class"], strict))
            for mistake in zero or nothing:
                known |= {mistake.id} if mistake else set()
                yield f"{key}.zero", 12, mistake
        for mistake in found or nothing:
            if mistake and any(mistake.id == echo and known & of for echo, of in ECHOES.items()):
                continue
            known |= {mistake.id} if mistake else set()
            yield key, phase, mistake


def _judged(
    key: str, kind: str, facts: Facts, source: Source, engine: Facts, sound: bool
) -> Iterator[Mistake]:
    late = (facts.get("error") or {}).get("type") == "TooLongError"
    if kind == "wide" and late:
        yield slow(source)
    elif facts.get("crash"):
        if sound:
            yield _raised(key, PHASE_OF[kind], facts, source)
    elif kind in ("deep", "wide"):
        yield from (_deep if kind == "deep" else _wide)(facts, source, engine, sound)
    elif kind == "numerical":
        yield from _numerical(key, facts, source)
    elif facts.get("error"):
        listed = list(_listed(key, facts, source)) if kind == "net" else []
        yield from listed or [_raised(key, 8 if kind == "net" else 9, facts, source)]
    elif kind == "net":
        yield from _net(key, facts, source, sound)
    elif key == "train":
        yield from _train(facts, source, sound)
    elif sound:
        yield from _long(facts, source)


# --- phase 8 --------------------------------------------------------------------------------------


def _sayer(key: str, line: int | None) -> Callable[..., Mistake]:
    """Return what makes a mistake of phase 8 from its words."""

    def say(id: str, title: str, says: str, *hints: str, at: int | None = line) -> Mistake:
        return _mistake(id, 8, title, says, (hints[0], hints[1], hints[2]), at, _text(key))

    return say


def _listed(key: str, facts: Facts, source: Source) -> Iterator[Mistake]:
    """Judge what ``parameters()`` returns, which is known even if the net raises an exception."""
    kind = OTHERS[key]["class"]
    say = _sayer(key, source.returns("parameters", kind))
    if "parameters" not in facts:
        return
    given = facts["parameters"]
    if given is None:
        yield say(
            "parameters_missing",
            f"{kind} has no method parameters()",
            "Training needs a flat list of all Values that it may change.",
            "What can training change?",
            f"{kind}.parameters is not written.",
            "`def parameters(self):`",
            at=source.start("__init__", kind),
        )
        return
    strange = [x for x in given if x != "value"]
    if strange:
        nested = strange[0] in ("list", "tuple")
        flat = "nested lists, not one flat list"
        wrong_kind = flat if nested else f"a {strange[0]} instead of Values"
        yield say(
            "parameters_nested" if nested else "parameters_not_values",
            f"{kind}.parameters() returns {wrong_kind}",
            f"It must be one flat list of Values; among them is a {strange[0]}"
            + (" (use a flat list, extend instead of append)." if nested else "."),
            "What type has each element of parameters()?",
            f"Some are a {strange[0]}.",
            "`[p for n in self.neurons for p in n.parameters()]`",
            at=source.mentions("append", "parameters", kind) or source.returns("parameters", kind),
        )


def _net(key: str, facts: Facts, source: Source, sound: bool) -> Iterator[Mistake]:
    kind, text = OTHERS[key]["class"], _text(key)
    line = source.returns("parameters", kind) or source.start("parameters", kind)
    call = source.returns("__call__", kind) or source.returns("forward", kind)
    init = source.start("__init__", kind)
    say = _sayer(key, line)
    if listed := list(_listed(key, facts, source)):
        yield from listed
        return
    given = facts["parameters"]
    influence = dict(facts["influence"])
    moves = {p: max(abs(influence[p]), abs(x)) for p, x in facts["positive"]}
    known = {p for p in facts["paths"] if p in influence}
    hidden = [p for p in influence if p not in known and moves[p] > 1e-9]
    if facts["distinct"] < len(given):
        yield say(
            "parameters_shared",
            f"{kind}.parameters() has the same Value several times: shared weights or duplicates",
            f"{len(given)} parameters are only {facts['distinct']} different objects, as "
            "[Value(...)] * n makes them (one object, copied references).",
            "Change one weight. How many change?",
            "Several weights are one object.",
            "`[Value(...) for _ in range(nin)]`",
            at=_made(source, kind) or init,
        )
        return
    if not facts["same"]:
        yield say(
            "parameters_new",
            f"{kind}.parameters() makes new Values at each call",
            "Each call must return the same objects, else training changes copies.",
            "Are parameters()[0] and parameters()[0] the same object?",
            "New objects are made at each call.",
            "make the Values in `__init__`",
        )
        return
    if hidden:
        biases = [p for p in hidden if p.rsplit(".", 1)[-1].startswith("b")]
        bias = bool(biases) and len(biases) == len(hidden)
        what = (
            f"the bias ({_last(hidden[0])})"
            if bias
            else f"{len(hidden)} Values, such as {hidden[0]},"
        )
        yield say(
            "bias_not_in_parameters" if bias else "parameters_incomplete",
            f"{what} {'is' if bias else 'are'} not in {kind}.parameters(): missing",
            f"parameters() of {text.split(')(')[0]}) returns {len(given)} Values, and "
            f"{len(known) + len(hidden)} take part: {', '.join(hidden[:3])} would "
            "never be trained.",
            f"Count the parameters of {kind}: {SIZES[key]} are needed.",
            "What is added to w·x is trained, too." if bias else f"{hidden[0]} is missing.",
            "`return self.w + [self.b]`"
            if kind == "Neuron"
            else "`[p for part in all parts for p in part.parameters()]`",
        )
    if len(given) != SIZES[key] and not hidden and key != "layer.single":
        few = len(given) < SIZES[key]
        missing = SIZES[key] - len(given)
        bias_less = few and missing == {"neuron": 1, "layer": 4, "mlp": 9, "mlp.two": 5}[key]
        yield say(
            "no_bias" if bias_less else "wrong_count",
            f"{text.split(')(')[0]}) has {len(given)} parameters instead of {SIZES[key]}"
            + (
                ": there is no bias"
                if bias_less
                else ": sizes are wrong"
                if not few
                else ": some are missing"
            ),
            f"{SIZES[key]} are needed: for each neuron a weight per input, and a bias. Check the "
            "sizes of the layers, and what parameters() collects.",
            "Count by hand: how many weights and biases?",
            f"Yours has {len(given)}.",
            "each layer takes as many inputs as the one before has outputs",
            at=init if bias_less or not few else _sizes(source, kind) or line,
        )
    start = [number(x) for x in facts["start"]]
    weights = [x for x in start if x is not None]
    if (
        len(weights) > 2
        and facts["distinct"] == len(given)
        and max(weights) == min(weights)
        and key in ("neuron", "mlp")
    ):
        yield say(
            "weights_equal",
            f"all weights of {kind} start at the same number, {weights[0]:g} (not random)",
            "Neurons that start equal get equal gradients and stay equal (symmetry): begin with "
            "random numbers.",
            "Two neurons with equal weights: what are their gradients?",
            "All weights are equal.",
            "`Value(random.uniform(-1, 1))`",
            at=_made(source, kind) or init,
        )
    shape = [x for x in facts["kinds"] if x != "value"]
    if shape:
        yield say(
            "output_not_value",
            f"{kind} returns a {shape[0]} instead of a Value",
            "The output must be a Value, or gradients cannot go back through it.",
            "What type has the output?",
            f"It is a {shape[0]}.",
            "no .data in the forward pass",
            at=call,
        )
        return
    if len(facts["outputs"]) != LENGTHS[key]:
        yield say(
            "output_count",
            f"{text} returns {len(facts['outputs'])} numbers instead of {LENGTHS[key]}",
            "A layer has one output per neuron.",
            "How many neurons has the layer?",
            "The number of outputs is wrong.",
            "`[n(x) for n in self.neurons]`",
            at=call,
        )
        return
    unused = sorted(p for p in known if moves.get(p, 1.0) < 1e-9)
    skipped = _skipped_layer(unused, known) if kind == "MLP" else None
    if skipped:
        yield say(
            "layer_skipped",
            f"MLP: {skipped} has no influence: its output is not the input of the next layer",
            "Each layer takes the output of the one before as its input, and the last one's "
            "output is the result.",
            "Follow the input x through all layers. Which layer gets what?",
            f"Nothing that {skipped} returns is used.",
            "`x = layer(x)`, for each layer",
            at=call,
        )
    elif key == "neuron" and _only_last(unused, known):
        yield say(
            "sum_overwritten",
            f"Neuron: only the last product takes part: {_last(unused[0])} has no influence",
            "The weighted sum is overwritten in each turn of the loop (= instead of +=): all "
            "products of weights and inputs must add up, with the bias.",
            "Change the first weight. Does the output change?",
            "Only the last weight and input count.",
            "`z = z + wi * xi`",
            at=_used(source, unused[-1]) or call,
        )
    elif unused:
        biases = [p for p in unused if _last(p).startswith("b")]
        products = "each weight must be multiplied with its input (zip may cut the list short)"
        right = "the bias must be added" if biases else products
        what = (
            "the bias is not used"
            if len(biases) == len(unused)
            else f"{_last(unused[0])} is not used"
        )
        yield say(
            "bias_unused" if biases else "weight_unused",
            f"{kind}: {what} in the forward pass: it has no influence (unused)",
            f"Changing {', '.join(unused[:3])} changes nothing; {right}.",
            "Change the parameter. Does the output change?",
            f"{unused[0]} has no influence.",
            "`sum(w * x) + b`",
            at=(_used(source, unused[0]) if kind == "Neuron" else None) or call,
        )
    if (
        key in ("mlp", "neuron")
        and _affine(facts["line"])
        and (key == "mlp" or "MLP" not in source.text)
    ):
        yield say(
            "no_activation",
            f"{kind} is a straight line: the activation (nonlinearity) is missing",
            "Without tanh or relu between layers, an MLP is linear, however many layers it has.",
            "Double the inputs. Does the output double (apart from the bias)?",
            "There is no activation.",
            "`act.tanh()`",
            at=source.returns("__call__", "Neuron") or call,
        )
    if key == "neuron" and not unused and not hidden:
        yield from _sum_of_products(facts, source, say, call)
    if sound and facts.get("grads"):
        grads = {path: number(g) or 0.0 for path, g in facts["grads"]}
        wrong = [p for p in known if not close(grads.get(p, 0.0), influence[p], 1e-4)]
        if wrong and not _dead(facts) and not unused:
            p = wrong[0]
            yield say(
                "net_gradient",
                f"{kind}: the gradient of {p} is {grads.get(p, 0.0):.4g}, and a small change says "
                f"{influence[p]:.4g}",
                "The output depends on this parameter in a way that backward does not "
                "see (cut graph), "
                "or counts it wrongly.",
                "Which part of the forward pass uses .data?",
                f"{len(wrong)} of {len(known)} gradients are wrong.",
                "keep Values until the output",
                at=call,
            )


def _only_last(unused: list[str], known: set[str]) -> bool:
    weights = sorted(p for p in known if not _last(p).startswith("b"))
    return len(weights) > 2 and sorted(p for p in unused if p in weights) == weights[:-1]


def _sizes(source: Source, kind: str) -> int | None:
    """Return the line where an MLP gives its layers their sizes."""
    return source.mentions("Layer(", "__init__", kind) if kind == "MLP" else None


def _skipped_layer(unused: list[str], known: set[str]) -> str | None:
    """Return the layer whose parameters all have no influence, if there is one."""

    def layer(path: str) -> str:
        return path[: path.find("]") + 1]

    for name in sorted({layer(p) for p in unused}):
        if name and all(p in unused for p in known if layer(p) == name):
            return name
    return None


def _last(path: str) -> str:
    """Return the last name of a path: ``"w[0]"`` of ``"self.neurons[1].w[0]"``."""
    return path.rsplit(".", 1)[-1]


def _made(source: Source, kind: str) -> int | None:
    for name in (kind, "Neuron", "Layer"):
        for number_ in (
            source.mentions("] *", "__init__", name),
            source.mentions("Neuron(", "__init__", name) if name == "Layer" else None,
            source.mentions("Value(", "__init__", name),
        ):
            if number_:
                return number_
    return None


def _dead(facts: Facts) -> bool:
    """Whether a relu blocks everything, so that no influence says nothing."""
    return all(abs(slope) < 1e-9 for _, slope in facts["influence"])


def _affine(lines: list[list[Any]]) -> bool:
    rows = [[number(x) for x in row] for row in lines]
    if any(x is None or not isfinite(x) for row in rows for x in row):
        return False
    at, zero = SCALES.index(1.0), SCALES.index(0.0)
    for row, t in zip(rows, SCALES, strict=True):
        for i, y in enumerate(row):
            y0, y1 = rows[zero][i], rows[at][i]
            if y is None or y0 is None or y1 is None:
                return False
            if not close(y, y0 + t * (y1 - y0), 1e-6):
                return False
    return True


def _is_bias(path: str, slopes: dict[str, float], xs: list[float]) -> bool:
    if abs(slopes[path]) < 1e-9:
        return False
    shares = sorted(slopes[p] / slopes[path] for p in slopes if p != path)
    return len(shares) == len(xs) and all(
        close(a, b, 1e-3) for a, b in zip(shares, sorted(xs), strict=True)
    )


def _used(source: Source, path: str) -> int | None:
    """Return the line of a neuron's forward pass that uses a parameter."""
    name = "." + _last(path).partition("[")[0]
    calls = ("__call__", "forward")
    return next((at for call in calls if (at := source.mentions(name, call, "Neuron"))), None)


def _sum_of_products(facts: Facts, source: Source, say: Any, call: int | None) -> Iterator[Mistake]:
    """Whether a neuron computes act(w·x + b), from how much each input and weight moves it."""
    values = dict(facts["fixed"])
    xs = OTHERS["neuron"]["xs"]
    biases = [p for p in values if _last(p).startswith("b")]
    weights = [p for p in values if p not in biases]
    slopes = dict(facts["influence"])
    if not biases:  # a list of all: the bias is the one whose share each weight has by its input
        biases = [p for p in values if _is_bias(p, slopes, xs)]
        weights = [p for p in values if p not in biases]
    if len(biases) != 1 or len(weights) != 3:
        return
    w, b = [values[p] for p in weights], values[biases[0]]
    call = _used(source, biases[0]) or call
    acts: dict[str, Callable[[float], float]] = {
        "tanh": tanh,
        "relu": lambda z: max(z, 0.0),
        "sigmoid": lambda z: 1 / (1 + exp(-z)),
        "": lambda z: z,
        "leaky": lambda z: z if z > 0 else 0.01 * z,
    }
    got = number(facts["outputs"][0])
    dot = sum(x * y for x, y in zip(w, xs, strict=True))
    if any(close(got, act(dot + b), 1e-6) for act in acts.values()):
        return
    for name in ("tanh", "sigmoid"):
        if close(got, acts[name](acts[name](dot + b)), 1e-6):
            yield say(
                "activation_twice",
                f"Neuron: the activation {name} is applied twice",
                "A neuron is act(w·x + b): the activation is applied once.",
                f"What is {name} of the sum? What does your neuron return?",
                f"It returns {name}({name}(w·x + b)).",
                "apply it once",
                at=call,
            )
            return
    wrong = {
        "the bias is added once per input: it must be added once": dot + 3 * b,
        "the bias is subtracted": dot - b,
        "the bias is not added": dot,
        "weights are added to the inputs, not multiplied with them": sum(w) + sum(xs) + b,
        "the bias is multiplied with the sum, not added": dot * b,
    }
    for words, z in wrong.items():
        if any(close(got, act(z), 1e-6) for act in acts.values()):
            yield say(
                "neuron_forward",
                f"Neuron: {words}",
                "A neuron is act(w·x + b).",
                "Write the sum for three inputs by hand.",
                words,
                "`sum((wi * xi for wi, xi in zip(self.w, x)), self.b)`",
                at=call,
            )
            return
    order = sum(x * y for x, y in zip(reversed(w), xs, strict=True))
    if any(close(got, act(order + b), 1e-6) for act in acts.values()):
        return  # the weights were found in another order
    # of act(w·x + b) with any act, the derivative by a weight is its input times that by the bias
    by_bias = slopes[biases[0]]
    shares = sorted(slopes[p] / by_bias for p in weights) if abs(by_bias) > 1e-9 else None
    if shares and not all(close(a, b, 1e-3) for a, b in zip(shares, sorted(xs), strict=True)):
        many = all(close(3 * a, b, 1e-3) for a, b in zip(shares, sorted(xs), strict=True))
        words = (
            "the bias is added several times, once per input"
            if many
            else "it is not the activation of one sum: act(w·x + b)"
        )
        yield say(
            "neuron_forward",
            f"Neuron: {words}",
            "A neuron is act(w·x + b): first the sum of all products and the bias, then the "
            "activation, once.",
            "Change the bias a little, then a weight. Which changes the output more?",
            words,
            "`act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)`, then `act.tanh()`",
            at=call,
        )


def _zeroed(facts: Facts, source: Source, kind: str, strict: bool) -> Iterator[Mistake]:
    line = source.start("zero_grad", kind) or source.start("zero_grad")
    left = [
        p
        for p, g in facts["zeroed"]
        if number(g) not in (0.0, None) and p in facts.get("paths", ())
    ]
    text = f"{_text('mlp')}; zero_grad()"

    def say(id: str, title: str, says: str, *hints: str) -> Mistake:
        return _mistake(
            id, 12, title, says, (hints[0], hints[1], hints[2]), line and line + 1, text
        )

    if strict and any(g is None for _, g in facts["zeroed"]):
        yield say(
            "zero_grad_none",
            "zero_grad sets gradients to None, and backward cannot add to None",
            "A new number begins with grad 0, so += works; after zero_grad it raises TypeError. "
            "Set it to 0 (reset).",
            "What is None + 1?",
            "The gradient is None when backward comes.",
            "`p.grad = 0.0`",
        )
    elif not all(facts["kept"]):
        yield say(
            "zero_grad_data",
            "zero_grad changes the data of parameters, not only their gradients",
            "It must set grad to 0 and leave data as it is: it forgets all that was learned.",
            "Print p.data before and after.",
            "data is overwritten.",
            "`p.grad = 0.0`",
        )
    elif left:
        some = len(left) < len(facts["zeroed"])
        biases = all(_last(p).startswith("b") for p in left)
        which = "the bias" if biases else "some parameters" if some else "any parameter"
        yield say(
            "zero_grad_incomplete",
            f"zero_grad does not reset {which}: {left[0]} keeps its gradient",
            "All parameters must have the gradient 0 after it (every layer, weights and biases).",
            "Which gradients are not 0 after zero_grad()?",
            f"{', '.join(left[:3])} are not.",
            "`for p in self.parameters(): p.grad = 0.0`",
        )


# --- phases 7, 9 and 11 ---------------------------------------------------------------------------


def _numerical(key: str, facts: Facts, source: Source) -> Iterator[Mistake]:
    line, text = source.returns("numerical_gradient"), _text(key)
    good = [t for t in facts["tries"] if t["error"] is None]

    def say(id: str, title: str, says: str, *hints: str, level: str = "wrong") -> Mistake:
        return _mistake(id, 7, title, says, (hints[0], hints[1], hints[2]), line, text, level)

    if not good:
        if key == "numerical.default" and "missing" in facts["tries"][0]["error"]["message"]:
            return
        yield _raised(key, 7, {"error": facts["tries"][0]["error"]}, source)
        return
    row, want = good[0], 13.0
    got = number(row["result"])
    line_hint = "`(f(x + eps) - f(x - eps)) / (2 * eps)`"
    if number(row["after"]) != 2.0:
        yield say(
            "numerical_not_restored",
            "numerical_gradient does not restore x.data: it stays changed",
            f"x was 2 and is {row['after']} afterwards; put the old value back.",
            "Print x.data before and after.",
            "The value is not put back (restored).",
            "`x.data = kept`",
        )
        return
    if got is None or close(got, want, 1e-6):
        return
    ratio = got / want
    for factor, words in (
        (2.0, "twice too large: the divisor must be 2 * eps, the distance of both points"),
        (0.5, "half of what it must be: the divisor is too large"),
        (-1.0, "of the wrong sign: plus and minus are swapped"),
    ):
        if close(ratio, factor, 1e-3):
            yield say(
                "numerical_factor",
                f"numerical_gradient is {words}",
                f"For x ** 3 + x at 2 it is {got:.6g}; right is 13: check the divisor "
                "and the sign.",
                "How far apart are the two points?",
                words,
                line_hint,
            )
            return
    points = [x for x in map(number, row["looked"][:2]) if x is not None]
    apart = abs(points[0] - points[1]) if len(points) == 2 else 0.01
    if key == "numerical.default" and not 1e-9 < apart < 0.05:
        size = "small" if apart < 0.01 else "large"
        yield replace(
            say(
                "numerical_eps",
                f"numerical_gradient: the default of eps is too {size}",
                f"Its points are {apart:g} apart, and it finds {got:.8g} instead of 13: "
                + ("rounding takes all digits." if size == "small" else "the curve bends."),
                "How far apart are the two points?",
                f"eps is too {size}.",
                "`eps=1e-6`",
            ),
            line=source.start("numerical_gradient"),
        )
        return
    one_sided = abs(ratio - 1) < 5e-3
    yield say(
        "numerical_one_sided" if one_sided else "numerical_wrong",
        "numerical_gradient is one-sided: less exact than the central difference"
        if one_sided
        else f"numerical_gradient is wrong: {got:.6g} instead of 13",
        f"It looked at {row['looked'][:4]}. Right is the difference on both sides of x, divided "
        "by 2 * eps.",
        "Which points does it compare?",
        f"Yours is {got:.8g}.",
        line_hint,
        level="remark" if one_sided else "wrong",
    )


NOT_REACHED: Final = (
    "no_update",
    "train does not change the parameters: no gradient reaches them from the loss",
    "backward is never called on a loss that is connected to them: a loss of plain numbers "
    "(.data) cuts the graph, and p.data -= lr * 0 changes nothing.",
    "What is p.grad after backward? Which class has the loss?",
    "All gradients of the parameters are 0.",
    "`loss = loss + (model(x) - y) ** 2`, with Values",
)
NO_ZERO: Final = (
    "train_no_zero",
    "zero_grad is missing: each step adds the gradients of all earlier steps",
    "Gradients accumulate from step to step; set them back to 0 before each backward.",
    "Compare step 1 and step 2 with the right run: which is equal?",
    "Gradients add up, over steps, too (old gradients remain).",
    "`model.zero_grad()` before `loss.backward()`",
)
ASCENDS: Final = (
    "train_ascends",
    "train goes uphill: the sign of the step is wrong (+ where - belongs)",
    "The loss grows: subtract lr * grad (descent), do not add it (ascent).",
    "Does the loss fall?",
    "The step has the direction of the gradient.",
    "`p.data -= lr * p.grad`",
)
RATES: Final[tuple[tuple[Callable[[float], float], str], ...]] = (
    (lambda lr: 1.0, "the learning rate lr is missing in the step"),
    (lambda lr: lr * lr, "the learning rate lr is applied twice"),
    (lambda lr: 1 / lr, "the step divides by the learning rate lr"),
)
"""Wrong sizes of a step: what the gradient is multiplied by."""


def _rate(words: str) -> tuple[str, ...]:
    return (
        "train_lr",
        f"train: {words}",
        "A step is -lr * grad.",
        "How far does a step of lr = 0.03 go?",
        words,
        "`p.data -= lr * p.grad`",
    )


def _train(facts: Facts, source: Source, sound: bool) -> Iterator[Mistake]:
    row = OTHERS["train"]
    steps, lr = row["steps"], row["lr"]
    start, text = facts["start"], _text("train")

    def at(word: str) -> int | None:
        return source.mentions(word, "train")

    update = facts["writes"][0][0] if facts["writes"] and facts["writes"][0][0] else at("lr")
    step_line = at(".backward()") or update

    def say(id: str, title: str, says: str, *hints: str, line: int | None = update) -> Mistake:
        return _mistake(id, 9, title, says, (hints[0], hints[1], hints[2]), line, text)

    if facts["losses"] is None:
        yield say(
            "losses_missing",
            f"train returns {facts['kinds'][0]} instead of the list of losses",
            "It must return the loss of each step, as a list of floats.",
            "What does train return?",
            f"A {facts['kinds'][0]}.",
            "`return losses`",
            line=source.returns("train"),
        )
    else:
        if any(k not in ("float", "int", "float64") for k in facts["kinds"]):
            yield say(
                "losses_values",
                "train returns Values instead of numbers as losses",
                "losses.append(loss.data): a Value keeps the whole graph of its step in memory.",
                "What type has losses[0]?",
                "It is a Value.",
                "`losses.append(loss.data)`",
                line=at("append"),
            )
        if len(facts["losses"]) != steps:
            yield say(
                "steps_wrong",
                f"train makes {len(facts['losses'])} losses for {steps} steps",
                "One loss for each step.",
                "How often does the loop run?",
                "The number of losses is wrong.",
                "`for _ in range(steps):`",
                line=at("for"),
            )
    if not sound:
        yield from _by_own_gradients(facts, source, say, at, lr)
        return
    if not facts["same"] or facts["end"] == start:
        zero_late = at("zero_grad")
        late = (
            zero_late is not None
            and step_line is not None
            and zero_late > step_line
            and (update or 0) >= zero_late
        )
        if late or (zero_late and step_line and zero_late > step_line):
            yield say(
                "zero_after_backward",
                "zero_grad comes after backward and before the step: gradients are "
                "reset before they "
                "are used",
                "The weights never change, because grad is 0 when the step is taken; zero (reset) "
                "before backward.",
                "What is p.grad when the step is taken?",
                "It was just reset to 0.",
                "`model.zero_grad()` before `loss.backward()`",
                line=zero_late,
            )
        else:
            yield (
                say(*NOT_REACHED, line=source.mentions(word=".data", name="train") or step_line)
                if (not facts["reached"] and not facts["left"])
                else say(
                    "no_update",
                    "train does not change the parameters: no weight is updated",
                    "train must change p.data itself, in each step; a new p, a local variable or a "
                    "copy changes nothing in the model.",
                    "Print a weight before and after train.",
                    "The model's own Values are never written: the name is bound to something else "
                    "(rebinding).",
                    "`p.data -= lr * p.grad`",
                    line=at("lr *") or at("grad"),
                )
            )
        return
    yield from _steps(facts, source, say, at, lr)


def _by_own_gradients(
    facts: Facts, source: Source, say: Any, at: Any, lr: float
) -> Iterator[Mistake]:
    """Judge the steps by the gradients that the engine had, which may be wrong."""
    rows = [
        (new - old, grad)
        for _, _, old, new, grad in facts["writes"]
        if all(isinstance(x, float) for x in (old, new, grad)) and abs(grad) > 1e-6
    ]
    if len(rows) < 3:
        return

    def all_move(factor: float) -> bool:
        return all(close(move, factor * grad, 1e-6) for move, grad in rows)

    if all_move(lr):
        yield say(*ASCENDS)
    for factor, words in RATES:
        if all_move(-factor(lr)):
            yield say(*_rate(words))
    first = facts["left"][0][0] if facts["left"] else 0
    resets = source.mentions("= 0", "backward", source.engine)
    if not resets and any(left for count, left in facts["left"] if count > first):
        yield say(*NO_ZERO, line=at(".backward()"))


def _steps(facts: Facts, source: Source, say: Any, at: Any, lr: float) -> Iterator[Mistake]:
    """Compare each step with what the gradient of the usual losses says."""
    points, slopes = facts["points"], facts["slopes"]
    if len(points) < 3:
        return
    moves = [[b - a for a, b in zip(p, q, strict=True)] for p, q in pairwise(points)]
    count = len(slopes[0][0])
    totals = [[sum(row) for row in step] for step in slopes]
    losses = dict(zip(("sum", "mean", "half", "half mean"), _scales(count), strict=False))
    first = [-lr * g for g in totals[0]]

    def same(move: list[float], want: list[float]) -> bool:
        size = max(map(abs, want)) or 1.0
        return all(abs(a - b) <= 1e-4 * size for a, b in zip(move, want, strict=True))

    def times(factor: float, row: list[float]) -> list[float]:
        return [factor * x for x in row]

    for scale in losses.values():
        if same(moves[0], times(scale, first)):
            second = [-lr * scale * g for g in totals[1]]
            if same(moves[1], [a + b for a, b in zip(second, times(scale, first), strict=True)]):
                yield say(*NO_ZERO, line=at(".backward()"))
            return
    if _each(facts, moves, lr, same):
        return
    for scale in losses.values():
        if same(moves[0], times(-scale, first)):
            yield say(*ASCENDS)
            return
        for factor, words in RATES:
            if same(moves[0], times(scale * factor(lr) / lr, first)):
                yield say(*_rate(words))
                return
        target = [-lr * scale * g for g in totals[0]]
        if (
            same(points[1], target)
            or same(points[1], times(1 / lr, target))
            or same(points[1], times(-1 / lr, target))
            or same(points[1], times(-1.0, target))
        ):
            yield say(
                "train_replaces",
                "train replaces the data of a parameter by its gradient instead of "
                "subtracting from it",
                "p.data = ... forgets the old weight; it must be p.data -= lr * p.grad.",
                "Where is the old weight in your step?",
                "The old weight is lost.",
                "`p.data -= lr * p.grad`",
            )
            return
    each = len(points) > len(facts.get("losses") or ()) + 2  # a step after each example
    for i in (count - 1, 0):
        one = [row[i] for row in slopes[0]]
        if not each and any(same(moves[0], [-lr * c * g for g in one]) for c in losses.values()):
            which = "last" if i else "first"
            yield say(
                "train_one_example",
                f"train uses only the {which} example: the losses of the others are lost",
                "The loss must be the sum over all examples (+=), not the loss of one.",
                "How many examples are in the loss?",
                f"Only the {which} one.",
                "`loss = sum(...)`",
                line=at("loss =") or at("loss"),
            )
            return
    other = _targets(facts, moves[0], lr, same)
    if other is not None:
        yield say(
            "train_targets",
            f"train: {other}",
            "The loss of an example is (prediction - target) ** 2, and it must be small when both "
            "are equal.",
            "Write the loss of the first example by hand. When is it 0?",
            other,
            "`(model(x) - y) ** 2`, for x and y of the same example",
            line=at("**") or at("* ") or at("loss"),
        )
        return
    ends = [abs(b - a) for a, b in zip(points[0], points[-1], strict=True)]
    partial = [i for i, x in enumerate(ends) if x < 1e-15 and abs(first[i]) > 1e-9]
    if partial and any(ends):
        yield say(
            "train_some",
            f"train changes only some parameters: {len(partial)} of {len(first)} stay as they are",
            "Every parameter must be updated.",
            "Which weights change?",
            "The loop leaves some out.",
            "`for p in model.parameters():`",
        )


def _rate_unused(records: dict[str, Facts], source: Source) -> Iterator[Mistake]:
    """Compare two trainings with different learning rates, from the same weights."""
    one, two = records.get("train", {}), records["train.rate"]
    if one.get("end") and one["end"] != one.get("start") and one["end"] == two.get("end"):
        yield _mistake(
            "rate_unused",
            9,
            "train: the learning rate lr has no effect",
            "With lr = 0.03 and with lr = 0.06 the weights end at the same numbers: the step has "
            "a fixed rate, or a default that is never replaced.",
            (
                "Train twice, with different rates. What is different?",
                "The argument lr is not used.",
                "`p.data -= lr * p.grad`",
            ),
            source.mentions("lr", "train") or source.start("train"),
            _text("train.rate"),
        )


def _each(facts: Facts, moves: list[list[float]], lr: float, same: Any) -> bool:
    """Whether a step is taken after each example, and is right."""
    slopes = facts["slopes"]
    count = min(len(slopes[0][0]), len(moves), len(slopes))
    return count > 1 and any(
        all(same(moves[i], [-lr * c * row[i] for row in slopes[i]]) for i in range(count))
        for c in _scales(count)
    )


def _targets(facts: Facts, move: list[float], lr: float, same: Any) -> str | None:
    """Return what is wrong with the loss, if other targets or signs explain the first step."""
    outs, ys, slopes = facts["outs"], OTHERS["train"]["ys"], facts["slopes"][0]
    if any(len(row) != 1 for row in outs):
        return None
    ps = [row[0] for row in outs]
    # the slopes are those of (p - y) ** 2, so each is 2 (p - y) times the slope of p
    if any(abs(p - y) < 1e-6 for p, y in zip(ps, ys, strict=True)):
        return None
    by_p = [[g / (2 * (p - y)) for g, p, y in zip(row, ps, ys, strict=True)] for row in slopes]
    count = len(ys)
    tries = {
        "the error is not squared: errors of both signs cancel": [0.5] * count,
        "the target is added to the prediction instead of subtracted": [
            p + y for p, y in zip(ps, ys, strict=True)
        ],
        "the target is not used: the loss is the square of the prediction": ps,
        "each prediction is compared with the target of the next example (shifted)": [
            p - y for p, y in zip(ps[: count - 1], ys[1:], strict=True)
        ],
        "each prediction is compared with the target of the example before (shifted)": [
            p - y for p, y in zip(ps[1:], ys[: count - 1], strict=True)
        ],
        "the first example is left out": [
            0.0,
            *(p - y for p, y in zip(ps[1:], ys[1:], strict=True)),
        ],
        "the last example is left out": [p - y for p, y in zip(ps[:-1], ys[:-1], strict=True)],
    }
    for words, errors in tries.items():
        skip = 1 if "before" in words else 0
        total = [sum(2 * e * d for e, d in zip(errors, row[skip:], strict=False)) for row in by_p]
        if any(same(move, [-lr * c * g for g in total]) for c in _scales(count)):
            return words
    return None


def _scales(count: int) -> tuple[float, ...]:
    """Return the usual factors of a loss: sum, mean, half of it."""
    return 1.0, 1 / count, 0.5, 0.5 / count, 1 / max(count - 1, 1)


def _long(facts: Facts, source: Source) -> Iterator[Mistake]:
    before, after = sum(facts["before"]), facts["after"]
    line = source.mentions("lr", "train")
    losses = [x for x in map(number, facts.get("losses") or ()) if x is not None]
    falls = len(losses) > 1 and losses[-1] < losses[0]  # of another loss, such as a hinge
    if not all(isfinite(x) for x in after) or (sum(after) > 1.001 * before and not falls):
        yield _mistake(
            "train_grows",
            9,
            "the loss grows in training",
            f"In 60 steps it went from {before:.4g} to {sum(after):.4g}; with lr = 0.05 it must "
            "fall.",
            (
                "Does each step go downhill?",
                "The loss is larger at the end.",
                "`p.data -= lr * p.grad`",
            ),
            line,
            _text("train.long"),
        )


def _deep(facts: Facts, source: Source, engine: Facts, sound: bool) -> Iterator[Mistake]:
    error = facts["error"]
    line = source.recursive(error["line"]) if error else source.collecting()
    if error is not None:
        if error["type"] == "RecursionError":
            yield _mistake(
                "deep_recursion",
                11,
                "deep graphs end in RecursionError: backward is recursive",
                "It is right for small graphs; 3000 additions in a row need more nested calls than "
                "Python allows (about 1000: the recursion depth).",
                (
                    "How many nested calls does Python allow? Your graph has 3000 nodes.",
                    "A list can do what the calls do.",
                    "`stack = [(self, iter(self._prev))]`, or count users",
                ),
                line,
                _text("deep"),
                "limit",
            )
        elif sound:
            yield _raised("deep", 11, facts, source)
    elif sound and not close(number(facts["a"].get("grad")), 3001.0):
        yield _mistake(
            "deep_wrong",
            11,
            "the gradient of a deep graph is wrong",
            f"3000 additions of a: a.grad must be 3001, and is {facts['a'].get('grad')}.",
            (
                "What is the derivative of a + a + a?",
                "Something is lost in deep graphs.",
                "Look at the order of the pass.",
            ),
            line,
            _text("deep"),
        )


def _wide(facts: Facts, source: Source, engine: Facts, sound: bool) -> Iterator[Mistake]:
    error, counts = facts["error"], facts["counts"]
    if error is not None:
        if sound:
            yield _raised("wide", 11, facts, source)
        return
    if counts and counts[-1][0] < OTHERS["wide"]["times"]:
        yield slow(source)


def slow(source: Source) -> Mistake:
    """Return the mistake of following every path."""
    return _mistake(
        "exponential",
        11,
        "x = x + x takes exponential time: every path is followed",
        "A graph of 22 additions has four million paths; each node must be visited once (visited).",
        (
            "How many paths has x = x + x, 22 times?",
            "Nodes are visited again for each path.",
            "`if v not in visited:`",
        ),
        source.collecting(),
        _text("wide"),
    )
