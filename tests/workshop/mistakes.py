"""Mistakes of learners, as edits of right engines: one, two in one file, and files of no use.

An edit replaces a text that stands in its engine exactly ``count`` times. A name of a mistake is
good if, in lower case, it contains a word of each group of ``words``. Mistakes are split by the
hash of their id: a judge may be built with the half ``development``, and is measured with the
other.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from .engines import ENGINES, Engine

Words = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Edit:
    """A text of an engine, and what replaces it at each of its ``count`` places."""

    old: str
    new: str
    count: int = 1


@dataclass(frozen=True)
class Mistake:
    """A mistake in one engine. ``kind``: "wrong", or "slow" or "deep" where only these suffer."""

    id: str
    phase: int
    base: str
    edits: tuple[Edit, ...]
    words: Words
    kind: str = "wrong"
    public: bool = False
    fresh: bool = False

    @property
    def engine(self) -> Engine:
        return ENGINES[self.base]

    @property
    def text(self) -> str:
        return edited(self.engine.text, self.edits)

    @property
    def line(self) -> int:
        """The line of the file with the mistake: the first that the first edit changes."""
        return changed_line(self.engine.text, self.edits)

    @property
    def half(self) -> str:
        """The half to which all engines with this mistake belong."""
        if self.fresh:
            return "fresh"
        odd = hashlib.sha256(self.id.encode()).digest()[0] % 2
        return "development" if self.public or odd else "held_out"


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    """Return a text after its edits. Raise if a piece is not in it ``count`` times."""
    for edit in edits:
        if text.count(edit.old) != edit.count:
            found = text.count(edit.old)
            raise ValueError(f"{edit.old!r} stands in the text {found} times, not {edit.count}.")
        text = text.replace(edit.old, edit.new)
    return text


def changed_line(text: str, edits: tuple[Edit, ...]) -> int:
    """Return the line of the edited text that the first edit changes."""
    first = edits[0]
    start = edited(text, edits[:0]).index(first.old)
    same = 0
    for old, new in zip(first.old.splitlines(), first.new.splitlines(), strict=False):
        if old != new:
            break
        same += 1
    line = text[:start].count("\n") + 1 + min(same, max(first.new.count("\n"), 0))
    for later in edits[1:]:  # what stands before it may move it
        place = text.index(later.old) if later.old in text else len(text)
        if place < start:
            line += later.count * (later.new.count("\n") - later.old.count("\n"))
    return line


FOUND: list[Mistake] = []


def mistake(
    id: str,
    phase: int,
    words: str,
    kind: str = "wrong",
    public: bool = False,
    into: list[Mistake] = FOUND,
    **bases: tuple[str, str] | list[tuple[str, ...]],
) -> None:
    """Note a mistake in each of the engines named, with its edits, in the list ``into``.

    ``words`` has groups between ``;`` and, in a group, alternatives between ``|``.
    """
    groups = tuple(tuple(w.strip(" ") or " " for w in g.split("|")) for g in words.split(";"))
    for base, edits in bases.items():
        pairs = edits if isinstance(edits, list) else [edits]
        made = tuple(Edit(p[0], p[1], int(p[2]) if len(p) > 2 else 1) for p in pairs)
        into.append(Mistake(id, phase, base, made, groups, kind, public, into is not FOUND))


# --- the fifteen that are public ------------------------------------------------------------------

MUL = "mul|*|product"
mistake(
    "assign_everywhere", 4, "+=|accumulat|overwrit|add up|adds up|sum", public=True,
    classes=("p.grad += g", "p.grad = g"), tape=("v.grad += slope", "v.grad = slope"),
    subclasses=("operand.grad += d", "operand.grad = d"),
    levels=("child.grad += slope", "child.grad = slope"),
    helper=[("x.grad += g * slope\n", "x.grad = g * slope\n"),
            ("x1.grad +=", "x1.grad ="), ("x2.grad +=", "x2.grad =")],
)  # fmt: skip
mistake(
    "mul_grad_own", 2, f"{MUL};other factor|own|swap|other operand|other.data|exchang", public=True,
    closures=[("self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),
              ("other.grad += self.data * out.grad", "other.grad += other.data * out.grad")],
    classes=("return g * self.b, g * self.a", "return g * self.a, g * self.b"),
    tape=("(other.data, self.data)", "(self.data, other.data)"),
    table=("lambda y, a, b: b, lambda y, a, b: a", "lambda y, a, b: a, lambda y, a, b: b"),
)  # fmt: skip
TANH = "tanh;from x|of x|input|result|1 - x|output|t "
mistake(
    "tanh_from_x", 2, TANH, public=True,
    closures=("(1 - t ** 2)", "(1 - self.data ** 2)"),
    classes=("        self.t = math.tanh(a)\n        return self.t",
             "        self.t = a\n        return math.tanh(a)"),
    tape=("(1 - t * t,)", "(1 - self.data * self.data,)"),
    reset=("1 - out.data ** 2", "1 - self.data ** 2"),
)  # fmt: skip
mistake(
    "pow_off_by_one", 2, "pow|**|power;n - 1|n-1|exponent|off by one|one less", public=True,
    closures=("n * self.data ** (n - 1)", "n * self.data ** n"),
    classes=("self.a ** (self.n - 1)", "self.a ** self.n"),
    tape=("n * self.data ** (n - 1)", "n * self.data ** n"),
)  # fmt: skip
mistake(
    "relu_negative_passes", 2, "relu;negative|< 0|below|blocked|x > 0|<= 0|every x", public=True,
    closures=("(self.data > 0) * out.grad", "1.0 * out.grad"),
    classes=("(g if self.a > 0 else 0.0,)", "(g,)"),
    tape=("(1.0 if x > 0 else 0.0,)", "(1.0,)"),
)  # fmt: skip
SIGN = "sign|minus|negative"
mistake(
    "div_sign", 2, f"div|/|quotient;{SIGN}", public=True,
    classes=("-g * self.a / self.b", "g * self.a / self.b"),
    tape=("-a / b ** 2", "a / b ** 2"),
    typed=("-self.data / rhs.data**2", "self.data / rhs.data**2"),
)  # fmt: skip
RSUB = (
    "__rsub__|rsub|2 - a|3 - a|number - |- x|reflected|reversed sub;"
    "swap|order|sign|other way|other - self|reversed"
)
mistake(
    "rsub_swapped", 5, RSUB, public=True,
    closures=("return (-self) + other", "return self - other"),
    classes=("Sub.apply(other, self)", "Sub.apply(self, other)"),
    tape=("return wrap(other) - self", "return self - wrap(other)"),
    none=("Value(other - self.data).link((self, -1))", "Value(self.data - other).link((self, 1))"),
)  # fmt: skip
CHAIN = "chain|out.grad|upstream|incoming"
mistake(
    "chain_missing_mul", 3, f"{MUL};{CHAIN}", public=True,
    closures=[("self.grad += other.data * out.grad", "self.grad += other.data"),
              ("other.grad += self.data * out.grad", "other.grad += self.data")],
    classes=("return g * self.b, g * self.a", "return self.b, self.a"),
    dataclass=[("self.grad += g * other.data", "self.grad += other.data"),
               ("other.grad += g * self.data", "other.grad += self.data")],
)  # fmt: skip
mistake(
    "seed_missing", 3, "seed|1|start;0|zero|never|missing|no |not set|forgot", public=True,
    closures=("        self.grad = 1.0\n", ""), classes=("        self.grad = 1.0\n", ""),
    tape=("        self.grad = 1.0\n", ""), slots=("        self.grad = 1.0\n", ""),
)  # fmt: skip
REVERSED = (
    "revers|backward order|from the inputs|forward order|root first|inputs first|"
    "wrong end|result first|wrong order"
)
mistake(
    "topo_not_reversed", 3, REVERSED, public=True,
    closures=("in reversed(topo)", "in topo"), tape=("in reversed(TAPE)", "in TAPE"),
    slots=("in reversed(order)", "in order"),
)  # fmt: skip
AGAIN = "visited|twice|again|once|several times|more than once|per path|seen"
mistake(
    "no_visited", 3, AGAIN, public=True,
    closures=("            if v not in visited:\n                visited.add(v)\n",
              "            if True:\n"),
    minimal=("            if v in seen:\n                return\n            seen.add(v)\n", ""),
    slots=("            elif child not in seen:\n                seen.add(child)\n",
           "            else:\n"),
)  # fmt: skip
WRAP = "number|constant|scalar|int|float;wrap|value(|isinstance|convert|no data|plain"
IS = "        other = other if isinstance(other, Value) else Value(other)\n"
mistake(
    "constants_not_wrapped", 5, WRAP, public=True,
    closures=(f"{IS}        out = Value(self.data +", "        out = Value(self.data +"),
    classes=("[a if isinstance(a, Value) else Value(a) for a in args]", "list(args)"),
    tape=("return x if isinstance(x, Value) else Value(x)", "return x"),
)  # fmt: skip
BIAS = "bias|self.b;parameters"
PARAMS = "return self.w + [self.b]"
mistake(
    "bias_not_in_parameters", 8, BIAS, public=True,
    closures=(PARAMS, "return self.w"), classes=(PARAMS, "return self.w"),
    tape=(PARAMS, "return self.w"),
    micrograd=("return [*self.weights, self.bias]", "return self.weights"),
    counts=("        params.append(self.bias)\n", ""),
)  # fmt: skip
ZERO = "zero_grad|reset|zero;step|accumul|before|each|old|previous|earlier|never"
mistake(
    "train_no_zero", 9, ZERO, public=True,
    closures=("        model.zero_grad()\n", ""), classes=("        model.zero_grad()\n", ""),
    tape=("        model.zero_grad()\n", ""), heap=("        optimizer.zero_grad()\n", ""),
)  # fmt: skip
mistake(
    "deep_recursion", 11, "recurs|deep|depth", kind="deep", public=True,
    closures_raised=("sys.setrecursionlimit(100_000)", "sys.setrecursionlimit(1000)"),
    dataclass=("sys.setrecursionlimit(50_000)", "sys.setrecursionlimit(1500)"),
    subclasses=[("""        order = []
        marked = set()
        path = [(self, iter(self.operands))]
        marked.add(self)
        while path:
            current, rest = path[-1]
            for operand in rest:
                if operand not in marked:
                    marked.add(operand)
                    path.append((operand, iter(operand.operands)))
                    break
            else:
                order.append(current)
                path.pop()
""", """        order = []
        marked = set()

        def visit(current):
            if current not in marked:
                marked.add(current)
                for operand in current.operands:
                    visit(operand)
                order.append(current)

        visit(self)
""")],
)  # fmt: skip


# --- results and derivatives of the operators -----------------------------------------------------

ADD = "add|+|sum"
SUB = "sub|-|minus|difference"
DIV = "div|/|quotient"
POW = "pow|**|power"
SLOPE = "derivative|slope|gradient|grad|yours|local"
RESULT = "result|data|value|forward|number|returns|compute"
mistake(
    "add_second_ignored", 2, f"{ADD};second|other|right|operand|b |0",
    closures=("            self.grad += out.grad\n            other.grad += out.grad\n",
              "            self.grad += out.grad\n"),
    heap=("((self, 1.0), (other, 1.0))", "((self, 1.0),)"),
    reset=("lambda g: (g, g)", "lambda g: (g,)"),
)  # fmt: skip
mistake(
    "add_slopes_are_values", 2, f"{ADD};{SLOPE}|1",
    classes=("class Add(Function):\n    def forward(self, a, b):\n        return a + b\n\n"
             "    def backward(self, g):\n        return g, g",
             "class Add(Function):\n    def forward(self, a, b):\n        self.a, self.b = a, b\n"
             "        return a + b\n\n    def backward(self, g):\n"
             "        return g * self.b, g * self.a"),
    counts=("self.data + rhs.data, [self, rhs], [1.0, 1.0]",
            "self.data + rhs.data, [self, rhs], [self.data, rhs.data]"),
)  # fmt: skip
mistake(
    "sub_second_positive", 2, f"{SUB};{SIGN}|second|other|-1",
    tape=("self.data - other.data, (self, other), (1.0, -1.0)",
          "self.data - other.data, (self, other), (1.0, 1.0)"),
    classes=("return g, -g", "return g, g"),
    free=("add(self, neg(other))", "Var(self.value - as_var(other).value, (self, as_var(other)),"
          " lambda g: (g, g))"),
    table=('"sub": (lambda y, a, b: 1.0, lambda y, a, b: -1.0)',
           '"sub": (lambda y, a, b: 1.0, lambda y, a, b: 1.0)'),
)  # fmt: skip
mistake(
    "mul_first_unscaled", 2, f"{MUL};first|self|left|operand|a |1",
    helper=("self.data * o.data, o.data, self.data", "self.data * o.data, 1.0, self.data"),
    levels=("(other.data, self.data)", "(1, self.data)"),
    micrograd=("self.grad += other.data * product.grad", "self.grad += product.grad"),
)  # fmt: skip
mistake(
    "mul_adds_factors", 2, f"{MUL};{SLOPE}|+",
    reset=("(g * other.data, g * self.data)",
           "(g * (self.data + other.data), g * (self.data + other.data))"),
    subclasses=("return [b.data, a.data]", "return [a.data + b.data, a.data + b.data]"),
)  # fmt: skip
mistake(
    "div_denominator_not_squared", 2, f"{DIV};square|** 2|**2|denominator|second|{SLOPE}",
    tape=("-a / b ** 2", "-a / b"),
    counts=("-result / rhs.data]", "-result]"),
    torchlike=("-grad_output * x / (y * y)", "-grad_output * x / y"),
)  # fmt: skip
mistake(
    "div_first_not_divided", 2, f"{DIV};first|numerator|1 / b|1/b|{SLOPE}",
    classes=("return g / self.b, -g * self.a", "return g, -g * self.a"),
    subclasses=("[1 / b.data, -self.data / b.data]", "[1.0, -self.data / b.data]"),
)  # fmt: skip
mistake(
    "div_second_missing", 2, f"{DIV};second|denominator|other|divisor|0|{SLOPE}",
    none=("Value(q).link((self, 1 / other.data), (other, -q / other.data))",
          "Value(q).link((self, 1 / other.data))"),
    helper=("1 / o.data, -q / o.data", "1 / o.data, 0.0"),
)  # fmt: skip
mistake(
    "pow_no_factor_n", 2, f"{POW};factor|n |exponent|in front|{SLOPE}",
    tape=("(n * self.data ** (n - 1),)", "(self.data ** (n - 1),)"),
    closures=("n * self.data ** (n - 1) * out.grad", "self.data ** (n - 1) * out.grad"),
    free=("(g * n * x.value ** (n - 1),)", "(g * x.value ** (n - 1),)"),
)  # fmt: skip
mistake(
    "pow_exponential_rule", 2, f"{POW};log|exponential|{SLOPE}",
    none=("link((self, n * self.data ** (n - 1)))",
          "link((self, self.data ** n * math.log(abs(self.data))))"),
    reset=("(g * k * self.data ** (k - 1),)",
           "(g * out.data * math.log(abs(self.data)),)"),
)  # fmt: skip
mistake(
    "neg_slope_positive", 2, f"neg|- x|-x|minus|- a|-a;{SIGN}|{SLOPE}|1",
    tape=("record(-self.data, (self,), (-1.0,))", "record(-self.data, (self,), (1.0,))"),
    classes=("return (-g,)", "return (g,)"),
    dictionary=("Value(-self.data, (self,), (-1.0,))", "Value(-self.data, (self,), (1.0,))"),
)  # fmt: skip
mistake(
    "mul_rounds", 1, f"{MUL};round|digit|decimal|precis|{RESULT}",
    tape=("record(self.data * other.data, ", "record(round(self.data * other.data, 1), "),
    pull=("Value(self.data * other.data, ", "Value(round(self.data * other.data, 1), "),
)  # fmt: skip
mistake(
    "div_floors", 1, f"{DIV};integer|floor|//|{RESULT}|round",
    subclasses=("super().__init__(a.data / b.data, a, b)",
                "super().__init__(a.data // b.data, a, b)"),
    tape=("record(a / b, ", "record(a // b, "), table=("lambda a, b: a / b", "lambda a, b: a // b"),
)  # fmt: skip
mistake(
    "data_made_int", 1, "int|decimal|truncat|round|digit|fraction|whole;"
    "data|number|value|constructor|__init__|result|digit",
    slots=("self.data = float(data)", "self.data = int(data)"),
    dictionary=("        self.data = data\n", "        self.data = int(data)\n"),
)  # fmt: skip
mistake(
    "sub_is_add", 1, f"{SUB};{RESULT}|+|add|sign",
    closures=("return self + (-other)", "return self + other"),
    dictionary=("self.data - other.data, (self, other), (1.0, -1.0)",
                "self.data + other.data, (self, other), (1.0, 1.0)"),
)  # fmt: skip
mistake(
    "neg_returns_number", 1, "neg|- x|-x|minus|- a|-a;number|float|int|plain|not a |type|wrap",
    slots=("return self * -1.0", "return -self.data"),
    pull=("return self * -1\n", "return -self.data\n"),
)  # fmt: skip
mistake(
    "add_in_place", 1, f"{ADD};operand|place|itself|self|same|change|mutat|new",
    none=("return Value(self.data + other.data).link((self, 1), (other, 1))",
          "self.data += other.data\n        return self"),
    levels=("return Value(self.data + other.data, (self, other), (1, 1))",
            "self.data = self.data + other.data\n        return self"),
)  # fmt: skip
mistake(
    "mul_returns_none", 1, f"{MUL};return|none|nothing",
    closures=("            other.grad += self.data * out.grad\n        out._backward = _backward\n"
              "        return out\n",
              "            other.grad += self.data * out.grad\n"
              "        out._backward = _backward\n"),
    reset=("g * self.data)\n        return out", "g * self.data)"),
)  # fmt: skip
mistake(
    "pow_is_mul", 1, f"{POW};{RESULT}|*|mul|product",
    subclasses=("super().__init__(a.data**exponent, a)", "super().__init__(a.data*exponent, a)"),
    classes=("return a ** n", "return a * n"),
)  # fmt: skip


# --- the backward pass ----------------------------------------------------------------------------

ORDER = "order|topolog|revers|before|too early|sort|depth|breadth|users"
SEED = "seed|start|result|root|self.grad|output|first gradient;"
mistake(
    "seed_of_zero", 3, f"{SEED}0|zero|1",
    closures=("        self.grad = 1.0\n        for v", "        self.grad = 0.0\n        for v"),
    heap=("{self.index: 1.0}", "{self.index: 0.0}"), pull=("memo = {self: 1.0}",
                                                          "memo = {self: 0.0}"),
)  # fmt: skip
mistake(
    "seed_is_data", 3, f"{SEED}data|value|1",
    slots=("self.grad = 1.0\n", "self.grad = self.data\n"),
    dictionary=("grads = {self: 1.0}", "grads = {self: self.data}"),
    indices=("grads[self.i] = 1.0", "grads[self.i] = self.data"),
)  # fmt: skip
mistake(
    "seed_after_loop", 3, f"{SEED}after|late|before|never|zero|0|missing|1",
    closures=("        self.grad = 1.0\n        for v in reversed(topo):\n"
              "            v._backward()\n",
              "        for v in reversed(topo):\n            v._backward()\n"
              "        self.grad = 1.0\n"),
    reset=("            node.grad = 0.0\n        self.grad = 1.0\n        for node in "
           "order[::-1]:\n",
           "            node.grad = 0.0\n        for node in order[::-1]:\n"),
)  # fmt: skip
mistake(
    "seed_on_every_node", 3, "seed|grad|1|start;every|each|all|node",
    closures=("        self.grad = 1.0\n        for v in reversed(topo):\n",
              "        for v in reversed(topo):\n            v.grad = 1.0\n"),
    helper=("        for node in reversed(order):\n",
            "        for node in reversed(order):\n            node.grad = 1.0\n"),
)  # fmt: skip
mistake(
    "only_direct_operands", 3, "direct|only|one level|children|one step|stops|recurs|deeper|"
    "whole graph|inner|further|never reach|not reach|passed on|pass on;operand|child|node|graph|"
    "inner|step|level|further|gradient",
    minimal=("                visit(parent)\n            order.append(v)",
             "                order.append(parent)\n            order.append(v)"),
    subclasses=("path.append((operand, iter(operand.operands)))",
                "path.append((operand, iter(())))"),
)  # fmt: skip
mistake(
    "preorder", 3, ORDER,
    closures=("                for child in v._prev:\n                    build(child)\n"
              "                topo.append(v)\n\n        build(self)\n        self.grad = 1.0\n"
              "        for v in reversed(topo):",
              "                topo.append(v)\n                for child in v._prev:\n"
              "                    build(child)\n\n        build(self)\n        self.grad = 1.0\n"
              "        for v in topo:"),
    minimal=[("            for parent, _ in v.parents:\n                visit(parent)\n"
              "            order.append(v)\n",
              "            order.append(v)\n            for parent, _ in v.parents:\n"
              "                visit(parent)\n"),
             ("in reversed(order)", "in order")],
)  # fmt: skip
mistake(
    "order_unsorted_walk", 3, ORDER,
    table=("                if not pending[a]:\n", "                if a not in ready:\n"),
    classes=("                if uses[p] == 0:\n", "                if p not in ready:\n"),
    free=("            if count[x] == 0:\n                ready.append(x)",
          "            if count[x] >= 0 and x not in ready:\n                ready.append(x)"),
)  # fmt: skip
mistake(
    "levels_ascending", 3, ORDER,
    levels=("key=lambda v: v.level, reverse=True", "key=lambda v: v.level"),
)  # fmt: skip
mistake(
    "level_of_first_child", 3, ORDER + "|level",
    levels=("max((c.level for c in children), default=0)",
            "(children[0].level if children else 0)"),
)  # fmt: skip
mistake(
    "chain_missing_all", 3, CHAIN,
    tape=("v.grad += slope * out.grad", "v.grad += slope"),
    subclasses=("operand.grad += d * current.grad", "operand.grad += d"),
    minimal=("parent.grad += slope * v.grad", "parent.grad += slope"),
    indices=("grads[j] += slope * g", "grads[j] += slope"),
)  # fmt: skip
mistake(
    "chain_missing_pow", 3, f"{POW};{CHAIN}",
    closures=("(n - 1) * out.grad", "(n - 1)"),
    reset=("(g * k * self.data ** (k - 1),)", "(k * self.data ** (k - 1),)"),
    micrograd=("(k - 1) * power.grad", "(k - 1)"),
)  # fmt: skip
mistake(
    "chain_missing_tanh", 3, f"tanh;{CHAIN}",
    closures=("(1 - t ** 2) * out.grad", "(1 - t ** 2)"),
    free=("(g * (1 - y * y),)", "(1 - y * y,)"),
)  # fmt: skip
mistake(
    "chain_own_grad", 3, "self.grad|own;out.grad|chain|upstream|result",
    closures=("other.data * out.grad", "other.data * self.grad"),
    micrograd=("other.data * product.grad", "other.data * self.grad"),
)  # fmt: skip
mistake(
    "add_adds_slope_to_upstream", 3, f"{CHAIN}|mul|*|product|times;+|add|sum|*|mul",
    levels=("child.grad += slope * v.grad", "child.grad += slope + v.grad"),
    heap=[("pending[parent.index] += slope * g", "pending[parent.index] += slope + g"),
          ("pending[parent.index] = slope * g", "pending[parent.index] = slope + g")],
)  # fmt: skip
mistake(
    "visited_by_number", 3, "visited|seen|equal|same number|same value|compare|by value|"
    "same data;value|data|number|equal|same",
    closures=[("if v not in visited:", "if v.data not in visited:"),
              ("visited.add(v)", "visited.add(v.data)")],
    minimal=[("if v in seen:", "if v.data in seen:"), ("seen.add(v)", "seen.add(v.data)")],
)  # fmt: skip
mistake(
    "visited_default_argument", 12, "visited|seen|kept|remember|second|shared|default|between|once;"
    "call|default|shared|between|second|next|again|backward|once|global",
    reset=[("    def backward(self):\n        order = []\n        visited = set()\n",
            "    def backward(self, visited=set()):\n        order = []\n")],
    minimal=[("    def backward(self):\n        order = []\n        seen = set()\n",
              "    def backward(self, seen=set()):\n        order = []\n")],
)  # fmt: skip
mistake(
    "mul_forgets_second_operand", 3, f"{MUL};_prev|parent|operand|child|other|second",
    closures=('Value(self.data * other.data, (self, other), "*")',
              'Value(self.data * other.data, (self,), "*")'),
    slots=("Node(self.data * other.data, (self, other))", "Node(self.data * other.data, (self,))"),
)  # fmt: skip
mistake(
    "exp_forgets_operand", 3, "exp;_prev|parent|operand|child|graph|leaf|pass",
    closures=('Value(math.exp(self.data), (self,), "exp")',
              'Value(math.exp(self.data), (), "exp")'),
    dictionary=("return Value(result, (self,), (result,))", "return Value(result)"),
)  # fmt: skip
mistake(
    "backward_called_at_once", 3, "call|early|at once|immediately|()|parenthes|function",
    closures=("            self.grad += out.grad\n            other.grad += out.grad\n"
              "        out._backward = _backward\n",
              "            self.grad += out.grad\n            other.grad += out.grad\n"
              "        out._backward = _backward()\n"),
)  # fmt: skip
mistake(
    "backward_not_stored", 3, f"{MUL};_backward|never|set|attach|store|assign|pass|no gradient|0",
    closures=("            other.grad += self.data * out.grad\n        out._backward = _backward\n",
              "            other.grad += self.data * out.grad\n"),
    reset=("        out._grad_fn = lambda g: (g * other.data, g * self.data)\n", ""),
)  # fmt: skip
mistake(
    "backward_stored_on_self", 3, "tanh;self|operand|result|out|wrong|never|0|pass",
    closures=("            self.grad += (1 - t ** 2) * out.grad\n        out._backward",
              "            self.grad += (1 - t ** 2) * out.grad\n        self._backward"),
)  # fmt: skip


# --- contributions that add up, and numbers beside Values -----------------------------------------

SUMS = "+=|accumul|overwrit|add up|adds up|sum|replac|lost|assign|last"
mistake(
    "assign_in_add", 4, f"{ADD};{SUMS}",
    closures=("self.grad += out.grad\n            other.grad += out.grad",
              "self.grad = out.grad\n            other.grad = out.grad"),
    slots=("            self.grad += g\n            other.grad += g\n",
           "            self.grad = g\n            other.grad = g\n"),
    micrograd=("self.grad += total.grad\n            other.grad += total.grad",
               "self.grad = total.grad\n            other.grad = total.grad"),
)  # fmt: skip
mistake(
    "assign_second_of_mul", 4, f"{MUL};{SUMS}",
    closures=("other.grad += self.data * out.grad", "other.grad = self.data * out.grad"),
    slots=("other.grad += g * self.data", "other.grad = g * self.data"),
)  # fmt: skip
mistake(
    "assign_in_tanh", 4, f"tanh;{SUMS}",
    closures=("self.grad += (1 - t ** 2)", "self.grad = (1 - t ** 2)"),
    closures_ordered=("self.grad += (1 - t ** 2)", "self.grad = (1 - t ** 2)"),
)  # fmt: skip
mistake(
    "assign_in_relu", 4, f"relu;{SUMS}",
    closures=("self.grad += (self.data > 0)", "self.grad = (self.data > 0)"),
    micrograd=("self.grad += (clipped.data > 0)", "self.grad = (clipped.data > 0)"),
)  # fmt: skip
mistake(
    "assign_in_pow", 4, f"{POW};{SUMS}",
    closures=("self.grad += n * self.data ** (n - 1)", "self.grad = n * self.data ** (n - 1)"),
    micrograd=("self.grad += k * self.data", "self.grad = k * self.data"),
)  # fmt: skip
mistake(
    "contributions_replaced_in_dictionary", 4, SUMS,
    dictionary=("grads[parent] = grads.get(parent, 0.0) + derivative * g",
                "grads[parent] = derivative * g"),
    threads=("grads[operand] = grads.get(operand, 0.0) + derivative * g",
             "grads[operand] = derivative * g"),
    heap=("pending[parent.index] += slope * g", "pending[parent.index] = slope * g"),
    indices=("grads[j] += slope * g", "grads[j] = slope * g"),
)  # fmt: skip
mistake(
    "contributions_multiplied", 4, f"{SUMS}|multipl|product",
    levels=("child.grad += slope * v.grad",
            "child.grad = child.grad * slope * v.grad if child.grad else slope * v.grad"),
    none=("self.grad = self.grad + g", "self.grad = self.grad * g"),
)  # fmt: skip
mistake(
    "grad_begins_at_one", 4, "grad|begin|start|initial;0|zero|1|one",
    closures=("        self.data = data\n        self.grad = 0.0",
              "        self.data = data\n        self.grad = 1.0"),
    tape=("        self.data = float(data)\n        self.grad = 0.0",
          "        self.data = float(data)\n        self.grad = 1.0"),
)  # fmt: skip
mistake(
    "set_of_edges_merges_equal", 4, "twice|a + a|x + x|both|same|equal|set|merg|duplicat|once|"
    "itself|+=|add up|sum|accumul",
    levels=("tuple(zip(children, slopes))", "set(zip(children, slopes))"),
    begun=("out.sources = [(self, 1.0), (other, 1.0)]",
           "out.sources = {(self, 1.0), (other, 1.0)}"),
    pull=("[(self, 1.0), (other, 1.0)]", "{(self, 1.0), (other, 1.0)}"),
)  # fmt: skip
mistake(
    "square_as_one_edge", 4, "twice|a * a|x * x|both|same|itself|dict|once|square|+=|add up|sum|"
    "accumul|merg|duplicat",
    heap=("((self, other.data), (other, self.data))",
          "{self: other.data, other: self.data}.items()"),
    indices=("[(self.i, other.data), (other.i, self.data)]",
             "{self.i: other.data, other.i: self.data}.items()"),
)  # fmt: skip
mistake(
    "add_returns_self_for_zero", 5, f"{ADD};self|same|new|itself|0|zero|operand",
    slots=("        other = other if isinstance(other, Node) else Node(other)\n"
           "        out = Node(self.data + other.data",
           "        if isinstance(other, (int, float)) and other == 0:\n            return self\n"
           "        other = other if isinstance(other, Node) else Node(other)\n"
           "        out = Node(self.data + other.data"),
)  # fmt: skip
mistake(
    "no_radd", 5, "__radd__|radd|reflected|3 + a|sum(|number +|left|reversed add",
    closures=("    def __radd__(self, other):\n        return self + other\n\n", ""),
    tape=("    def __radd__(self, other):\n        return wrap(other) + self\n\n", ""),
    torchlike=("    __radd__ = __add__\n", ""),
)  # fmt: skip
mistake(
    "no_rmul", 5, "__rmul__|rmul|reflected|2 * a|3 * a|number *|left|reversed mul",
    closures=("    def __rmul__(self, other):\n        return self * other\n\n", ""),
    classes=("    def __rmul__(self, other):\n        return Mul.apply(other, self)\n\n", ""),
)  # fmt: skip
mistake(
    "no_rtruediv", 5, "__rtruediv__|rtruediv|reflected|1 / a|3 / a|number /|left|reversed div",
    none=("    def __rtruediv__(self, other):\n        return Value(other / self.data).link((self, "
          "-other / self.data ** 2))\n\n", ""),
    free=("    def __rtruediv__(self, other):\n        return mul(other, inv(self))\n\n", ""),
)  # fmt: skip
RDIV = "__rtruediv__|rtruediv|3 / a|1 / a|number /|/ a|reflected|reversed div|/ x"
mistake(
    "rtruediv_swapped", 5, f"{RDIV};swap|order|other way|upside|self / other|reversed|invert",
    closures=("return other * self ** -1", "return self * other ** -1"),
    classes=("Div.apply(other, self)", "Div.apply(self, other)"),
    heap=("Value.of(other) / self", "self / Value.of(other)"),
)  # fmt: skip
mistake(
    "rtruediv_loses_gradient", 5, f"{RDIV};{SLOPE}|sign|minus|square|pass",
    none=("link((self, -other / self.data ** 2))", "link((self, 1 / other))"),
    free=("return mul(other, inv(self))", "return mul(other, Var(1 / self.value))"),
)  # fmt: skip
mistake(
    "only_floats_wrapped", 5, f"{WRAP}",
    table=("tuple(a if isinstance(a, Scalar) else Scalar(a) for a in args)",
           "tuple(Scalar(a) if isinstance(a, float) else a for a in args)"),
    dictionary=("return x if isinstance(x, Value) else Value(x)",
                "return Value(x) if type(x) is float else x"),
)  # fmt: skip
mistake(
    "rsub_not_negative", 5, RSUB.split(";")[0] + ";sign|minus|neg|swap|order|-",
    micrograd=("return other + (-self)", "return other + self"),
    minimal=("return self * -1 + other", "return self + other"),
)  # fmt: skip
mistake(
    "number_multiplied_has_slope_one", 5, f"{MUL};number|constant|scalar|float|{SLOPE}",
    none=("Value(self.data * other).link((self, other))",
          "Value(self.data * other).link((self, 1))"),
    threads=("self._to(self.data * other, (self, other))",
             "self._to(self.data * other, (self, 1.0))"),
)  # fmt: skip


# --- functions, large numbers, large graphs -------------------------------------------------------

mistake(
    "exp_slope_is_x", 6, f"exp;{SLOPE}|x ",
    tape=("record(e, (self,), (e,))", "record(e, (self,), (self.data,))"),
    subclasses=("        return [self.data]\n", "        return [self.operands[0].data]\n"),
    free=("(g * y,))\n\n\ndef log", "(g * x.value,))\n\n\ndef log"),
)  # fmt: skip
mistake(
    "exp_as_power_rule", 6, f"exp;{SLOPE}|power|pow",
    classes=("return (g * self.e,)", "return (g * math.log(self.e) * self.e,)"),
    heap=("return Value(e, ((self, e),))", "return Value(e, ((self, self.data * e),))"),
)  # fmt: skip
mistake(
    "log_slope_is_log", 6, f"log;{SLOPE}|1 / x|1 / a|1/x",
    tape=("(self,), (1 / self.data,))", "(self,), (math.log(self.data),))"),
    table=('"log": (lambda y, a: 1 / a,)', '"log": (lambda y, a: y,)'),
    reset=("lambda g: (g / self.data,)", "lambda g: (g / out.data,)"),
)  # fmt: skip
mistake(
    "log_slope_of_base_ten", 6, f"log;10|base|{SLOPE}|factor",
    counts=("[1.0 / self.data])", "[1.0 / (self.data * math.log(10))])"),
    slots=("1 / self.data)", "1 / (self.data * math.log(10)))"),
)  # fmt: skip
mistake(
    "log_of_base_ten", 6, f"log;10|base|{RESULT}",
    classes=("return math.log(a)", "return math.log10(a)"),
    indices=("Value(math.log(self.data)", "Value(math.log10(self.data)"),
)  # fmt: skip
mistake(
    "tanh_not_squared", 6, f"tanh;square|1 - t|** 2|{SLOPE}",
    closures=("(1 - t ** 2)", "(1 - t)"), pull=("(self, 1 - y * y)", "(self, 1 - y)"),
    classes=("(1 - self.t ** 2)", "(1 - self.t)"),
)  # fmt: skip
mistake(
    "tanh_plus", 6, f"tanh;{SIGN}|+|1 - |{SLOPE}",
    levels=("(1 - y**2,)", "(1 + y**2,)"), torchlike=("(1 - result * result)",
                                                    "(1 + result * result)"),
)  # fmt: skip
mistake(
    "sigmoid_slope_of_tanh", 6, f"sigmoid;{SLOPE}|1 - s",
    closures=("s * (1 - s) * out.grad", "(1 - s ** 2) * out.grad"),
    indices=("y * (1 - y)", "1 - y * y"), none=("y * (1 - y)", "1 - y * y"),
)  # fmt: skip
mistake(
    "sigmoid_slope_from_x", 6, f"sigmoid;{SLOPE}|x |input|result",
    closures=("s * (1 - s) * out.grad", "x * (1 - x) * out.grad"),
    tape=("(s * (1 - s),)", "(x * (1 - x),)"),
)  # fmt: skip
mistake(
    "sigmoid_slope_plus", 6, f"sigmoid;{SIGN}|+|1 - s|{SLOPE}",
    subclasses=("self.data * (1 - self.data)", "self.data * (1 + self.data)"),
    free=("g * y * (1 - y)", "g * y * (1 + y)"),
)  # fmt: skip
mistake(
    "sigmoid_sign_of_x", 6, f"sigmoid;{SIGN}|-x|{RESULT}|exp",
    free=("0.5 * (1 + math.tanh(x.value / 2))", "0.5 * (1 - math.tanh(x.value / 2))"),
    indices=("0.5 * math.tanh(0.5 * self.data) + 0.5", "0.5 - 0.5 * math.tanh(0.5 * self.data)"),
)  # fmt: skip
mistake(
    "relu_slope_is_value", 6, f"relu;{SLOPE}|1|x ",
    tape=("(1.0 if x > 0 else 0.0,)", "(max(x, 0.0),)"),
    torchlike=("(grad_output if x > 0 else 0.0,)", "(grad_output * x if x > 0 else 0.0,)"),
)  # fmt: skip
mistake(
    "relu_slope_reversed", 6, f"relu;{SIGN}|< 0|revers|> 0|wrong side|{SLOPE}|blocked",
    closures=("(self.data > 0) * out.grad", "(self.data < 0) * out.grad"),
    free=("(g if x.value > 0 else 0.0,)", "(g if x.value < 0 else 0.0,)"),
)  # fmt: skip
mistake(
    "relu_is_abs", 6, f"relu;abs|negative|{RESULT}",
    helper=("max(self.data, 0.0), float", "abs(self.data), float"),
    table=("lambda a: a if a > 0 else 0.0", "lambda a: abs(a)"),
)  # fmt: skip
mistake(
    "relu_clips_gradient", 6, f"relu;{CHAIN}|gradient|negative|sign",
    reset=("(g if self.data > 0 else 0.0,)", "(max(g, 0.0) if self.data > 0 else 0.0,)"),
    classes=("(g if self.a > 0 else 0.0,)", "(max(g, 0.0) if self.a > 0 else 0.0,)"),
)  # fmt: skip
LARGE = "overflow|large|big|inf|nan|1000|stable|range|too great|-1000"
mistake(
    "sigmoid_overflows", 10, f"sigmoid|exp;{LARGE}",
    tape=("1 / (1 + math.exp(-x)) if x >= 0 else 1 - 1 / (1 + math.exp(x))",
          "1 / (1 + math.exp(-x))"),
    free=("0.5 * (1 + math.tanh(x.value / 2))", "1 / (1 + math.exp(-x.value))"),
    table=("    if x >= 0:\n        return 1.0 / (1.0 + math.exp(-x))\n"
           "    return math.exp(x) / (1.0 + math.exp(x))",
           "    return math.exp(x) / (1.0 + math.exp(x))"),
)  # fmt: skip
mistake(
    "tanh_overflows", 10, f"tanh|exp;{LARGE}",
    closures=("t = math.tanh(self.data)",
              "t = (math.exp(2 * self.data) - 1) / (math.exp(2 * self.data) + 1)"),
    dictionary=("        result = math.tanh(self.data)\n",
                "        e, d = math.exp(self.data), math.exp(-self.data)\n"
                "        result = (e - d) / (e + d)\n"),
)  # fmt: skip
SLOW = "exponential|slow|visited|twice|again|every path|per path|time|remember|doubl|seen|memo"
mistake(
    "pull_without_memory", 11, SLOW, kind="slow",
    pull=("            if node not in memo:\n"
          "                memo[node] = sum(slope * gradient(user) for user, slope in "
          "users[node])\n"
          "            return memo[node]\n",
          "            if node is self:\n                return 1.0\n"
          "            return sum(slope * gradient(user) for user, slope in users[node])\n"),
)  # fmt: skip
mistake(
    "recursion_in_order", 11, "recurs|deep|depth", kind="deep",
    heap=("        pending = {self.index: 1.0}\n",
          "        def depth(v):\n            return 1 + max((depth(p) for p, _ in "
          "v.parents[:1]), default=0)\n\n"
          "        depth(self)\n        pending = {self.index: 1.0}\n"),
    free=("    nodes = list(toposort(root))\n",
          "    nodes, seen = [], set()\n\n    def visit(node):\n        if node not in seen:\n"
          "            seen.add(node)\n            for x in node.inputs:\n"
          "                visit(x)\n            nodes.insert(0, node)\n\n    visit(root)\n"),
)  # fmt: skip


# --- numerical gradients, networks, training, second graphs ---------------------------------------

NUMERIC = "numerical|finite|eps|2 * eps|difference|h "
mistake(
    "numerical_divides_by_eps", 7, f"{NUMERIC};2|half|twice|divi|factor|double",
    closures=("(plus - minus) / (2 * eps)", "(plus - minus) / eps"),
    heap=("(up.data - down.data) / (2 * eps)", "(up.data - down.data) / eps"),
    free=("/ (2 * eps)", "/ 2 * eps"),
)  # fmt: skip
mistake(
    "numerical_not_restored", 7, "restor|put back|reset|original|left|changed|keeps|not back|undo;"
    "data|value|x|input",
    classes=("    x.data = kept\n    return (plus", "    return (plus"),
    slots=("    finally:\n        x.data = before\n", "    finally:\n        before = x.data\n"),
)  # fmt: skip
mistake(
    "numerical_sign", 7, f"{NUMERIC};{SIGN}|order|minus|swap",
    tape=("(plus - minus) / (2 * eps)", "(minus - plus) / (2 * eps)"),
    reset=("up.data - down.data", "down.data - up.data"),
)  # fmt: skip
mistake(
    "numerical_moves_from_moved", 7, f"{NUMERIC}|x.data;one side|restor|centr|middle|shift|both|"
    "divi|2|minus|side|-",
    typed=("kept - eps", "x.data - eps"), dictionary=("kept - eps", "x.data - eps"),
)  # fmt: skip
mistake(
    "bias_unused", 8, "bias|self.b;use|forward|call|added|influence|no effect|ignored|gradient|"
    "never|left out|missing",
    closures=("        z = self.b\n", "        z = 0.0\n"),
    indices=("        total = self.bias\n", "        total = 0.0\n"),
    micrograd=("zip(self.weights, x)), self.bias)", "zip(self.weights, x)))"),
)  # fmt: skip
mistake(
    "weights_shared_in_neuron", 8, "shared|same|one value|copies|distinct|once|several times|twice|"
    "duplicat|all equal|identical|count;weight|parameter|w |value",
    closures=("[Value(random.uniform(-1, 1)) for _ in range(nin)]",
              "[Value(random.uniform(-1, 1))] * nin"),
    slots=("[Node(random.uniform(-1, 1)) for _ in range(nin)]",
           "[Node(random.uniform(-1, 1))] * nin"),
)  # fmt: skip
mistake(
    "neurons_shared_in_layer", 8, "shared|same|one neuron|copies|distinct|once|several times|twice|"
    "duplicat|identical|count;neuron|parameter|layer",
    tape=("[Neuron(nin) for _ in range(nout)]", "[Neuron(nin)] * nout"),
    helper=("tuple(Neuron(nin, activate) for _ in range(nout))", "(Neuron(nin, activate),) * nout"),
)  # fmt: skip
mistake(
    "no_activation", 8, "activation|tanh|linear|affine|relu|nonlin|non-lin|sigmoid",
    closures=("return z.tanh()", "return z"), indices=("return total.tanh()", "return total"),
    subclasses=("return act.relu() if self.nonlin else act", "return act"),
)  # fmt: skip
mistake(
    "layers_all_of_first_size", 8, "size|shape|input|nin|width|number of|count;"
    "layer|weight|neuron|mlp",
    closures=("Layer(sizes[i], sizes[i + 1])", "Layer(nin, sizes[i + 1])"),
    threads=("            self.layers.append(Layer(size, n))\n            size = n\n",
             "            self.layers.append(Layer(size, n))\n"),
)  # fmt: skip
mistake(
    "layer_one_neuron_short", 8, "neuron|output|size|number of|nout|one less|too few|count|short",
    pull=("for _ in range(nout)", "for _ in range(nout - 1 or 1)"),
    counts=("for _ in range(n_outputs)", "for _ in range(max(1, n_outputs - 1))"),
)  # fmt: skip
mistake(
    "parameters_first_layer_only", 8, "parameters|layer;first|only|return|early|one|missing|other",
    counts=("            params.extend(layer.parameters())\n        return params",
            "            params.extend(layer.parameters())\n            return params"),
    freed=("[p for layer in self.layers for p in layer.parameters()]",
           "[p for p in self.layers[0].parameters()]"),
)  # fmt: skip
mistake(
    "parameters_last_layer_missing", 8, "parameters|layer;last|missing|only|left out|not in",
    classes=("[p for layer in self.layers for p in layer.parameters()]",
             "[p for layer in self.layers[:-1] or self.layers for p in layer.parameters()]"),
    subclasses=("[p for layer in self.layers for p in layer.parameters()]",
                "[p for layer in self.layers[:-1] or self.layers for p in layer.parameters()]"),
)  # fmt: skip
mistake(
    "parameters_nested", 8, "parameters|list;nested|flat|list of lists|lists|extend|append",
    threads=("params.extend(layer.parameters())", "params.append(layer.parameters())"),
    no_grad=("sum((layer.parameters() for layer in self.layers), [])",
             "[layer.parameters() for layer in self.layers]"),
)  # fmt: skip
mistake(
    "parameters_are_copies", 8,
    "parameters|copies|copy;new|cop|same object|same|each call|identity|"
    "no gradient|not the",
    closures=("return self.w + [self.b]", "return [Value(p.data) for p in self.w + [self.b]]"),
    table=("        yield from self.w\n        yield self.b\n",
           "        yield from (Scalar(w.data) for w in self.w)\n        yield self.b\n"),
)  # fmt: skip
mistake(
    "weights_only_first_input", 8, "weight|input|zip|one|first|w ;first|only|all|one|shared|same|"
    "each|every",
    freed=("z = z + wi * xi", "z = z + self.w[0] * xi"),
    classes=("z = z + wi * xi", "z = z + wi * x[0]"),
)  # fmt: skip
mistake(
    "weighted_sum_overwritten", 8, "sum|+=|accumul|overwrit|last|add|total;weight|input|neuron|"
    "total|sum|last|bias",
    dataclass=("z = z + wi * xi", "z = self.b + wi * xi"),
    indices=("total = total + w * x", "total = w * x"),
)  # fmt: skip
mistake(
    "layer_feeds_the_first_input", 8, "layer|mlp;input|output|x |next|last|chain|previous|result",
    free=("        for layer in self.layers:\n            x = layer(x)\n        return x",
          "        for layer in self.layers:\n            y = layer(x[: len("
          "layer.neurons[0].w)])\n        return y"),
    tape=("        for layer in self.layers:\n            x = layer(x)\n        return x",
          "        return self.layers[-1](x)"),
)  # fmt: skip
STEP = "step|update|learning|lr|p.data|descen|train"
mistake(
    "train_ascends", 9, f"{SIGN}|ascen|uphill|+|add|grow|plus|wrong way|wrong direction;{STEP}",
    closures=("p.data -= lr * p.grad", "p.data += lr * p.grad"),
    slots=("p.data += -self.lr * p.grad", "p.data += self.lr * p.grad"),
    dataclass=("p.data - lr * p.grad", "p.data + lr * p.grad"),
)  # fmt: skip
mistake(
    "train_no_lr", 9, "lr|learning rate|rate|step size",
    tape=("p.data -= lr * p.grad", "p.data -= p.grad"),
    heap=("p.data += -self.lr * p.grad", "p.data -= p.grad"),
)  # fmt: skip
mistake(
    "train_zero_before_step", 9, "zero_grad|reset|zero|clear;before|after|between|too early|order|"
    "no effect|never|0",
    classes=("        model.zero_grad()\n        loss.backward()\n",
             "        loss.backward()\n        model.zero_grad()\n"),
    free=("        model.zero_grad()\n        loss.backward()\n",
          "        loss.backward()\n        model.zero_grad()\n"),
)  # fmt: skip
mistake(
    "train_last_example_only", 9, "last|only|one example|+=|sum|overwrit|total|accumul;"
    "example|loss|sample|total|point|error",
    subclasses=("total = total + error * error", "total = error * error"),
    pull=("total = total + error * error", "total = error * error"),
)  # fmt: skip
mistake(
    "train_replaces_data_by_grad", 9,
    f"{STEP}|replac|assign;replac|assign|=|lr|old|grad|overwrit|minus",
    none=("p.data -= lr * p.grad", "p.data = lr * p.grad"),
    freed=("p.data = p.data - lr * p.grad", "p.data = -lr * p.grad"),
)  # fmt: skip
mistake(
    "train_writes_nothing", 9, f"{STEP};rebind|local|name|never|not written|no effect|unchanged|"
    "nothing|p.data|new|write|does not change|same",
    closures=("            p.data -= lr * p.grad\n", "            p = p - lr * p.grad\n"),
    typed=("            p.data -= lr * p.grad\n", "            data = p.data - lr * p.grad\n"),
)  # fmt: skip
mistake(
    "train_losses_are_values", 9, "loss;value|number|.data|float|plain",
    classes=("losses.append(loss.data)", "losses.append(loss)"),
    levels=("history.append(loss.data)", "history.append(loss)"),
)  # fmt: skip
mistake(
    "train_no_backward", 9, "backward|gradient;never|missing|call|forgot|0|zero|no ",
    dictionary=("        loss.backward()\n", ""), slots=("        loss.backward()\n", ""),
)  # fmt: skip
mistake(
    "zero_grad_resets_data", 12, "zero_grad|reset|zero;data|weight|value|parameters",
    typed=("            p.grad = 0.0\n", "            p.grad = p.data = 0.0\n"),
    pull=("        for p in self.parameters():\n            p.grad = 0.0\n",
          "        for p in self.parameters():\n            p.data = 0.0\n"),
)  # fmt: skip
mistake(
    "zero_grad_first_layer_only", 12, "zero_grad|reset|zero;layer|first|only|all|every|some|other",
    closures=("        for p in self.parameters():\n            p.grad = 0.0",
              "        for p in self.layers[0].parameters():\n            p.grad = 0.0"),
    tape=("        for p in self.parameters():\n            p.grad = 0.0",
          "        for p in self.layers[0].parameters():\n            p.grad = 0.0"),
)  # fmt: skip
mistake(
    "zero_grad_does_nothing", 12, "zero_grad|reset|zero;nothing|no effect|local|never|stay|not|"
    "still|keep|unchanged",
    closures=("            p.grad = 0.0\n", "            grad = 0.0\n"),
    indices=("            param.grad = 0.0\n", "            param.gradient = 0.0\n"),
)  # fmt: skip
mistake(
    "inner_gradients_pile_up", 12, "second|again|inner|twice|reset|old|earlier|previous|kept|clear|"
    "accumul|pile|doubl",
    table=("            if s.op is not None:\n                s.grad = 0.0\n",
           "            pass\n"),
    free=("        if node.inputs:\n            node.grad = 0.0\n", "        pass\n"),
    none=("            if v.parents:\n                v.grad = None\n", "            pass\n"),
)  # fmt: skip
mistake(
    "tape_never_cleared", 12, "tape|clear|old|earlier|previous|second|kept|empty",
    tape=("        TAPE.clear()\n", ""),
)  # fmt: skip
mistake(
    "operands_in_shared_default", 12, "shared|default|list|mutable|same list|one list|common;"
    "list|default|operand|_prev|parent|children|instance|args",
    closures_ordered=[('_children=(), _op=""', '_children=[], _op=""'),
                      ("list(_children)", "_children"),
                      ('Value(t, (self,), "tanh")',
                       'Value(t, _op="tanh")\n        out._prev.append(self)')],
)  # fmt: skip
mistake(
    "grad_on_the_class", 4, "class|shared|common|every value|all values|one grad|instance|same",
    closures=[("            self.grad += out.grad\n            other.grad += out.grad\n",
               "            Value.grad += out.grad\n            Value.grad += out.grad\n"),
              ("class Value:\n", "class Value:\n    grad = 0.0\n\n"),
              ("        self.data = data\n        self.grad = 0.0\n",
               "        self.data = data\n")],
)  # fmt: skip


# --- two mistakes in one file ---------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Two mistakes in one engine, as two ids. Both halves of a pair must be named."""

    first: Mistake
    second: Mistake

    @property
    def name(self) -> str:
        return f"{self.first.id}+{self.second.id}-{self.first.base}"

    @property
    def engine(self) -> Engine:
        return self.first.engine

    @property
    def text(self) -> str:
        return edited(self.first.text, self.second.edits)

    @property
    def half(self) -> str:
        """The half of the pair: one to build with only if both mistakes may be looked at."""
        both = {self.first.half, self.second.half}
        return "development" if both == {"development"} else "held_out"


BY_PLACE = {(m.base, m.id): m for m in FOUND}


def pair(base: str, first: str, second: str) -> Pair:
    return Pair(BY_PLACE[base, first], BY_PLACE[base, second])


PAIRS = (
    pair("closures", "mul_grad_own", "bias_not_in_parameters"),
    pair("closures", "assign_in_tanh", "train_ascends"),
    pair("closures", "pow_off_by_one", "rsub_swapped"),
    pair("closures", "tanh_not_squared", "no_rmul"),
    pair("closures", "relu_slope_reversed", "zero_grad_does_nothing"),
    pair("closures", "assign_in_add", "sigmoid_slope_of_tanh"),
    pair("classes", "div_sign", "relu_clips_gradient"),
    pair("classes", "sub_second_positive", "exp_as_power_rule"),
    pair("classes", "log_of_base_ten", "train_losses_are_values"),
    pair("classes", "rtruediv_swapped", "numerical_not_restored"),
    pair("tape", "exp_slope_is_x", "log_slope_is_log"),
    pair("tape", "pow_no_factor_n", "neurons_shared_in_layer"),
    pair("tape", "sigmoid_overflows", "numerical_sign"),
    pair("tape", "neg_slope_positive", "train_no_lr"),
    pair("table", "sub_second_positive", "relu_is_abs"),
    pair("free", "exp_slope_is_x", "rtruediv_loses_gradient"),
    pair("free", "sigmoid_slope_plus", "train_zero_before_step"),
    pair("reset", "mul_adds_factors", "numerical_sign"),
    pair("indices", "log_of_base_ten", "no_activation"),
    pair("subclasses", "div_first_not_divided", "train_last_example_only"),
    pair("slots", "assign_second_of_mul", "train_no_backward"),
    pair("heap", "rtruediv_swapped", "numerical_divides_by_eps"),
    pair("none", "pow_exponential_rule", "rsub_swapped"),
    pair("minimal", "rsub_not_negative", "no_visited"),
    pair("pull", "mul_rounds", "zero_grad_resets_data"),
)  # fmt: skip


# --- files of no use ------------------------------------------------------------------------------

CORE = ENGINES["closures"].text
UNUSABLE = {
    "empty": "",
    "only_comments": "# My engine.\n# The class follows tomorrow.\n",
    "colon_missing": edited(CORE, (Edit("class Value:", "class Value"),)),
    "indentation": edited(CORE, (Edit("        out = Value(t,", "     out = Value(t,"),)),
    "no_class": "import math\n\n\ndef add(a, b):\n    return a + b\n",
    "module_missing": "import gradient_helpers_of_mine\n\n" + CORE,
    "raises_at_import": CORE + "\n\nprint(Value(1.0).derivative)\n",
    "divides_at_import": CORE + "\n\nx = Value(1.0) / Value(0.0)\n",
    "no_data": edited(CORE, (Edit("        self.data = data\n", ""),)),
    "constructor_without_data": "class Value:\n    def __init__(self):\n        self.grad = 0.0\n",
    "other_language": "public class Value { double data; double grad; }\n",
    "a_page": "<!doctype html>\n<title>My engine</title>\n<p>class Value</p>\n",
    "conflict": "<<<<<<< mine\n" + CORE + "=======\n" + CORE + ">>>>>>> theirs\n",
    "unclosed_string": 'class Value:\n    """A number\n\n    def __init__(self, data): ...\n',
}
