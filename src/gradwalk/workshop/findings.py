"""What was found, as mistakes with words: in the pass, in large numbers, in a second graph."""

from __future__ import annotations

from dataclasses import replace

from .cases import Case
from .explain import Explanation
from .lines import line_of, rule_line
from .report import Mistake
from .source import Source
from .wording import BY_HEART, Words, noun

__all__ = [
    "again",
    "explained",
    "large",
    "named_value",
    "placed",
    "second_wrong",
    "shared",
    "unwritten",
]

HIDES = ("seed_missing", "nothing", "not_the_root")
"""Mistakes that leave every gradient 0, so that others cannot be seen."""


def named_value() -> Mistake:
    """Return the remark on an engine whose numbers are called ``value``."""
    return Mistake(
        "value_for_data",
        1,
        "the number is called value, not data",
        "Most engines and all texts here call it data; yours is right, and is read as it is.",
        "remark",
    )


def explained(explanation: Explanation, source: Source, cases: list[Case]) -> list[Mistake]:
    """Return the mistakes that reproduce the numbers, each with its smallest program."""
    rows: list[Mistake] = []
    for switch, group, others in explanation.found:
        words = switch.words
        if any((m.id, m.op) == (words.id, switch.op) for m in rows):
            continue  # both operands have it
        case = min(group, key=lambda c: (bool(not c.wrong_grads), c.size))
        if words.id == "by_value":
            words = _equal_nodes(words, case)
        rows.append(
            case.mistake(
                words.id,
                switch.phase,
                words.title,
                words.says,
                BY_HEART[words.id][1:] if words.id in BY_HEART else words.hints,
                op=switch.op,
                line=line_of(switch, case, cases, source),
                explains=len(group),
                certainty="likely" if explanation.unexplained else "exact",
                others=tuple(dict.fromkeys(other.words.title for other in others[:4])),
                again=words.id in HIDES,
            )
        )
    return rows


def _equal_nodes(words: Words, case: Case) -> Words:
    """Return the words with two nodes of the program that have the same number."""
    graph = case.right
    names = sorted(graph.names, key=lambda name: not graph.nodes[graph.names[name]].op)
    for i, p in enumerate(names):
        for q in names[i + 1 :]:
            x, y = graph.nodes[graph.names[p]].data, graph.nodes[graph.names[q]].data
            if x == y:
                hint = f"{p} is {x:g} and {q} is {y:g}. Are they the same node?"
                return replace(words, hints=(hint, *words.hints[1:]))
    return words


def placed(wrong: list[Case], cases: list[Case], source: Source) -> Mistake:
    """Return the place of wrong gradients that no model explains: the operation that they share."""
    right = [c for c in cases if c.once and c.ran_backward and not c.wrong_grads]

    def share(op: str) -> float:
        used = sum(op in c.right.ops for c in right) / max(len(right), 1)
        return sum(op in c.right.ops for c in wrong) / len(wrong) - used

    op = max(sorted({op for c in wrong for op in c.right.ops}), key=share, default="")
    if not all(op in c.right.ops for c in wrong):
        op = ""
    case = min(wrong, key=lambda c: c.size)
    name = case.wrong_grads[0] if case.wrong_grads else case.formula.values[0][0]
    got, want = case.grad(name), case.right_grad(name)
    yours = "nothing" if got is None else f"{got:.6g}"
    forward = {x for c in wrong for part in c.record.get("forward", ()) for x in part}
    if op and (kept := source.class_write(forward)):
        return case.mistake(
            f"{op}_kept_in_class",
            3,
            f"the rule of {noun(op)} keeps its numbers in the class, where a later {op} "
            "overwrites them",
            f"`{source.line(kept)}` is shared by all uses of {op}: backward reads the numbers of "
            "the last one. Each node needs its own.",
            (
                f"Use {op} twice. Which numbers does the first one have in backward?",
                "They are attributes of the class, so there is one for all.",
                "keep them in the node: `self...` or the context",
            ),
            op=op,
            line=kept,
            explains=len(wrong),
            certainty="likely",
            again=True,
        )
    where = f" where {noun(op)} is used" if op else ""
    return case.mistake(
        f"{op or 'backward'}_place",
        3,
        f"gradients are wrong{where}, and no known mistake explains all of them",
        f"In this program {name}.grad is {yours}; it must be {want:.6g}. Look at what backward "
        "passes on, to which operand, in which order, and how often.",
        (
            "Follow the program by hand: which contributions must arrive?",
            f"{name}.grad: yours {yours}, right {want:.6g}.",
            "Compare the two walks at the first step that differs.",
        ),
        op=op,
        line=rule_line(op, 0, cases, source) if op else source.loop(),
        explains=len(wrong),
        certainty="place",
        again=True,
    )


def large(cases: list[Case], source: Source) -> list[Mistake]:
    """Phase 10: a finite result that overflows or is NaN; log(0) may end in a clear error."""
    rows: list[Mistake] = []
    for case in cases:
        op = case.formula.id.split(".")[0]
        if case.formula.forward != 10 or op == "log" or any(m.op == op for m in rows):
            continue
        if case.error is not None:
            got = str(case.error["type"])
        elif case.wrong_data:
            got = "a wrong number"
        elif case.once and case.ran_backward and case.wrong_grads:
            got = f"the gradient {case.grad('a')}"
        else:
            continue
        text = case.formula.text.split("\n")[0].removeprefix("y = ")
        rows.append(
            case.mistake(
                f"{op}_overflow",
                10,
                f"{op} of a large number fails: {text} at {case.formula.values[0][1]:g} ends in "
                f"{got} (overflow)",
                "exp of a large number overflows the range of floats; use math.tanh, or a form "
                "whose exponent is negative.",
                (
                    f"What is {op}(1000)?",
                    "exp(1000) is too large for a float; the result is not.",
                    "`math.tanh(x)`, or `exp(-abs(x))`",
                ),
                op=op,
                line=(case.error or {}).get("line") or source.returns(op),
            )
        )
    return rows


def again(cases: list[Case], source: Source) -> list[Mistake]:
    """Phase 12: a second graph of the same leaves, when all single graphs are right."""
    for case in cases:
        if case.formula.backward != 12 or unwritten(case):
            continue
        if name := _built_only(case):
            return [
                case.mistake(
                    "building_changes_grad",
                    12,
                    f"a new formula of {name} changes {name}.grad",
                    f"{name}.grad was there from the first backward, and the line that only "
                    "computes a new result has reset (cleared) it: only backward and zero_grad "
                    "may write gradients.",
                    (
                        f"Print {name}.grad before and after the second formula is built.",
                        "The operands' gradients are written when a new node is made.",
                        "no `.grad =` for operands outside backward",
                    ),
                    line=source.mentions(word=".grad", name="__init__", inside=source.engine),
                )
            ]
        if second_wrong(case, source):
            last = case.formula.names[-1]
            return [
                case.mistake(
                    "second_graph",
                    12,
                    "the second backward is wrong: something of the first graph is left over "
                    "(visited, grads)",
                    "A list, set or gradient is shared between calls (global, class attribute or "
                    "default argument), and is not emptied.",
                    (
                        f"What does {last}.backward() know of the first graph?",
                        "Something survives the first call.",
                        "make `visited = set()` and `topo = []` inside backward",
                    ),
                    line=source.kept_default() or source.marks() or source.collecting(),
                    certainty="likely",
                )
            ]
    return []


def shared(source: Source) -> list[Mistake]:
    """Return what all numbers share by mistake: a gradient, or the list of a default."""
    rows = []
    if line := source.class_gradient():
        rows.append(
            Mistake(
                "grad_on_the_class",
                3,
                "the gradient is one attribute of the class, shared by all numbers",
                "It writes to the class: each object (instance) needs a grad of its own, made in "
                "__init__.",
                certainty="likely",
                line=line,
                hints=(
                    "Make two numbers, and write the gradient of one. What has the other?",
                    "The class has one gradient for all.",
                    "`self.grad += ...`",
                ),
                again=True,
            )
        )
    if line := source.kept_default(init=True):
        rows.append(
            Mistake(
                "shared_default",
                3,
                "all numbers share one list of operands: the default of __init__",
                "A default is made once, when the method is defined, and is the same list at each "
                "call; what one node (instance) appends, all have.",
                certainty="likely",
                line=line,
                hints=(
                    "Make two numbers, and append to the list of one. What has the other?",
                    "The mutable default is shared.",
                    "`def __init__(self, data, _prev=()):`",
                ),
                again=True,
            )
        )
    return rows


def _built_only(case: Case) -> str | None:
    """Return a leaf whose gradient is changed by a line that only builds a formula."""
    texts = case.formula.text.split("\n")
    for text, before, after in zip(texts[1:], case.lines, case.lines[1:], strict=False):
        if ".backward()" not in text and ".grad" not in text:
            for name, _ in case.formula.values:
                if before.get(name, {}).get("grad") != after.get(name, {}).get("grad"):
                    return name
    return None


def second_wrong(case: Case, source: Source) -> bool:
    """Whether the second pass of a program leaves wrong gradients."""
    if case.error is not None or not case.lines:
        # an engine may refuse a second pass through the same node
        return case.error is not None and case.formula.id != "second_use"
    nothing = not any(case.grad(name) for name, _ in case.formula.values)
    kept = source.kept_default() or source.marks()
    if case.formula.id == "second_use" and nothing and kept is None:
        return False  # an engine of one pass per graph: it has let the first graph go
    a, b = (v for _, v in case.formula.values)
    allowed = {
        "second_use": ({"a": 3 * b, "b": 3 * a},),
        "second_graph": ({"a": b + 1, "b": a + 1}, {"a": 1.0, "b": 1.0}),
        "second_loss": ({"a": 2 * a * b, "b": a * a},),
        "third_loss": ({"a": 2 * a * b, "b": a * a},),
    }[case.formula.id]
    return not any(
        all(abs((case.grad(n) or 0.0) - want) < 1e-6 for n, want in row.items()) for row in allowed
    )


def unwritten(case: Case) -> bool:
    """Whether a program did not run because an operator or backward is not written."""
    if case.error is None:
        return not case.ran_backward
    return case.error["line"] is None and "operand" in case.error["message"]
