"""What to write instead of an operation that made a NaN or an infinity."""

from __future__ import annotations

from math import inf, isfinite, isnan, nan
from typing import Any

from .origins import Origin

__all__ = ["RULES", "is_half", "is_overflow", "reason", "remedy"]

RULES = ("backward", "tangent")  # kinds of origins: a rule made it
LOGARITHMS = ("log", "log2", "log10", "log1p")
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")
DIVISIONS = ("div", "reciprocal")
EQUAL_VALUES = ("eigh", "svd", "eigvalsh", "svdvals")
REASONS = {
    "constant": "no recorded operation made it: it was in the data, or it was computed from what "
    "requires no gradient",
    "leaf": "no recorded operation made it",
    "freed": "an earlier backward pass has freed the graph that it was computed in",
    "unknown": "the numbers of an operand are gone, so it may be the cause",
    "sum": "contributions overflow, or inf and -inf meet",
}
BOUNDS = ("sqrt", "cbrt", "pow", "asin", "acos", "atanh", "acosh")
ROOTS = (*LOGARITHMS, "sqrt", "pow")
SPREADS = ("std", "var")
SOFTMAXES = ("softmax", "log_softmax", "logsumexp", "surprise")
HALF = 'Compute it in float32: x.astype("float32"). In float16 numbers end at 65,504.'
HALVES = ("float16", "bfloat16")
LARGEST = 3.4e38  # number of float32
SINGULAR = ("inv", "solve", "det", "slogdet", "cholesky")


def reason(origin: Origin) -> str:
    """Return why the operation gives such a number there."""
    op, args = origin.spot.op, origin.spot.args
    if getattr(origin.spot.primitive, "again", None):
        return f"an operation inside {op} made it of finite numbers"
    if origin.kind in RULES:
        return _reason_of_rule(origin)
    if origin.kind == "constant" and origin.mask is not None:
        return "it hides a number that the result needs"
    if origin.kind in REASONS:
        return REASONS[origin.kind]
    if isnan(origin.result) and (infinite := _reason_of_infinities(origin)):
        return infinite
    outside = _outside(origin.spot.primitive, args)
    if op in DIVISIONS and args and args[-1] == 0.0:
        return "0/0 is not a number" if args == (0.0, 0.0) else "a division by 0"
    if op in LOGARITHMS and outside:
        return f"{op} is defined for x > {_bounds(origin)[0]:g} only"
    if outside:
        return outside
    if op == "pow" and args and args[0] == 0.0:
        return "0 to a negative power is a division by 0"
    return _reason_of_size(origin, op, args)


def _reason_of_size(origin: Origin, op: str, args: tuple[float, ...]) -> str:
    if all(map(isfinite, args)) and args and abs(origin.result) == inf:
        return "an overflow, because the result is larger than the largest number of this precision"
    if op in SINGULAR:
        return "the matrix is singular, or nearly so"
    if op == "mean" and isnan(origin.result):
        return "there are no numbers, and 0/0 is not a number"
    if op in SPREADS and isnan(origin.result):
        return "the spread of one number is 0/0, with correction=1"
    if abs(origin.result) == inf:
        return f"an overflow in {origin.spot.dtype}"
    return "an overflow, or an operand outside the domain"


def _reason_of_infinities(origin: Origin) -> str:
    """Return how a NaN was made of infinities, ``""`` if no operand is known to be one."""
    op, args = origin.spot.op, origin.spot.args
    if op in SOFTMAXES and origin.mask is not None:
        return "all numbers that it reads are -inf, so the sum of their exponentials is 0"
    if all(map(isfinite, args)):
        return ""
    if op in ("add", "sub"):
        return "the difference of two infinities is not a number"
    if op == "mul":
        return "0 · inf is not a number"
    return f"{op} of infinite operands is not a number"


def is_overflow(origin: Origin) -> bool:
    """Return whether the operands were too large, and not outside a domain."""
    op, args = origin.spot.op, origin.spot.args
    if origin.kind != "forward" or op in SINGULAR + EQUAL_VALUES:
        return False
    if op in DIVISIONS and args and args[-1] == 0.0:
        return False
    return not _outside(origin.spot.primitive, args) and (
        not args or (all(map(isfinite, args)) and abs(origin.result) == inf)
    )


def is_half(origin: Origin) -> bool:
    """Return whether an operation overflows in float16 or bfloat16, and not in float32.

    Those of an adopted program are stored in float32, so the operation is done again.
    """
    spot, args = origin.spot, origin.spot.args
    if not is_overflow(origin) or spot.dtype in HALVES:
        return is_overflow(origin)
    if spot.dtype != "float32" or not args or spot.primitive.kind != "pointwise":
        return False
    try:
        return abs(float(spot.primitive(*map(float, args)))) < LARGEST
    except OverflowError:  # of Python's own power
        return False


def _reason_of_rule(origin: Origin) -> str:
    derivative, args = _derivative(origin), origin.spot.args
    if derivative is not None and not isfinite(derivative):
        if origin.incoming == 0.0:
            return f"the derivative there is {derivative:g}, and 0 · {derivative:g} is nan"
        return f"the derivative there is {derivative:g}"
    if derivative is not None:
        incoming = "tangent" if origin.kind == "tangent" else "gradient"
        return f"the derivative {derivative:.6g} times the incoming {incoming} overflows"
    if origin.spot.op in EQUAL_VALUES:
        return "equal eigenvalues or singular values have no derivative of their vectors"
    if origin.spot.op in SINGULAR:
        return "the matrix is singular, or nearly so"
    if abs(origin.incoming) > 1e30:
        return "the incoming gradient is too large: the numbers have grown"
    return "the derivative there is not finite" if not args else "the rule overflows"


def _derivative(origin: Origin) -> float | None:
    """Return the local derivative; ``None`` for an operation on whole arrays."""
    primitive, args = origin.spot.primitive, origin.spot.args
    if primitive is None or primitive.kind != "pointwise" or not primitive.rules:
        return None
    args = args or (nan,) * primitive.arity  # numbers that the rule did not keep
    rule = primitive.rules[origin.position] if len(args) == primitive.arity else None
    found = rule and primitive.contribution(rule, 1.0, origin.spot.number, args)
    return None if found is None or (isnan(found) and not origin.spot.args) else float(found)


def _bounds(origin: Origin) -> tuple[float, float]:
    found: tuple[float, float] = origin.spot.primitive.domain[0]
    return found


def _outside(primitive: Any, args: tuple[float, ...]) -> str:
    """Return which operand lies outside the domain, or on its bound."""
    if primitive is None or primitive.kind != "pointwise" or len(args) != primitive.arity:
        return ""
    if primitive.name == "pow" and args[0] != 0.0 and args[1] == args[1] // 1.0:
        return ""  # integer powers of negative numbers are defined
    for name, x, (low, high) in zip(primitive.params, args, primitive.domain, strict=True):
        if not low < x < high and isfinite(x):
            limits = f"{low:g} < {name} < {high:g}" if high < inf else f"{name} > {low:g}"
            if low == -inf:
                limits = f"{name} < {high:g}"
            return f"{primitive.name} is defined for {limits}"
    return ""


def alternative(origin: Origin) -> str:
    """Return what else a program can do that changes the expression of an origin."""
    op = origin.spot.op
    if origin.rounded is not None:
        return ""
    if origin.mask is not None:
        return "But look first whether the mask is inverted: it should keep one number of each row."
    if op in LOGARITHMS:
        return (
            "For probabilities start from the logits: log_softmax, logsumexp, log_sigmoid, or "
            "nn.functional.binary_cross_entropy_with_logits."
        )
    if op in EXPONENTIALS:
        return (
            "For a softmax by hand subtract the largest number before exp. What does not overflow "
            "on the way: logsumexp, softmax, log_softmax, softplus, sigmoid."
        )
    if op in DIVISIONS:
        return "Or leave out the elements whose divisor is 0, before the division."
    if op in ("sqrt", "pow") and origin.kind in RULES:
        return "Or leave out the zeros before. A length is best computed with norm."
    return ""


ROUNDED = {
    "sigmoid": "Compute the loss from the operand of sigmoid: "
    "nn.functional.binary_cross_entropy_with_logits(z, target). log(p) is the function logsigmoid "
    "of z, and log(1 - p) that of -z. A small number added gives the gradient 0.",
    "softmax": "Start from the logits: nn.functional.cross_entropy(logits, target), or log_softmax "
    "for the logarithm of softmax. A small number added gives the gradient 0.",
    "exp": "Compute with logarithms: logsumexp of the exponents for the logarithm of a sum of exp, "
    "and softmax for a quotient. A small number added gives the gradient 0.",
    "relu": "Use softplus instead of this relu (nn.Softplus() for nn.ReLU()): it is above 0.",
    "tanh": "Compute log(1 - tanh(u) ** 2) as 2 * (log(2) - u - softplus(-2 * u)).",
}
ROUNDED["add"] = ROUNDED["sigmoid"].replace("operand of sigmoid", "exponent")
ROUNDED |= {"exp2": ROUNDED["exp"], "softplus": ROUNDED["exp"], "erf": "Use log_ndtr, or erfc."}
"""What to compute instead of a number that has rounded to 0 or 1, by the operation."""


def remedy(origin: Origin, name: str) -> str:
    """Return what to write instead; ``name`` is what the operand is called."""
    op, args = origin.spot.op, origin.spot.args
    if origin.rounded is not None:
        return ROUNDED[origin.rounded.op]
    if getattr(origin.spot.primitive, "again", None):  # a program of its own
        return (
            f"Compute it inside `with gradwalk.inspect.trap():`, which stops at the operation "
            f"inside {op}."
        )
    if origin.mask is not None:
        return _remedy_of_mask(origin)
    if origin.kind in REASONS:
        return _remedy_of_data(origin, name)
    if origin.kind == "forward" and is_half(origin):
        return HALF
    if op == "mean" and isnan(origin.result):
        return "Select one element at least, or divide the sum by max(count, 1)."
    if args and args[0] < 0.0 and origin.kind == "forward" and op in ROOTS:
        return _remedy_of_negative(name or "the operand", op)
    if not name and op in BOUNDS + LOGARITHMS + EXPONENTIALS + DIVISIONS:
        more = alternative(origin).removeprefix("Or leave out the zeros before. ")
        return f"{_remedy_without_a_name(op)} {'' if op in DIVISIONS else more}".strip()
    if origin.kind in RULES and op not in SINGULAR + EQUAL_VALUES:
        return _remedy_of_rule(op, args, name)
    if isnan(origin.result) and not all(map(isfinite, args)):
        return "Replace the infinities before, by a large number such as -1e9, or leave them out."
    return _remedy_of_operation(origin, op, name)


def _remedy_of_operation(origin: Origin, op: str, x: str) -> str:
    """Return what to write instead of an operation that made such a number of finite ones."""
    args = origin.spot.args
    if op in LOGARITHMS and args and args[0] == _bounds(origin)[0]:
        return (
            f"Keep the operand away from the bound: {op}({x} + 1e-12), or clip it. For "
            f"probabilities start from the logits: log_softmax, logsumexp, log_sigmoid, or "
            f"nn.functional.binary_cross_entropy_with_logits."
        )
    if op in EXPONENTIALS or op == "pow":
        return (
            f"Make {x} smaller: divide the data by their standard deviation, or start from smaller "
            f"weights. For a softmax by hand subtract the largest number before {op}, or use what "
            f"does not overflow on the way: logsumexp, softmax, softplus."
        )
    return _general_remedy(origin, op, x)


def _remedy_of_negative(x: str, op: str) -> str:
    return (
        f"Look why {x} is negative: a difference in the wrong order, or a quantity without a "
        f"bound. Or take {op} of softplus({x}), which is positive."
    )


def _remedy_of_data(origin: Origin, x: str) -> str:
    if origin.kind == "constant":
        data = x or "data"
        return (
            f"Find such entries: numpy.argwhere(~numpy.isfinite({data})). Leave these rows out, or "
            f"look where they come from: a missing entry in a file, a division by a standard "
            f"deviation of 0, or the logarithm of 0. `with gradwalk.inspect.trap():` around the "
            f"program stops at operations on Tensors that are not recorded."
        )
    if origin.kind == "leaf":
        whose = x or "the leaf"
        return (
            f"Look where {whose} gets its numbers: a missing entry in a file, a division by a "
            f"standard deviation of 0, or an update with a gradient that was not finite. To stop "
            f"there, put `with gradwalk.inspect.trap():` around the training."
        )
    if origin.kind in ("unknown", "freed"):
        return "Compute it inside `with gradwalk.inspect.trap():`, which stops at the cause."
    return "Scale the loss down, or start from smaller numbers."


def _remedy_without_a_name(op: str) -> str:
    if op in EXPONENTIALS:
        return (
            f"Make the operand of {op} smaller: divide the data by their standard deviation, or "
            f"start from smaller weights."
        )
    if op in DIVISIONS:
        return "Keep the divisor away from 0: add 1e-12 to it, or exclude such elements before."
    if op in (*LOGARITHMS, "sqrt", "cbrt", "pow"):
        return (
            f"Keep the operand of {op} above 0: add 1e-12 to it, clip it from below, or exclude "
            f"zeros before: {op} of where(inside, operand, 1.0)."
        )
    return f"Clip the operand of {op} to numbers within its bounds, by 1e-7."


def _remedy_of_mask(origin: Origin) -> str:
    if origin.kind == "constant":
        return "Let the mask keep this element, or leave the element out of the loss."
    return "Let the mask keep one number of each row, or hide them by a finite number: -1e9."


def _general_remedy(origin: Origin, op: str, x: str) -> str:
    if op in DIVISIONS:
        return (
            f"Keep the divisor away from 0: divide by ({x} + 1e-12), or exclude the element "
            f"before the division: a / where({x} == 0, 1.0, {x})."
        )
    if op in SINGULAR:
        return "Add a little to the diagonal, A + 1e-8 * eye(n), or use pinv or lstsq."
    if op in EQUAL_VALUES:
        return "Use eigvalsh or svdvals if the values are enough, or make them differ."
    if op in ("asin", "acos", "atanh", "acosh"):
        low, high = _bounds(origin)
        top = f", {high:g} - 1e-7" if high < inf else ""
        return f"Clip the operand: {op}(clip({x}, {low:g} + 1e-7{top}))."
    if op in SPREADS:
        return f"Use more numbers than one for {op}, or correction=0."
    return (
        "Look at the size of the operands: a learning rate that is too large, data that were not "
        "scaled, or a recurrence that grows. Scale them down, or clip the gradients."
    )


def _remedy_of_rule(op: str, args: tuple[float, ...], x: str) -> str:
    if op in ("sqrt", "cbrt", "pow"):
        power = f"{args[1]:g}" if op == "pow" and len(args) > 1 else ""
        safe = f"({x} + 1e-12) ** {power}" if power else f"{op}({x} + 1e-12)"
        inner = f"where({x} > 0, {x}, 1.0)"
        outer = f"{inner} ** {power}" if power else f"{op}({inner})"
        return (
            f"Write {safe}, or exclude the zeros before and after: "
            f"where({x} > 0, {outer}, 0.0). A length is best computed with norm."
        )
    if op in ("asin", "acos", "atanh"):
        return f"Clip the operand: {op}(clip({x}, -1 + 1e-7, 1 - 1e-7))."
    if op in LOGARITHMS or op in DIVISIONS:
        return f"Keep {x} away from 0: add 1e-12, or exclude the element with where before."
    return "Scale the numbers down, or clip them before this operation."
