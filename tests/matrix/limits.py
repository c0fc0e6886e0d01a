"""What cells refuse, by rules, and what is known to go wrong in some of them.

In a pattern ``*`` is anything, and ``|`` separates alternatives. A tag is one of `programs.TAGS`,
or the name of a program; ``!`` before a pattern of tags means all other programs. Words are the
first of a message, after ``*`` any of it.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KNOWN", "REFUSALS", "Known", "Refusal"]


class Refusal(NamedTuple):
    """A limit: the cells that it is about, the error that tells it, and a sentence for users.

    Each cell that raises such an error is right; of the others that a rule is about, it says
    nothing.
    """

    way_in: str
    tag: str
    way_out: str
    error: str
    words: str
    limit: str

    def __str__(self) -> str:
        return " / ".join(self[:4])


class Known(NamedTuple):
    """A mistake that is known: each of these cells ends in this way until it is repaired.

    Of several rows about a cell the first one counts.
    """

    way_in: str
    tag: str
    way_out: str
    error: str
    words: str = ""
    engine: str = "*"

    def __str__(self) -> str:
        return " / ".join(self[:4])


STEPS = "inside of vmap: expected a computation that takes the same steps for all examples"
AGAIN = "running a graph with checkpoint again: expected primitives of the table"
BY_ELEMENT = "precision(loss, wrt): expected operations that can be computed element by element"
ELEMENTS = (
    "explore(tensor, elements=True): expected operations that consist of operations on single"
)
SUBGRAPHS = "checkpoint|checkpoint_chain|scan|scan_of_rows|while_loop"
SOLVERS = "custom_rule|custom_forward_rule|implicit|fixed_point"
MATRICES = "cholesky|determinant|eigh|qr|solving|svd"
MASKS = "mask|activations|log_softmax|moments|pooling|distributions|classifier|interpolation"

REFUSALS = [
    Refusal("*Tensor*|*arrays|vmap", "*", "tree|dot|svg", "NotANumberError",
            "inspect: expected a Value, whose graph can be shown",
            "`tree`, `to_dot` and `draw` show graphs of Values, `explore` those of Tensors too."),
    Refusal("*", "branch|batch_norm_module|ode", "vmap", "NotANumberError", STEPS,
            "Under `vmap` a program cannot ask about the numbers of one example: `if`, `while`, an "
            "index or a size that depends on them. Nor can it adapt the steps of a solver, or "
            "update running statistics."),
    Refusal("vmap", "branch|batch_norm_module|ode", "*", "NotANumberError", STEPS,
            "The same holds for a function that `vmap` has returned, whatever takes it."),
    Refusal("*", "boolean_index", "vmap", "KeyRangeError",
            "t[mask], with a mask of each example: expected results of one size for all examples",
            "Under `vmap`, `t[mask]` must give results of one size: write `where(mask, t, 0.0)`."),
    Refusal("vmap", "boolean_index", "*", "KeyRangeError",
            "t[mask], with a mask of each example: expected results of one size for all examples",
            "The same holds for a function that `vmap` has returned."),
    Refusal("*Tensor*|*arrays|vmap", f"{SUBGRAPHS}|{SOLVERS}", "precision", "NotANumberError",
            BY_ELEMENT,
            "`check.precision` computes a graph of Tensors element by element. It does not look "
            "into `checkpoint`, `scan` and `while_loop`, and cannot run your own functions in 50 "
            "digits."),
    Refusal("*Tensor*|*arrays|vmap", f"{MATRICES}|pooling", "precision", "NotANumberError",
            BY_ELEMENT,
            "Nor does it know decompositions and solutions of matrices, and `max_pool2d`."),
    Refusal("*Tensor*|*arrays|vmap", "single_precision", "precision", "NotANumberError",
            BY_ELEMENT, "Nor changes of the dtype."),
    Refusal("grad of arrays|jvp of arrays", "mask|read|write|argmax|indexing", "precision",
            "NotANumberError", BY_ELEMENT,
            "Nor derivatives whose masks come from a transform inside of the program."),
    Refusal("vmap", "interpolation|median|sort|topk", "precision", "NotANumberError", BY_ELEMENT,
            "Nor a selection of elements under `vmap`."),
    Refusal("*numbers|Value|replay of Values", "implicit", "precision", "NotANumberError",
            "precision(loss, wrt): expected operations that can be computed in 50 digits",
            "It cannot run the solver of an `implicit_function` in 50 digits."),
    Refusal("*numbers|Value|replay of Values", "fixed_point", "precision", "NotANumberError",
            "vjp: argument 0: expected a float, an array",
            "Nor the steps of a `fixed_point`."),
    Refusal("*", SUBGRAPHS, "precision|suspects", "OptionError", AGAIN,
            "`check.precision`, and the search of `check_gradients` for a wrong rule, do not look "
            "into `checkpoint`."),
    Refusal("*", SUBGRAPHS, "replay|value|why|paths|precision", "OptionError", AGAIN,
            "`replay` takes no graph with a `checkpoint`, or with a `scan` or `while_loop` of "
            "arrays: `compile` the function."),
    Refusal("*", "mask|activations|special_functions|distributions|extremes",
            "replay|value|why|paths|precision", "StaleReplayError",
            "replay(loss): expected choices that each run makes anew",
            "`replay` takes no graph of Values with a choice that was made once, such as "
            "`where(x > 0.0, a, b)`: `compile` the function."),
    Refusal("*", "fixed_point", "replay|value|why|paths|precision", "OptionError",
            "fixed_point: the result of f: expected plain numbers",
            "`replay` takes no `fixed_point` of arrays."),
    Refusal("*Tensor*|*arrays|vmap", f"{SUBGRAPHS}|{SOLVERS}", "elements", "OptionError", ELEMENTS,
            "`explore(..., elements=True)` needs operations that consist of operations on numbers: "
            "no `checkpoint` and no loops of arrays, no rules of your own,"),
    Refusal("*Tensor*|*arrays|vmap", MATRICES, "elements", "OptionError", ELEMENTS,
            "no decompositions and solutions of matrices,"),
    Refusal("grad of arrays|jvp of arrays", MASKS, "elements", "OptionError", ELEMENTS,
            "and no masks that come from a transform inside of the program."),
    Refusal("formula", "*", "second|jvp|vmap|machine|C|JS", "NotANumberError",
            "value of 'a': expected a real number",
            "A typed formula takes numbers and Values, and is no function for transforms."),
    Refusal("*arrays|Tensor", "batch_norm_module", "machine|value|suspects|C|JS", "InPlaceError",
            "compile: expected a function that leaves the Tensors that it uses as they are",
            "`compile` takes no function that writes into Tensors outside: a batch normalisation "
            "that trains. Nor does `export`."),
    Refusal("*arrays|Tensor|vmap", "*", "C|JS", "NotANumberError",
            "*: expected real numbers, integers or bools",
            "`export` runs a function of arrays on arrays of its numbers. These know operators, "
            "indices and methods of NumPy such as `sum`, and no functions of gradwalk: for those "
            "write a function of lists of numbers."),
    Refusal("*arrays|Tensor", "*", "C|JS", "NotANumberError",
            "*: expected a float, an array, a Value, a Tensor, or a container of these",
            "Nor do they know transforms."),
    Refusal("*arrays|Tensor", "ode", "C|JS", "SizeError", "odeint(y0): expected numbers in one",
            "Nor `odeint`."),
    Refusal("*numbers|Value", SOLVERS, "C|JS", "OptionError",
            "*: expected an operation whose forward is written in operations of gradwalk",
            "`export` cannot print functions of your own that it cannot look into: solvers, and "
            "what has a `custom_rule`."),
    Refusal("*numbers|Value", "distributions", "C|JS", "OptionError",
            "*: expected operations that are formulas, which C and JavaScript can have",
            "Nor some special functions, such as the density of the gamma distribution."),
    Refusal("PyTorch Tensor", "*", "document|TeX|paths|precision|why",
            "OptionError",
            "a conversion to an array of NumPy: expected an operation that gradwalk has for arrays",
            "`explore`, `paths` and `check.precision` take Tensors of NumPy's arrays only."),
    Refusal("PyTorch Tensor", "*", "elements|replay", "FreedGraphError", "*(",
            "So does `replay`."),
    Refusal("PyTorch Tensor", f"{SOLVERS}|gradient_inside|tangent_inside", "*", "OptionError",
            "a conversion to an array of NumPy: expected an operation that gradwalk has for arrays",
            "Functions of your own (`custom_rule`, `implicit_function`, `fixed_point`) take "
            "NumPy's arrays."),
    Refusal("PyTorch Tensor", "special_integrals|distributions|activations|sort|topk|median", "*",
            "OptionError", "*: expected an operation that gradwalk has for arrays of every library",
            "Some operations know NumPy's arrays only; their errors name them."),
    Refusal("PyTorch Tensor", "ode|scan*|while_loop|noise|interpolation", "*", "OptionError",
            "*: expected operands of one library on one device",
            "Arrays of two libraries do not meet in one operation."),
    Refusal("PyTorch Tensor", "linear_layers|lstm", "*", "SizeError", "linear: expected x",
            "So a layer whose parameters are NumPy's arrays takes no arrays of PyTorch."),
]  # fmt: skip

NO_PLACE = "add = nan cause add(…) = nan: an overflow, or an operand outside of the domain"
NO_SUM = "sum = nan cause sum = nan: an overflow, or an operand outside of the domain"
ZERO = "float() argument must be a string or a real number, not 'StructuralZero'"

KNOWN = [
    # wrong numbers
    Known("vmap", "while_loop", "machine", "Wrong", "[10.7"),
    Known("Value|compiled numbers|jvp of numbers", "while_loop", "machine", "Wrong",
          "other bits in the gradient"),
    Known("grad of numbers", "while_loop", "machine", "Wrong", "other bits than without compile"),
    Known("Tensor|compiled arrays", "stopped", "C|JS", "Wrong", "[20.952"),
    # silence
    Known("PyTorch Tensor", f"!{SOLVERS}|gradient_inside|tangent_inside|special_integrals|noise|"
          "distributions|ode|sort|topk|median|interpolation|linear_layers|lstm|batch_norm_module",
          "trap", "Wrong", "silent"),
    Known("Value|compiled numbers", "checkpoint|checkpoint_chain", "kinks", "Wrong", "no kink"),
    Known("compiled arrays", "ode", "trap", "Wrong", "silent"),
    # names another operation than the planted one, or no operands
    Known("Tensor|float32 Tensor|compiled arrays|vmap", "softmax", "why", "Wrong",
          "sum = nan cause softmax = nan at element"),
    Known("grad of arrays", "softmax", "why", "Wrong", "add = nan cause softmax = nan at element"),
    Known("vmap", "indexing", "why", "Wrong", "sum = -inf cause sum = -inf: an overflow"),
    Known("grad of arrays",
          "rounding|dead_branch|boolean_index|python_while|sort|topk|argmax|indexing|gathering|"
          "writing|writing_into_a_view|noise|single_precision", "why", "Wrong", NO_PLACE),
    Known("jvp of arrays", "sort|argmax|indexing", "why", "Wrong", NO_PLACE),
    Known("jvp of arrays",
          "rounding|dead_branch|python_while|topk|writing|writing_into_a_view|noise|interpolation",
          "why", "Wrong", NO_SUM),
    Known("grad of arrays", "fixed_point|qr", "why", "Wrong", "add = nan cause solve = nan at"),
    Known("grad of arrays", "lstm", "why", "Wrong", "add = nan cause index = nan at"),
    # crashes
    Known("PyTorch Tensor", "batch_norm_module", "*", "AttributeError",
          "'LibraryArray' object has no attribute 'ravel'"),
    Known("PyTorch Tensor",
          "arithmetic|powers|exponentials|roots|trigonometry|rounding|special_functions|where|"
          "extremes|dead_branch|if_else|boolean_index|stopped|unrolled|python_while|checkpoint|"
          "checkpoint_chain|custom_primitive|gradient_inside|tangent_inside|vmap_inside|quadrature|"
          "two_results|arrays_out|softmax|log_softmax|layer_norm|batch_norm|matmul|einsum|convolution|"
          "argmax|cumulative|moments|indexing|gathering|svd|eigh|qr|solving|determinant|cholesky|"
          "dropout|single_precision|attention", "paths", "TypeError",
          "unsupported operand type(s) for +: 'LibraryArray' and 'Tensor'"),
    Known("PyTorch Tensor", f"!{SOLVERS}|special_integrals|distributions|sort|topk|median|ode|"
          "noise|interpolation|linear_layers|lstm|batch_norm_module|checkpoint_chain", "why",
          "DeprecationWarning", "__array_wrap__ must accept context and return_scalar arguments"),
    Known("Tensor|compiled arrays|grad of arrays|jvp of arrays|vmap", "interpolation", "kinks",
          "ValueError", "could not convert string to float: <memory at"),
    Known("grad of arrays|jvp of arrays", "*", "kinks", "TypeError", ZERO, engine="python"),
    Known("grad of arrays|jvp of arrays", "powers|roots|trigonometry|implicit", "kinks",
          "TypeError", ZERO, "native"),
    Known("grad of arrays", "log_softmax|median|moments", "kinks", "TypeError", ZERO, "native"),
    Known("*numbers|Value|replay of Values", "custom_rule|custom_forward_rule", "precision",
          "TypeError", "float() argument must be a string or a real number, not 'Precise'"),
    Known("grad of arrays",
          "custom_rule|custom_forward_rule|gradient_inside|layer_norm|batch_norm|cholesky|"
          "linear_layers|interpolation", "why", "ValueError", "zip() argument 2 is shorter"),
    Known("Tensor|float32 Tensor|compiled arrays|grad of arrays", "scan", "elements", "IndexError",
          "tuple index out of range"),
    Known("grad of arrays", "argmax|indexing", "elements", "TypeError",
          "a decision that other numbers in the leaves would change"),
    Known("*", "special_integrals", "elements", "Hangs"),
]  # fmt: skip
