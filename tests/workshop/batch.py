"""Mistakes of learners, written after the judge, in engines that it has not seen either."""

from __future__ import annotations

from dataclasses import dataclass

from .batch_engines import BATCH_ENGINES
from .engines import ENGINES, Engine
from .mistakes import (
    ADD,
    DIV,
    MUL,
    NUMERIC,
    POW,
    RESULT,
    SIGN,
    SLOPE,
    STEP,
    SUB,
    SUMS,
    Edit,
    Mistake,
    Pair,
    edited,
)

NEW = {name: Engine(name, text) for name, text in BATCH_ENGINES.items()}
BATCH: list[BatchMistake] = []
LEFT = "number|constant|left|reflected|3 /|2 /|rtruediv"
ONCE = "twice|again|once|several|times|visited|path|seen"


@dataclass(frozen=True)
class BatchMistake(Mistake):
    """A mistake in an engine of this batch, or in one of `ENGINES`."""

    @property
    def engine(self) -> Engine:
        return NEW.get(self.base) or ENGINES[self.base]


def note(
    id: str, phase: int, base: str, words: str, *edits: tuple[str, str], kind: str = "wrong"
) -> None:
    """Note a mistake in `BATCH`."""
    groups = tuple(tuple(g.split("|")) for g in words.split(";"))
    made = tuple(Edit(old, new) for old, new in edits)
    BATCH.append(BatchMistake(id, phase, base, made, groups, kind, fresh=True))


# --- results --------------------------------------------------------------------------------------

note("sub_of_absolute", 1, "mixin", f"{SUB};abs|{SIGN}|{RESULT}",
     ("self.data - autre.data, 1.0", "abs(self.data - autre.data), 1.0"))  # fmt: skip
note("neg_loses_fraction", 1, "edges", f"neg|-a|- a;int|whole|digit|fraction|{RESULT}",
     ("Value(-self.data, [", "Value(-int(self.data), ["))  # fmt: skip
note("data_kept_with_two_digits", 1, "serials", f"round|digit|decimal;{RESULT}|digit",
     ("self.data = float(data)", "self.data = round(float(data), 2)"))  # fmt: skip
note("pow_by_logarithm", 1, "pullbacks", f"{POW};negative|domain|log|raises|error",
     ("    z = x**n\n", "    z = math.exp(n * math.log(x))\n"))  # fmt: skip

# --- derivatives ----------------------------------------------------------------------------------

note("div_slope_squares_result", 2, "serials", f"{DIV};second|square|{SLOPE}",
     ("g * out.data / other.data", "g * out.data ** 2 / other.data"))  # fmt: skip
note("mul_second_gets_itself", 2, "gates", f"{MUL};second|own|other|{SLOPE}",
     ("dy = self.x * dz", "dy = self.y * dz"))  # fmt: skip
note("pow_slope_of_absolute", 2, "edges", f"{POW};abs|negative|derivative",
     ("exponent * self.data ** (exponent - 1)",
      "exponent * abs(self.data) ** (exponent - 1)"))  # fmt: skip
note("sub_second_gets_nothing", 2, "mixin", f"{SUB};second|other|0|missing|{SLOPE}",
     ("self.data - autre.data, 1.0, -1.0", "self.data - autre.data, 1.0, 0.0"))  # fmt: skip
note("grad_read_too_early", 2, "closures", f"{MUL};chain|out.grad|upstream|early|0|incoming",
     ('        out = Value(self.data * other.data, (self, other), "*")\n',
      '        out = Value(self.data * other.data, (self, other), "*")\n        up = out.grad\n'),
     ("other.data * out.grad", "other.data * up"),
     ("other.grad += self.data * out.grad", "other.grad += self.data * up"))  # fmt: skip

# --- the pass -------------------------------------------------------------------------------------

note("seed_default_of_zero", 3, "edges", "seed|start|gradient of the result|begin|1;0|zero|never",
     ("gradient: float = 1.0", "gradient: float = 0.0"))  # fmt: skip
note("nodes_of_one_level_lost", 3, "serials",
     "node|level|number;same|level|lost|left out|missing|equal|not reach|never reach",
     ("self.number = next(_serial)",
      "self.number = 1 + max([p.number for p in parents], default=0)"))  # fmt: skip
note("found_without_adding", 3, "gates", ONCE,
     ("                    found.add(wires[k])\n", ""))  # fmt: skip
note("passed_on_before_all_arrived", 3, "pullbacks",
     f"early|before|order|{ONCE}|every|all|count",
     ("if pending[parent] == 0:", "if pending[parent] >= 0:"))  # fmt: skip
note("counts_every_path", 3, "pullbacks",
     f"{ONCE}|slow|exponential|time|never|count|not passed|reach|inner",
     ("                    queue.append(parent)\n", "                queue.append(parent)\n"),
     )  # fmt: skip
note("one_gate_for_all_products", 3, "gates",
     f"{MUL};shared|same|later|class|state|instance|kept|derivative",
     ("class Value:\n    def __init__(self, data, label=None):",
      "MULTIPLY = MulGate()\n\n\nclass Value:\n    def __init__(self, data, label=None):"),
     ("        return MulGate()(self, other)\n", "        return MULTIPLY(self, other)\n"),
     )  # fmt: skip

# --- contributions --------------------------------------------------------------------------------

note("square_as_a_case_of_its_own", 4, "edges",
     f"{MUL}|a * a|square;twice|same|both|2|once|itself|one|two|half|operand|{SLOPE}",
     ("                return Value(\n                    self.data * other.data,",
      "                if other is self:\n"
      "                    return Value(self.data**2, [Edge(self, self.data)])\n"
      "                return Value(\n                    self.data * other.data,"))  # fmt: skip
note("slopes_in_a_dictionary", 4, "mixin",
     "twice|same|itself|both|once|a + a|a * a|equal",
     ("for enfant, d in zip(noeud.enfants, noeud.derivees):",
      "for enfant, d in dict(zip(noeud.enfants, noeud.derivees)).items():"))  # fmt: skip
note("first_contribution_wins", 4, "gates", SUMS + "|first|contribution",
     ("            wire.grad += d\n",
      "            if wire.grad == 0.0:\n                wire.grad = d\n"))  # fmt: skip
note("assign_in_div_first", 4, "serials", f"{DIV};{SUMS}",
     ("self.grad += g / other.data", "self.grad = g / other.data"))  # fmt: skip
note("assign_in_sub_second", 4, "serials", f"{SUB};{SUMS}",
     ("            other.grad -= g\n", "            other.grad = -g\n"))  # fmt: skip

# --- numbers beside Values ------------------------------------------------------------------------

note("div_by_number_floors", 5, "gates", f"{DIV};number|constant|floor|whole|integer|//|{RESULT}",
     ("self * (1.0 / other)", "self * (1.0 // other)"))  # fmt: skip
note("rdiv_slope_not_squared", 5, "edges", f"{DIV}|{LEFT};square|** 2|**2|{SLOPE}",
     ("-other / self.data**2", "-other / self.data"))  # fmt: skip
note("mul_by_number_absolute", 5, "edges", f"{MUL};number|constant|{SIGN}|abs|{SLOPE}",
     ("Value(self.data * other, [Edge(self, other)])",
      "Value(self.data * other, [Edge(self, abs(other))])"))  # fmt: skip
note("sub_number_slope_negative", 5, "edges", f"{SUB};{SIGN}|number|constant|{SLOPE}",
     ("Value(self.data - other, [Edge(self, 1.0)])",
      "Value(self.data - other, [Edge(self, -1.0)])"))  # fmt: skip
note("rdiv_only_of_one", 5, "pullbacks", f"{DIV}|{LEFT};number|left|1 |reciprocal|inverse|{RESULT}",
     ("return divide(other, self)", "return divide(1, self)"))  # fmt: skip
note("add_of_integers_only", 5, "edges", f"{ADD}|number;float|2.5|int|raises|typeerror",
     ("            case int() | float():\n                return Value(self.data + other,",
      "            case int():\n                return Value(self.data + other,"))  # fmt: skip

# --- functions ------------------------------------------------------------------------------------

note("relu_leaks", 6, "mixin", f"relu;negative|leak|below|0.01|{RESULT}",
     ("self._un(0.0, 0.0)", "self._un(0.01 * self.data, 0.01)"))  # fmt: skip
note("relu_slope_turns", 6, "pullbacks", f"relu;{SIGN}|below|-1|{SLOPE}",
     ("return 0.0, lambda bar: (0.0,)", "return 0.0, lambda bar: (-bar,)"))  # fmt: skip
note("sigmoid_slope_of_helper", 6, "mixin", f"sigmoid;{SLOPE}",
     ("self._un(y, y * (1.0 - y))", "self._un(y, z * (1.0 - z))"))  # fmt: skip
note("log_of_base_two", 6, "mixin", f"log;base|2|{RESULT}",
     ("math.log(self.data), 1.0", "math.log2(self.data), 1.0"))  # fmt: skip
note("chain_missing_in_exp", 6, "pullbacks", "exp;chain|out.grad|upstream|incoming|passed on",
     ("(bar * z,)", "(z,)"))  # fmt: skip
note("tanh_slope_same_bracket", 6, "pullbacks", f"tanh;{SLOPE}",
     ("(1 - z) * (1 + z)", "(1 - z) * (1 - z)"))  # fmt: skip
note("tanh_slope_without_brackets", 6, "serials", f"tanh;{SLOPE}|bracket|chain",
     ("g * (1 - out.data ** 2)", "g * 1 - out.data ** 2"))  # fmt: skip

# --- numerical gradients --------------------------------------------------------------------------

COARSE = "eps|large|big|digit|accura|coarse|precis|rough|far|yours"
note("numerical_eps_too_large", 7, "serials", f"{NUMERIC};{COARSE}",
     ("f, x, eps=1e-4", "f, x, eps=0.5"))  # fmt: skip
note("numerical_eps_too_small", 7, "gates", f"{NUMERIC};small|0|zero|{COARSE}",
     ("h=1e-5", "h=1e-17"))  # fmt: skip
note("numerical_multiplies_by_eps", 7, "pullbacks", f"{NUMERIC};multipl|bracket|factor|{COARSE}",
     ("/ (2 * eps)", "/ 2 * eps"))  # fmt: skip

# --- networks -------------------------------------------------------------------------------------

note("last_parameter_left_out", 8, "pullbacks", "parameters;bias|last|missing|not in",
     ("return list(self.params)", "return self.params[:-1]"))  # fmt: skip
note("output_layer_not_in_parameters", 8, "gates",
     "parameters;last|output|layer|missing|count",
     ("        result += self.output.parameters()\n", ""))  # fmt: skip
note("parameters_replaced_in_loop", 8, "mixin",
     "parameters;last|only|missing|count|few|layer|neuron",
     ("resultat += element.parameters()", "resultat = element.parameters()"))  # fmt: skip
note("neuron_of_wrong_width", 8, "serials",
     "neuron|layer|weight|mlp|net;nin|nout|input|size|width|assert|raises",
     ("self.neurons.append(Neuron(nin, nonlin))", "self.neurons.append(Neuron(nout, nonlin))"),
     )  # fmt: skip
note("bias_multiplied", 8, "gates", "bias;multipl|*|product|add|factor|sum|plus|+",
     ("z = sum(products) + self.b", "z = sum(products) * self.b"))  # fmt: skip
note("first_input_skipped", 8, "mixin",
     "weight|input;first|left|missing|influence|never|unused|gradient",
     ("for i in range(len(self.poids)):", "for i in range(1, len(self.poids)):"))  # fmt: skip
note("activation_always_linear", 8, "edges", "activation|linear|affine",
     ("Neuron(n_in, activation) for", 'Neuron(n_in, "linear") for'))  # fmt: skip
note("activation_twice", 8, "pullbacks", "activation|tanh;twice|two|again|double|once",
     ("return self.act(z)", "return self.act(self.act(z))"))  # fmt: skip

# --- training -------------------------------------------------------------------------------------

note("rate_falls_below_zero", 9, "serials",
     f"lr|rate|{STEP};{SIGN}|ascend|schedule|change|same|each|falls|below|direction",
     ("0.9 * k / steps", "0.9 * k"))  # fmt: skip
note("momentum_ascends", 9, "edges", f"{SIGN}|ascend|grow|uphill|direction|up ",
     ("momentum * velocity[i] + p.grad", "momentum * velocity[i] - p.grad"))  # fmt: skip
note("last_batch_left_out", 9, "gates",
     "train|example|batch|loss|step|weights|parameter;last|nothing|never|missing|left|0|not |no ",
     ("range(0, len(xs), size)", "range(0, len(xs) - size, size)"))  # fmt: skip
note("stops_at_first_step", 9, "pullbacks",
     "loss|step;one|first|stop|short|few|count|early|break|length|1",
     ("if loss.data < tolerance", "if loss.data > tolerance"))  # fmt: skip
note("errors_cancel", 9, "edges", "loss|error|square;square|** 2|**2|cancel|linear|difference|not ",
     ("loss = loss + (model(x) - y) ** 2", "loss = loss + (model(x) - y)"))  # fmt: skip
note("loss_of_plain_numbers", 9, "serials",
     "loss|train|parameter;graph|gradient|0|detach|.data|never|change|nothing",
     ("(out - target) ** 2", "(out.data - target) ** 2"))  # fmt: skip
note("only_last_layer_trained", 9, "pullbacks",
     f"{STEP}|param|weight|layer;last|only|some|first|not all|every|other",
     ("        for p in model.parameters():\n            p.data -= lr",
      "        for p in model.layers[-1].parameters():\n            p.data -= lr"))  # fmt: skip

# --- large numbers, deep graphs, again ------------------------------------------------------------

FINITE = "overflow|large|1000|finite|nan"
note("sigmoid_overflows_below", 10, "edges", f"sigmoid;{FINITE}",
     ("0.5 * (1 + math.tanh(self.data / 2))", "1 / (1 + math.exp(-self.data))"))  # fmt: skip
note("sigmoid_guard_turned", 10, "pullbacks", f"sigmoid;{FINITE}",
     ("if x > -700 else 0.0", "if x < 700 else 0.0"))  # fmt: skip
note("tanh_of_exponentials", 10, "mixin", f"tanh;{FINITE}",
     ("        y = math.tanh(self.data)\n",
      "        p, m = math.exp(self.data), math.exp(-self.data)\n"
      "        y = (p - m) / (p + m)\n"))  # fmt: skip
note("ancestors_recursive", 11, "serials", "recurs|deep|depth",
     ("""        found = {self.number: self}
        waiting = [self]
        while waiting:
            for parent in waiting.pop().parents:
                if parent.number not in found:
                    found[parent.number] = parent
                    waiting.append(parent)
        return found
""", """        found = {}

        def collect(node):
            if node.number not in found:
                found[node.number] = node
                for parent in node.parents:
                    collect(parent)

        collect(self)
        return found
"""), kind="deep")  # fmt: skip
note("marks_never_cleared", 12, "mixin",
     "second|again|twice|another|later|once|mark|visited|seen;"
     "grad|backward|pass|node|0|nothing|missing|graph",
     ("            noeud._vu = False\n", ""))  # fmt: skip
note("zero_grad_to_none", 12, "edges", "zero_grad|none|reset;none|raises|typeerror|0",
     ("            p.grad = 0.0\n", "            p.grad = None\n"))  # fmt: skip
note("zero_grad_misspelt", 12, "gates", "zero_grad|reset|zero;never|nothing|not |still|grad|old",
     ("            p.grad = 0.0\n", "            p.gard = 0.0\n"))  # fmt: skip

# --- in the engines of other styles ---------------------------------------------------------------

note("negative_gradients_dropped", 3, "threads",
     "negative|positive|< 0|> 0|below;grad|pass|incoming|upstream|drop|lost",
     ("if g != 0.0:", "if g > 0.0:"))  # fmt: skip
note("reciprocal_slope_not_squared", 2, "threads", f"{DIV};square|** 2|**2|derivative",
     ("(self, -r * r)", "(self, -r)"))  # fmt: skip
note("div_by_whole_number", 5, "threads", f"{DIV};number|constant|int|whole|{RESULT}",
     ("self * (1 / other)", "self * (1 / round(other))"))  # fmt: skip
note("sigmoid_slope_of_both", 6, "table", "sigmoid;derivative|slope|result",
     ("lambda y, a: y * (1 - y)", "lambda y, a: y * (1 - a)"))  # fmt: skip
note("sigmoid_not_halved", 6, "levels", f"sigmoid;{RESULT}",
     ("((self * 0.5).tanh() + 1)", "(self.tanh() + 1)"))  # fmt: skip
note("users_below_zero", 3, "counts", "direct|only|inner|never|stop|not passed|no gradient reaches",
     ("if node.users <= 0:", "if node.users < 0:"))  # fmt: skip
note("last_contribution_passed_on", 3, "counts",
     "last contribution|accumul|whole|all contributions|before its gradient is complete|part of",
     ("(a, d * node.grad)", "(a, d * g)"))  # fmt: skip
note("first_user_only", 4, "pull", "first|only|one |contribution|accumul|add up|twice",
     ("for user, slope in users[node])", "for user, slope in users[node][:1])"))  # fmt: skip
note("chain_missing_in_functions", 6, "slots", "chain|out.grad|upstream|incoming",
     ("            self.grad += ref().grad * slope\n", "            self.grad += slope\n"),
     )  # fmt: skip
note("saved_in_the_class", 3, "torchlike", "class|shared|later|last|state|same",
     ("        self.saved = values\n", "        Context.saved = values\n"),
     ("    def __init__(self):\n        self.saved = ()\n\n", "    saved = ()\n\n"))  # fmt: skip
note("mul_second_gets_none", 2, "torchlike", f"{MUL};second|right|b |none|no gradient|0|missing",
     ("return grad_output * y, grad_output * x", "return grad_output * y, None"))  # fmt: skip
note("pow_slope_from_result", 2, "subclasses", f"{POW};result|derivative|slope",
     ("self.exponent * a.data ** (self.exponent - 1)",
      "self.exponent * self.data ** (self.exponent - 1)"))  # fmt: skip
note("relu_asks_its_result", 6, "subclasses", "relu;negative|below|every|blocked",
     ("1.0 if self.operands[0].data > 0", "1.0 if self.data >= 0"))  # fmt: skip
note("rate_always_the_same", 9, "heap", "lr|learning rate|rate",
     ("parameters(), lr)", "parameters(), 0.1)"))  # fmt: skip
note("momentum_never_decays", 9, "helper", "momentum|velocity|beta|decay",
     ("beta * velocity[p] - lr", "velocity[p] - lr"))  # fmt: skip
note("loss_becomes_a_float", 9, "indices", "loss|train;float|number|backward|raises",
     ("return total / len(predictions)", "return total.data / len(predictions)"))  # fmt: skip
note("only_last_layer_is_active", 8, "micrograd", "activation|linear|nonlin",
     ("nonlin=i != last", "nonlin=i == last"))  # fmt: skip

# --- right engines with other choices -------------------------------------------------------------


def changed(base: str, *edits: tuple[str, str]) -> str:
    """Return the text of an engine of this batch with another choice, which is right too."""
    return edited(BATCH_ENGINES[base], tuple(Edit(old, new) for old, new in edits))


OTHER_CHOICES = {
    "rate_before_steps": changed("serials", ("steps=100, lr=0.2", "lr=0.2, steps=100")),
    "steps_by_name_only": changed("serials", ("ys, steps=100", "ys, *, steps=100")),
    "other_names": changed(
        "serials", ("steps=100, lr=0.2", "n_iter=100, eta=0.2"), ("range(steps)", "range(n_iter)"),
        ("rate = lr", "rate = eta"), ("k / steps", "k / n_iter"),
    ),
    "hinge_loss": changed(
        "pullbacks", ("sum(e * e for e in errors) / len(errors)",
                      "sum((1 + -y * model(x)).relu() for x, y in zip(xs, ys)) / len(xs)"),
    ),
    "root_of_mean_square": changed(
        "mixin", ("lr=0.5, steps=200", "steps=200, lr=0.5"),
        ("sum(carres) / len(carres)", "(sum(carres) / len(carres)) ** 0.5"),
    ),
    "stops_early": changed("pullbacks", ("tolerance=1e-12", "tolerance=0.05")),
    "one_example_a_time": changed("gates", ("batch_size=8", "batch_size=1")),
    "pairs_shuffled": changed(
        "gates", ("    for step in range(steps):\n",
                  "    data = list(zip(xs, ys))\n    for step in range(steps):\n"
                  "        random.shuffle(data)\n        xs, ys = zip(*data)\n"),
    ),
    "adam": changed(
        "edges", ("    losses: list[float] = []\n",
                  "    losses: list[float] = []\n    square = [0.0] * len(params)\n"),
        ("            velocity[i] = momentum * velocity[i] + p.grad\n",
         "            velocity[i] = 0.9 * velocity[i] + 0.1 * p.grad\n"
         "            square[i] = 0.99 * square[i] + 0.01 * p.grad**2\n"),
        ("lr * velocity[i]", "lr * velocity[i] / (square[i] ** 0.5 + 1e-8)"),
    ),
    "weight_decay": changed("edges", ("lr * velocity[i]", "lr * (velocity[i] + 1e-4 * p.data)")),
    "gradients_clipped": changed("edges", ("] + p.grad", "] + max(-1.0, min(1.0, p.grad))")),
    "warmup": changed(
        "serials", ("(1.0 - 0.9 * k / steps)", "min(1.0, (k + 1) / 10)"),
    ),
    "loss_after_the_step": changed(
        "serials", ("losses.append(loss.data)",
                    "losses.append(mse([model(x) for x in xs], ys).data)"),
    ),
    "extrapolated": changed(
        "serials", ("    return (hi - lo) / (2 * eps)\n",
                    "    x.data = x0 + eps / 2\n    hi2 = f().data\n"
                    "    x.data = x0 - eps / 2\n    lo2 = f().data\n    x.data = x0\n"
                    "    return (4 * (hi2 - lo2) / eps - (hi - lo) / (2 * eps)) / 3\n"),
    ),
}  # fmt: skip

# --- two in one file ------------------------------------------------------------------------------

BY_ID = {m.id: m for m in BATCH}
BATCH_PAIRS = tuple(
    Pair(BY_ID[first], BY_ID[second])
    for first, second in (
        ("square_as_a_case_of_its_own", "momentum_ascends"),
        ("pow_slope_of_absolute", "sigmoid_overflows_below"),
        ("sub_number_slope_negative", "activation_always_linear"),
        ("rdiv_slope_not_squared", "zero_grad_to_none"),
        ("mul_second_gets_itself", "output_layer_not_in_parameters"),
        ("div_by_number_floors", "numerical_eps_too_small"),
        ("first_contribution_wins", "bias_multiplied"),
        ("one_gate_for_all_products", "zero_grad_misspelt"),
        ("chain_missing_in_exp", "numerical_multiplies_by_eps"),
        ("relu_slope_turns", "tanh_slope_same_bracket"),
        ("rdiv_only_of_one", "only_last_layer_trained"),
        ("last_parameter_left_out", "stops_at_first_step"),
        ("assign_in_div_first", "rate_falls_below_zero"),
        ("tanh_slope_without_brackets", "neuron_of_wrong_width"),
        ("data_kept_with_two_digits", "loss_of_plain_numbers"),
        ("marks_never_cleared", "sub_second_gets_nothing"),
        ("sigmoid_slope_of_helper", "parameters_replaced_in_loop"),
        ("relu_leaks", "slopes_in_a_dictionary"),
    )
)
