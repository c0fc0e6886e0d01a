"""More mistakes of learners, written after the judge: they measure it."""

from __future__ import annotations

from .mistakes import (
    ADD,
    BIAS,
    DIV,
    IS,
    MUL,
    NUMERIC,
    POW,
    RESULT,
    REVERSED,
    SIGN,
    SLOPE,
    STEP,
    SUB,
    SUMS,
    ZERO,
    Mistake,
    mistake,
)

FRESH: list[Mistake] = []
CUT = "detach|cut|graph|parent|operand|pass|reach|_prev|gradient"
SWAP = "swap|order|sign|other way|reversed|turned"


def fresh(
    id: str, phase: int, words: str, **bases: tuple[str, str] | list[tuple[str, ...]]
) -> None:
    """Note a mistake in `FRESH`."""
    mistake(id, phase, words, into=FRESH, **bases)


# --- results --------------------------------------------------------------------------------------

fresh(
    "sub_turned_around", 1, f"{SUB};{SWAP}",
    closures=("return self + (-other)", "return (-self) + other"),
)  # fmt: skip
fresh(
    "pow_exponent_made_int", 1, f"{POW};int|whole|{RESULT}",
    closures=("    def __pow__(self, n):\n", "    def __pow__(self, n):\n        n = int(n)\n"),
    tape=("    def __pow__(self, n):\n", "    def __pow__(self, n):\n        n = int(n)\n"),
)  # fmt: skip
fresh(
    "pow_of_absolute", 1, f"{POW};abs|{SIGN}|{RESULT}",
    tape=("record(self.data ** n,", "record(abs(self.data) ** n,"),
)  # fmt: skip
fresh(
    "div_with_epsilon", 1, f"{DIV};{RESULT}|digit|eps",
    tape=("record(a / b,", "record(a / (b + 1e-3),"),
    classes=("        return a / b\n", "        return a / (b + 1e-3)\n"),
)  # fmt: skip
fresh(
    "exp_of_base_two", 6, f"exp;{RESULT}|base|2",
    closures=("Value(math.exp(self.data)", "Value(2 ** self.data"),
)  # fmt: skip
fresh("log_of_one_more", 6, f"log;{RESULT}|1 +",
      tape=("record(math.log(self.data)", "record(math.log1p(self.data)"))  # fmt: skip
fresh(
    "sigmoid_clipped", 6, f"sigmoid;{RESULT}|large|clip",
    closures=("        x = self.data\n", "        x = max(-1.0, min(1.0, self.data))\n"),
)  # fmt: skip
fresh(
    "relu_capped", 6, f"relu;{RESULT}|above|cap",
    classes=("return max(0.0, a)", "return min(max(0.0, a), 2.0)"),
)  # fmt: skip

# --- derivatives ----------------------------------------------------------------------------------

fresh(
    "exp_slope_exp_of_result", 6, f"exp;{SLOPE}|twice",
    closures=("self.grad += out.data * out.grad", "self.grad += math.exp(out.data) * out.grad"),
)  # fmt: skip
fresh(
    "log_slope_twice_derived", 6, f"log;{SLOPE}|1 / a",
    closures=("1 / self.data * out.grad", "-1 / self.data ** 2 * out.grad"),
    classes=("(g / self.a,)", "(-g / self.a ** 2,)"),
)  # fmt: skip
fresh(
    "tanh_cosh_of_result", 6, f"tanh;{SLOPE}|result",
    closures=("(1 - t ** 2) * out.grad", "(1 / math.cosh(t) ** 2) * out.grad"),
    tape=("(1 - t * t,)", "(1 / math.cosh(t) ** 2,)"),
)  # fmt: skip
fresh(
    "relu_asks_the_gradient", 6, "relu;grad|slope|derivative|negative",
    closures=("(self.data > 0) * out.grad", "(out.grad > 0) * out.grad"),
    classes=("(g if self.a > 0 else 0.0,)", "(g if g > 0 else 0.0,)"),
)  # fmt: skip
fresh(
    "relu_asks_for_nonzero", 6, f"relu;negative|below|{SLOPE}",
    tape=("(1.0 if x > 0 else 0.0,)", "(1.0 if x else 0.0,)"),
)  # fmt: skip
fresh(
    "sigmoid_slope_of_gradient", 6, f"sigmoid;{SLOPE}|out.grad",
    closures=("s * (1 - s) * out.grad", "s * (1 - out.grad)"),
)  # fmt: skip
fresh(
    "div_slope_floors", 2, f"{DIV};{SLOPE}|floor|integer",
    tape=("(1 / b, -a / b ** 2)", "(1 // b, -a / b ** 2)"),
)  # fmt: skip
fresh(
    "exp_slope_rounded", 6, f"exp;{SLOPE}|round|digit",
    classes=("return (g * self.e,)", "return (round(g * self.e, 1),)"),
)  # fmt: skip
fresh(
    "pow_slope_truncates", 2, f"{POW};{SLOPE}|int|n - 1",
    closures=("n * self.data ** (n - 1) * out.grad", "int(n) * self.data ** int(n - 1) * out.grad"),
)  # fmt: skip

# --- the rules: wrong objects ---------------------------------------------------------------------

fresh(
    "add_gives_all_to_self", 2, f"{ADD};second|other|twice|b |{SLOPE}",
    closures=("            self.grad += out.grad\n            other.grad += out.grad\n",
              "            self.grad += out.grad\n            self.grad += out.grad\n"),
)  # fmt: skip
fresh(
    "mul_gives_to_the_result", 2, f"{MUL};second|other|out|b |0|{SLOPE}",
    closures=("other.grad += self.data * out.grad", "out.grad += self.data * out.grad"),
)  # fmt: skip
fresh(
    "mul_gradient_misspelt", 2, f"{MUL}|raises|attribute;grad|attribute|raises",
    closures=("other.grad += self.data * out.grad", "other.gard += self.data * out.grad"),
)  # fmt: skip
fresh(
    "factors_kept_in_the_class", 3, f"{MUL};class|shared|later|last|inner|{SLOPE}",
    classes=[("        self.a, self.b = a, b\n        return a * b",
              "        Mul.a, Mul.b = a, b\n        return a * b"),
             ("return g * self.b, g * self.a", "return g * Mul.b, g * Mul.a")],
)  # fmt: skip
fresh(
    "result_kept_in_the_class", 3, "exp;class|shared|later|last|inner|derivative|slope",
    classes=[("        self.e = math.exp(a)\n        return self.e",
              "        Exp.e = math.exp(a)\n        return Exp.e"),
             ("(g * self.e,)", "(g * Exp.e,)")],
)  # fmt: skip
fresh(
    "rule_returns_nothing", 2, f"{SUB};none|return|raises|nothing",
    classes=("        return g, -g\n", "        g, -g\n"),
)  # fmt: skip
fresh("slopes_turned_around", 2, f"{SWAP}|own|other;operand|factor|derivative|slope",
      tape=("zip(inputs, slopes)", "zip(inputs, slopes[::-1])"))  # fmt: skip
fresh(
    "only_first_slope", 2, "second|other|right|first|b ;operand|gradient|derivative|slope",
    tape=("zip(inputs, slopes)", "zip(inputs, slopes[:1])"),
)  # fmt: skip
fresh(
    "upstream_twice", 3, "twice|squared|again|two;out.grad|upstream|chain|incoming|gradient",
    classes=("                p.grad += g\n", "                p.grad += g * node.grad\n"),
)  # fmt: skip

# --- the pass -------------------------------------------------------------------------------------

fresh("add_forgets_first_operand", 3, f"{ADD};first|self|a |{CUT}",
      closures=('(self, other), "+")', '(other,), "+")'))  # fmt: skip
fresh(
    "sub_is_cut_off", 3, f"{SUB};{CUT}",
    closures=("        return self + (-other)\n",
              f"{IS}        return Value(self.data - other.data)\n"),
)  # fmt: skip
fresh("neg_is_cut_off", 3, f"neg|-a|- a;{CUT}",
      closures=("        return self * -1\n", "        return Value(-self.data)\n"))  # fmt: skip
fresh(
    "gradients_cleared_as_it_goes", 3, "grad|reset|clear|0|zero;reset|clear|0|zero|erase|lost",
    closures=("            v._backward()\n",
              "            v._backward()\n            v.grad = 0.0\n"),
)  # fmt: skip
fresh(
    "sorted_without_the_result", 3, "result|root|self|output;skip|left out|missing|never|not in",
    closures=("        build(self)\n",
              "        for child in self._prev:\n            build(child)\n"),
)  # fmt: skip
fresh(
    "appended_inside_the_loop", 3,
    "twice|several times|more than once|once per|again|order|visited|once;node|topo|visited|order",
    closures=("                topo.append(v)\n", "                    topo.append(v)\n"),
)  # fmt: skip
fresh(
    "loop_left_at_first_child", 3, "first|only|one operand|second|return|other;operand|child|node",
    closures=("                    build(child)\n",
              "                    build(child)\n                    break\n"),
)  # fmt: skip
fresh(
    "visited_by_operation", 3, "visited|seen|same|equal|skip|never;operation|name|node|op|same",
    closures=[("if v not in visited:", "if v._op not in visited:"),
              ("visited.add(v)", "visited.add(v._op)")],
)  # fmt: skip
fresh(
    "equal_if_same_number", 3, "__eq__|visited|seen|equal|same;value|number|data|equal",
    closures=("    def __add__(self, other):\n",
              "    def __eq__(self, other):\n        return self.data == other.data\n\n"
              "    def __hash__(self):\n        return hash(self.data)\n\n"
              "    def __add__(self, other):\n"),
)  # fmt: skip
fresh(
    "equal_but_no_hash", 3, "hash",
    closures=("    def __add__(self, other):\n",
              "    def __eq__(self, other):\n        return self.data == other.data\n\n"
              "    def __add__(self, other):\n"),
)  # fmt: skip
fresh("tape_written_backwards", 3, REVERSED + "|order",
      tape=("    TAPE.append((out, inputs, slopes))\n",
            "    TAPE.insert(0, (out, inputs, slopes))\n"))  # fmt: skip
fresh(
    "tape_stops_at_the_result", 3, "nothing|stop|no rule|0|never|early;pass|backward|gradient|rule",
    tape=("            for v, slope in zip(inputs, slopes):\n",
          "            if out is self:\n                break\n"
          "            for v, slope in zip(inputs, slopes):\n"),
)  # fmt: skip
fresh(
    "new_nodes_clear_their_operands", 12, "reset|clear|0|zero|erase|second|again|lost;grad",
    closures=("        self._op = _op\n",
              "        self._op = _op\n        for child in _children:\n"
              "            child.grad = 0.0\n"),
)  # fmt: skip
fresh("second_wins", 4, SUMS,
      tape=("v.grad += slope * out.grad", "v.grad = v.grad or slope * out.grad"))  # fmt: skip

# --- numbers beside Values ------------------------------------------------------------------------

fresh(
    "radd_for_sum_only", 5, "__radd__|radd|3 + a|sum(|number +|left;self|ignore|0|number|result",
    closures=("    def __radd__(self, other):\n        return self + other\n",
              "    def __radd__(self, other):\n        return self\n"),
)  # fmt: skip
fresh(
    "rmul_returns_number", 5, "__rmul__|rmul|3 * a|2 * a|number *;number|float|plain|not a",
    closures=("    def __rmul__(self, other):\n        return self * other\n",
              "    def __rmul__(self, other):\n        return self.data * other\n"),
)  # fmt: skip

# --- networks -------------------------------------------------------------------------------------

fresh("layer_sizes_of_one_side", 8, "size|shape|input|nin|width|count;layer|weight|neuron",
      closures=("Layer(sizes[i], sizes[i + 1])", "Layer(sizes[i], sizes[i])"))  # fmt: skip
fresh("bias_for_each_weight", 8, f"{BIAS.split(';')[0]};each|every|several|twice|times|once|per",
      closures=("z = z + wi * xi", "z = z + wi * xi + self.b"))  # fmt: skip
fresh("last_input_left_out", 8, "weight|input|w ;last|left out|missing|influence|never|unused|no ",
      closures=("zip(self.w, x)", "zip(self.w, x[:-1])"))  # fmt: skip
fresh(
    "parameters_return_in_loop", 8, "parameters;first|only|return|early|missing|count|neuron",
    tape=("        return [p for n in self.neurons for p in n.parameters()]\n",
          "        for n in self.neurons:\n            return n.parameters()\n"),
)  # fmt: skip
fresh(
    "mlp_returns_in_loop", 8, "layer|mlp;first|only|return|later|other|never|influence",
    closures=("            x = layer(x)\n        return x\n",
              "            x = layer(x)\n            return x\n"),
)  # fmt: skip
fresh(
    "weights_in_shared_default", 8, "shared|default|same|list|count;weight|neuron|parameter|list",
    closures=("    def __init__(self, nin):\n"
              "        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]\n",
              "    def __init__(self, nin, w=[]):\n        for _ in range(nin):\n"
              "            w.append(Value(random.uniform(-1, 1)))\n        self.w = w\n"),
)  # fmt: skip
fresh(
    "activation_on_each_product", 8, "activation|tanh|sum|linear;sum|product|each|neuron|act",
    closures=[("z = z + wi * xi", "z = z + (wi * xi).tanh()"), ("return z.tanh()", "return z")],
)  # fmt: skip
fresh("weights_begin_at_zero", 8, "weight|parameter|w ;0|zero|equal|same|random|influence|gradient",
      closures=("Value(random.uniform(-1, 1))", "Value(0.0)"))  # fmt: skip

# --- numerical gradients, training, again ---------------------------------------------------------

fresh("numerical_twice_the_same_side", 7, f"{NUMERIC};0|same|side|minus|-|twice",
      closures=("x.data = kept - eps", "x.data = kept + eps"))  # fmt: skip
fresh("train_adds_targets", 9, "loss|target|error|y ;sign|minus|+|-|target|difference",
      closures=("(model(x) - y)", "(model(x) + y)"))  # fmt: skip
fresh("train_lr_twice", 9, "lr|learning rate|rate|step size",
      closures=("p.data -= lr * p.grad", "p.data -= lr * lr * p.grad"))  # fmt: skip
fresh("train_one_step_short", 9, "step|losses|range;one|fewer|less|short|missing|count|length",
      closures=("range(steps)", "range(steps - 1)"))  # fmt: skip
fresh(
    "train_first_parameter_only", 9, f"{STEP};first|only|one|all|some|other|every",
    closures=("            p.data -= lr * p.grad\n",
              "            p.data -= lr * p.grad\n            break\n"),
)  # fmt: skip
fresh("train_returns_last_loss", 9, "loss;list|number|last|float|return",
      closures=("        losses.append(loss.data)\n    return losses",
                "        losses.append(loss.data)\n    return loss.data"))  # fmt: skip
fresh("train_shifts_targets", 9, "target|example|zip|ys|pair;shift|other|missing|last|first|wrong",
      closures=("zip(xs, ys))\n        model", "zip(xs, ys[1:]))\n        model"))  # fmt: skip
fresh("train_zero_grad_not_called", 9, ZERO,
      closures=("        model.zero_grad()\n", "        model.zero_grad\n"))  # fmt: skip
fresh(
    "train_zero_grad_before_loop", 9, ZERO,
    closures=[("        model.zero_grad()\n        loss", "        loss"),
              ("    losses = []\n", "    losses = []\n    model.zero_grad()\n")],
)  # fmt: skip
fresh("train_backward_not_called", 9, "backward|gradient;never|missing|call|forgot|0|zero|no ",
      closures=("        loss.backward()\n", "        loss.backward\n"))  # fmt: skip
fresh("train_gradient_halved", 9, f"{STEP}|factor|loss;half|factor|scale|lr|2|too small|rate",
      closures=("p.data -= lr * p.grad", "p.data -= lr * p.grad / 2"))  # fmt: skip
fresh("zero_grad_sets_one", 12, "zero_grad|reset|zero;1|one|0",
      closures=("            p.grad = 0.0\n", "            p.grad = 1.0\n"))  # fmt: skip
fresh("zero_grad_returns_in_loop", 12, "zero_grad|reset|zero;first|only|all|every|some|other",
      closures=("            p.grad = 0.0\n",
                "            p.grad = 0.0\n            return\n"))  # fmt: skip
fresh("zero_grad_without_self", 12, "zero_grad|raises;self|argument|typeerror|raises",
      closures=("    def zero_grad(self):\n        for p in self.parameters():\n",
                "    def zero_grad():\n        for p in self.parameters():\n"))  # fmt: skip
