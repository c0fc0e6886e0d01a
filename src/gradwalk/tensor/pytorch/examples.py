"""Examples for the docstrings of methods that are made from a table."""

from __future__ import annotations

__all__ = ["in_place", "operated"]

_WRITTEN = {
    "clamp_": ("1.0, 2.0", "[1.0, 2.0]"),
    "copy_": ("Tensor([5.0, 6.0])", "[5.0, 6.0]"),
    "fill_": ("0.5", "[0.5, 0.5]"),
    "masked_fill_": ("Tensor([True, False]), 0.0", "[0.0, 4.0]"),
    "scatter_": ("0, [1], Tensor([9.0])", "[1.0, 9.0]"),
    "scatter_add_": ("0, [1], Tensor([9.0])", "[1.0, 13.0]"),
    "zero_": ("", "[0.0, 0.0]"),
}
_NUMBER = {"mul": "[2.0, 8.0]", "div": "[0.5, 2.0]"}
_NUMBER |= {"eq": "[False, False]", "ne": "[True, True]", "lt": "[True, False]"}
_NUMBER |= {"le": "[True, False]", "gt": "[False, True]", "ge": "[False, True]"}
_PRODUCT = {
    "mm": ("[[1.0, 2.0]]", "[[3.0], [4.0]]", "[[11.0]]"),
    "bmm": ("[[[1.0, 2.0]]]", "[[[3.0], [4.0]]]", "[[[11.0]]]"),
    "mv": ("[[1.0, 2.0]]", "[3.0, 4.0]", "[11.0]"),
}


def in_place(name: str) -> str:
    """Return the example of a method that writes into its Tensor."""
    if name in _WRITTEN:
        args, result = _WRITTEN[name]
        return f"\n\n>>> Tensor([1.0, 4.0]).{name}({args}).tolist()\n{result}\n"
    args = "2.0" if name in ("add_", "sub_", "mul_", "div_", "pow_") else ""
    lines = (
        "x = Tensor([1.0, 4.0])",
        f"y = x.{name[:-1]}({args})",
        f"x.{name}({args}) is x, bool((x == y).all())",
    )
    return "\n\n" + "".join(f">>> {line}\n" for line in lines) + "(True, True)\n"


def operated(name: str) -> str:
    """Return the example of a method that is an operator."""
    if name in _PRODUCT:
        a, b, result = _PRODUCT[name]
        return f"\n\n>>> Tensor({a}).{name}(Tensor({b})).tolist()\n{result}\n"
    return f"\n\n>>> Tensor([1.0, 4.0]).{name}(2.0).tolist()\n{_NUMBER[name]}\n"
