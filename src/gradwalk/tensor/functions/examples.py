"""Examples for the docstrings of elementwise functions without a derivative."""

from __future__ import annotations

__all__ = ["EXAMPLES", "example_of"]

EXAMPLES = {
    "floor_divide": ("[7.0, -7.0], 2.0", "[3.0, -4.0]"),
    "less": ("[1.0, 3.0], 2.0", "[True, False]"),
    "less_equal": ("[1.0, 2.0], 2.0", "[True, True]"),
    "greater": ("[1.0, 3.0], 2.0", "[False, True]"),
    "greater_equal": ("[1.0, 2.0], 2.0", "[False, True]"),
    "equal": ("[1.0, 2.0], 2.0", "[False, True]"),
    "not_equal": ("[1.0, 2.0], 2.0", "[True, False]"),
    "logical_and": ("[True, True], [True, False]", "[True, False]"),
    "logical_or": ("[True, False], [False, False]", "[True, False]"),
    "logical_not": ("[True, False]", "[False, True]"),
    "logical_xor": ("[True, True], [True, False]", "[False, True]"),
    "bitwise_and": ("[6, 5], 3", "[2, 1]"),
    "bitwise_or": ("[6, 5], 3", "[7, 7]"),
    "bitwise_xor": ("[6, 5], 3", "[5, 6]"),
    "bitwise_invert": ("[0, 5]", "[-1, -6]"),
    "bitwise_left_shift": ("[1, 3], 2", "[4, 12]"),
    "bitwise_right_shift": ("[4, 9], 2", "[1, 2]"),
    "isnan": ('[1.0, float("nan")]', "[False, True]"),
    "isinf": ('[1.0, float("inf")]', "[False, True]"),
    "isfinite": ('[1.0, float("inf")]', "[True, False]"),
    "signbit": ("[1.0, -0.0]", "[False, True]"),
    "trunc": ("[1.7, -1.7]", "[1.0, -1.0]"),
    "nextafter": ("[1.0], 2.0", "[1.0000000000000002]"),
}


def example_of(name: str) -> str:
    """Return a call of a function and its result, as the end of a docstring; or nothing."""
    if name not in EXAMPLES:
        return ""
    args, result = EXAMPLES[name]
    return f"\n\n>>> import gradwalk\n>>> gradwalk.{name}({args}).tolist()\n{result}\n"
