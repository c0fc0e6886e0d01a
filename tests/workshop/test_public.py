"""The fifteen public mistakes, each in three styles: closures, classes of functions, and a tape."""

from __future__ import annotations

import pytest
from tests.workshop.engines import ENGINES
from tests.workshop.mistakes import BY_PLACE, Edit, edited

from gradwalk.workshop import check_text

STYLES = ("closures", "classes", "tape")
TITLED = {
    "assign_everywhere": {"assign_everywhere"},
    "mul_grad_own": {"mul_own"},
    "tanh_from_x": {"tanh_from_input"},
    "pow_off_by_one": {"pow_off_by_one"},
    "relu_negative_passes": {"relu_negative_passes"},
    "div_sign": {"div_sign_right"},
    "rsub_swapped": {"rsub_swapped"},
    "chain_missing_mul": {"mul_chain_missing"},
    "seed_missing": {"seed_missing"},
    "topo_not_reversed": {"not_reversed"},
    "no_visited": {"no_visited"},
    "constants_not_wrapped": {"constants_not_wrapped"},
    "bias_not_in_parameters": {"bias_not_in_parameters"},
    "train_no_zero": {"train_no_zero"},
    "deep_recursion": {"deep_recursion"},
}
"""The ids with which the judge may name each."""

DIV = """    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad += self.data / other.data ** 2 * out.grad
        out._backward = _backward
        return out
"""
COUNTED = """        uses = {self: 0}
        stack = [self]
        while stack:
            for p in stack.pop()._prev:
                if p not in uses:
                    uses[p] = 0
                    stack.append(p)
                uses[p] += 1
        self.grad = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            grads = node._ctx.backward(node.grad) if node._ctx else ()
            for p, g in zip(node._prev, grads):
                p.grad += g
                uses[p] -= 1
                if uses[p] == 0:
                    ready.append(p)
"""
SORTED = """        order = []
        seen = set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for p in node._prev:
                    visit(p)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            grads = node._ctx.backward(node.grad) if node._ctx else ()
            for p, g in zip(node._prev, grads):
                p.grad += g
"""
TWICE = SORTED.replace(
    "            if node not in seen:\n                seen.add(node)\n", "            if True:\n"
)
WHOLE = """        self.grad = 1.0
        for out, inputs, slopes in reversed(TAPE):
            for v, slope in zip(inputs, slopes):
                v.grad += slope * out.grad
"""
NEEDED = """        rows = {out: (out, inputs, slopes) for out, inputs, slopes in TAPE}
        needed = []
        seen = set()

        def need(v):
            if v in rows and v not in seen:
                seen.add(v)
                for u in rows[v][1]:
                    need(u)
                needed.append(rows[v])

        need(self)
        self.grad = 1.0
        for out, inputs, slopes in reversed(needed):
            for v, slope in zip(inputs, slopes):
                v.grad += slope * out.grad
"""
MORE: dict[tuple[str, str], list[Edit]] = {
    ("closures", "assign_everywhere"): [Edit(".grad += ", ".grad = ", 10)],
    ("closures", "div_sign"): [
        Edit("    def __truediv__(self, other):\n        return self * other ** -1\n", DIV)
    ],
    ("classes", "topo_not_reversed"): [
        Edit(COUNTED, SORTED.replace("reversed(order)", "order"))
    ],
    ("classes", "no_visited"): [Edit(COUNTED, TWICE)],
    ("classes", "deep_recursion"): [Edit(COUNTED, SORTED)],
    ("tape", "chain_missing_mul"): [
        Edit("(other.data, self.data)", "(lambda g: other.data, lambda g: self.data)"),
        Edit("slope * out.grad", "slope(out.grad) if callable(slope) else slope * out.grad"),
    ],
    ("tape", "no_visited"): [Edit(WHOLE, NEEDED.replace(" and v not in seen", ""))],
    ("tape", "deep_recursion"): [Edit(WHOLE, NEEDED)],
    ("closures", "deep_recursion"): [],
}  # fmt: skip
"""Those that `mistakes` does not have in these styles."""
LOOK_AT = {
    ("closures", "assign_everywhere"): ".grad = out.grad",
    ("closures", "div_sign"): "other.grad += self.data / other.data",
    ("classes", "topo_not_reversed"): "for node in order:",
    ("classes", "no_visited"): "if True:",
    ("classes", "deep_recursion"): "def visit",
    ("tape", "chain_missing_mul"): "lambda g: other.data",
    ("tape", "no_visited"): "if v in rows",
    ("tape", "deep_recursion"): "def need",
    ("closures", "deep_recursion"): "def build",
    # the value is kept in one line and used in another
    ("classes", "tanh_from_x"): "1 - self.t ** 2",
}


def engine(style: str, id: str) -> tuple[str, int]:
    """Return the text of an engine with a mistake, and the line with it."""
    found = BY_PLACE.get((style, id))
    text = found.text if found else edited(ENGINES[style].text, tuple(MORE[style, id]))
    if found and (style, id) not in LOOK_AT:
        return text, found.line
    return text, text.split(LOOK_AT[style, id])[0].count("\n") + 1


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("id", TITLED)
def test_a_public_mistake_is_named_first_in_each_style(style: str, id: str) -> None:
    text, line = engine(style, id)
    report = check_text(text)
    first = report.mistakes[0]
    assert first.id in TITLED[id]
    assert first.line is not None
    assert abs(first.line - line) <= 2
    if id not in ("bias_not_in_parameters", "train_no_zero", "deep_recursion"):
        assert first.difference is not None
