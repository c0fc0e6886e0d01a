"""What cells refuse, by rules, and what is known to go wrong in some of them.

In a pattern ``*`` is anything, and ``|`` separates alternatives. A tag is one of `programs.TAGS`,
or the name of a program; ``!`` before a pattern of tags means all other programs. Words are the
first of a message, after ``*`` any of it.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KNOWN", "LACKING", "REFUSALS", "Known", "Lack", "Refusal"]


class Refusal(NamedTuple):
    """A limit: a part of the manual's page, the cells that it is about, its error, its sentence.

    Each cell that raises such an error is right; of the others that a rule is about, it says
    nothing. Rules without a sentence belong to the one before.
    """

    part: str
    way_in: str
    tag: str
    way_out: str
    error: str
    words: str
    limit: str
    engine: str = "*"

    def __str__(self) -> str:
        return " / ".join((self.way_in, self.tag[:40], self.way_out, self.error))


class Lack(NamedTuple):
    """Primitives that a place lacks, and the sentence that the manual has of them.

    A place is a library of arrays, or a compiler of one: see `tests.libraries.test_whole_table`.
    """

    primitives: str
    place: str
    limit: str


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
        return " / ".join((self.way_in, self.tag[:40], self.way_out, self.error))


SOLVERS = "custom_rule|custom_forward_rule|implicit|fixed_point"
STEPS = "inside vmap: expected a computation that takes the same steps for all examples"
MASKED = "t[mask], with a mask of each example: expected results of one size for all examples"
ELEMENTS = "*: expected operations that consist of operations on single numbers"
VMAP, LIBRARY = "`vmap`", "Arrays of PyTorch"
REPLAY, EXPORT = "`replay`", "`export`"
PRECISION = "`check.precision` and `explore(..., elements=True)`"
TO_NUMPY = "*: expected an operation that gradwalk has for arrays"

REFUSALS = [
    Refusal(VMAP, "*", "branch|batch_norm_module|ode", "vmap", "NotANumberError", STEPS,
            "code that depends on the numbers of one example: `if`, `while`, an index or a size, "
            "the steps of a solver, running statistics"),
    Refusal(VMAP, "vmap", "branch|batch_norm_module|ode", "*", "NotANumberError", STEPS, ""),
    Refusal(VMAP, "*", "boolean_index", "vmap", "KeyRangeError", MASKED,
            "`t[mask]`, because its results would have several sizes: write `where(mask, t, 0.0)`"),
    Refusal(VMAP, "vmap", "boolean_index", "*", "KeyRangeError", MASKED, ""),
    Refusal("Typed formulas", "formula", "*", "second|jvp|vmap|machine|C|JS", "NotANumberError",
            "value of 'a': expected a real number",
            "formulas as functions for transforms: they take numbers and Values only"),
    Refusal(REPLAY, "*", "mask|activations|special_functions|distributions|extremes",
            "replay|value|why|paths|precision", "StaleReplayError",
            "replay(loss): expected choices that each run makes again",
            "graphs of Values with a choice that was made once: `where(x > 0.0, a, b)`"),
    Refusal(REPLAY, "*", "fixed_point", "replay|value|why|paths|precision|pullback", "OptionError",
            "fixed_point: the result of f: expected plain numbers", "a `fixed_point` of arrays"),
    Refusal(EXPORT, "*arrays|Tensor|vmap", "svd|eigh|qr|matrix_exponential", "C|JS", "OptionError",
            ELEMENTS, "decompositions of matrices, which have no finite formula"),
    Refusal(EXPORT, "*numbers|Value|*arrays|Tensor|vmap", SOLVERS, "C|JS", "OptionError", ELEMENTS,
            "functions without operations of gradwalk: `implicit_function`, `fixed_point`, and a "
            "`custom_rule` whose function takes plain numbers only"),
    Refusal(EXPORT, "*", "special_integrals|distributions", "C|JS", "OptionError",
            "*: expected operations that are formulas, which C and JavaScript can have",
            "some special functions, such as the density of the gamma distribution"),
    Refusal(PRECISION, "*Tensor*|*arrays|vmap", SOLVERS, "elements", "OptionError",
            ELEMENTS, "`custom_rule`, `implicit_function` and `fixed_point`"),
    Refusal(PRECISION, "*numbers|Value|replay of Values", SOLVERS, "precision",
            "NotANumberError",
            "precision(loss, wrt): expected operations that can be computed in 50 digits", ""),
    Refusal(PRECISION, "*Tensor*|*arrays|vmap", "matrix_exponential|eigh|qr|svd",
            "elements", "OptionError", ELEMENTS,
            "`eigh`, `qr`, `svd` and `expm` of matrices"),
    Refusal(PRECISION, "grad of arrays|jvp of arrays",
            "mask|activations|log_softmax|moments|distributions|interpolation",
            "elements", "OptionError", ELEMENTS,
            "masks that were made by a transform inside the program", "native"),
    Refusal("`Program.evaluate(on=...)`", "*", f"{SOLVERS}|sort|topk|median|special_functions|"
            "activations|special_integrals|distributions|interpolation", "library", "OptionError",
            "*: expected an operation that gradwalk has for arrays of every library",
            "operations without a function in the array API, such as `erf` or the gradient of "
            "`sort` along an axis, and functions of your own"),
    Refusal(LIBRARY, "PyTorch Tensor", "*", "document|TeX|tree|dot|svg|paths|precision|why",
            "OptionError", TO_NUMPY, "pictures, `explore`, `paths`, `why` and `check.precision`"),
    Refusal(LIBRARY, "PyTorch Tensor", "*", "elements", "OptionError", TO_NUMPY, ""),
    Refusal(LIBRARY, "PyTorch Tensor", "*", "elements", "FreedGraphError", "explore(", ""),
    Refusal(LIBRARY, "PyTorch Tensor", "*", "precision", "NotANumberError",
            "precision(loss): expected a real number", ""),
    Refusal(LIBRARY, "PyTorch Tensor", "*", "replay", "FreedGraphError", "replay(",
            "`replay`"),
    Refusal(LIBRARY, "PyTorch Tensor", "writing_into_a_view", "replay", "OptionError", TO_NUMPY,
            ""),
    Refusal(LIBRARY, "PyTorch Tensor", "while_loop", "pullback", "OptionError",
            "*: expected a function of arrays of torch that asks for no numbers of them", ""),
    Refusal(LIBRARY, "PyTorch Tensor", f"{SOLVERS}|gradient_inside|tangent_inside", "*",
            "OptionError", TO_NUMPY,
            "functions of your own: `custom_rule`, `implicit_function`, `fixed_point`"),
    Refusal(LIBRARY, "PyTorch Tensor",
            "special_integrals|distributions|activations|sort|topk|median", "*", "OptionError",
            "*: expected an operation that gradwalk has for arrays of every library",
            "operations that support NumPy arrays only: their errors name them"),
    Refusal(LIBRARY, "PyTorch Tensor", "ode|scan*|while_loop|noise|interpolation", "*",
            "OptionError", "*: expected operands of one library on one device",
            "arrays of two libraries in one operation"),
    Refusal(LIBRARY, "PyTorch Tensor", "linear_layers|lstm|batch_norm_module", "*", "OptionError",
            "*: expected operands of one library on one device",
            "layers whose parameters are still NumPy arrays: move them with `model.to(\"torch\")`"),
]  # fmt: skip

LACKING = [
    Lack("fma", "*", "`fma`: no library rounds a product and a sum once"),
    Lack("erf|erfc|gelu|gelu_slope", "array_api_strict",
         "`erf`, `erfc` and the exact `gelu` of arrays of `array_api_strict`"),
]  # fmt: skip

KNOWN = [
    # wrong numbers
    Known("Value|compiled numbers|jvp of numbers", "while_loop", "machine", "Wrong",
          "other bits in the gradient"),
    Known("grad of numbers", "while_loop", "machine", "Wrong", "other bits than without compile"),
    # silence
    Known("PyTorch Tensor", f"!{SOLVERS}|gradient_inside|tangent_inside|special_integrals|noise|"
          "distributions|ode|topk|median|interpolation|linear_layers|lstm|batch_norm_module",
          "trap", "Wrong", "silent"),
    Known("compiled arrays", "ode", "trap", "Wrong", "silent"),
    # names another operation than the planted one, or no operands
    # says that numbers are gone, and names the first operation behind them
    Known("grad of arrays", "layer_norm|batch_norm|writing_into_a_view|interpolation", "why",
          "Wrong", "add = nan cause "),
    Known("jvp of arrays", "dead_branch", "why", "Wrong", "sum = nan cause sum = nan: the numbers",
          "native"),
    # crashes
    Known("PyTorch Tensor",
          "arithmetic|powers|exponentials|roots|trigonometry|rounding|special_functions|where|"
          "extremes|dead_branch|if_else|boolean_index|stopped|unrolled|python_while|checkpoint|"
          "checkpoint_chain|custom_primitive|gradient_inside|tangent_inside|vmap_inside|quadrature|"
          "two_results|arrays_out|softmax|log_softmax|layer_norm|batch_norm|matmul|einsum|convolution|"
          "argmax|cumulative|moments|indexing|gathering|svd|eigh|qr|solving|determinant|cholesky|"
          "matrix_exponential|dropout|single_precision|attention|sort", "paths", "TypeError",
          "unsupported operand type(s) for +: 'LibraryArray' and 'Tensor'"),
    Known("PyTorch Tensor", f"!{SOLVERS}|special_integrals|distributions|sort|topk|median|ode|"
          "noise|interpolation|linear_layers|lstm|batch_norm_module|checkpoint_chain", "why",
          "DeprecationWarning", "__array_wrap__ must accept context and return_scalar arguments"),
]  # fmt: skip
