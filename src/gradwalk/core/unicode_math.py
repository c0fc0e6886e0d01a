r"""Formulas in TeX as plain text, for `help` and for editors.

>>> from gradwalk.core.unicode_math import plain
>>> plain(r"\frac{t \, a}{\sqrt{a^2 + b^2}}")
'(t a)/√(a² + b²)'
>>> plain(r"\begin{cases} x & x > 0 \\ \alpha (e^{x} - 1) & x \le 0 \end{cases}")
'x if x > 0; α (eˣ - 1) if x ≤ 0'
"""

from __future__ import annotations

__all__ = ["plain"]

SIGNS = {
    r"\begin{cases}": "", r"\end{cases}": "", r" \\": ";", " & ": " if ", r"\,": " ",
    r"\left": "", r"\right": "", r"\Bigl": "", r"\Bigr": "", r"\tfrac": r"\frac",
    r"\operatorname": "", r"\text": "", r"\mathbin": "", r"\&": "&", r"\{": "{", r"\}": "}",
    r"\lfloor ": "⌊", r" \rfloor": "⌋", r"\lceil ": "⌈", r" \rceil": "⌉",
    r"\le": "≤", r"\ge": "≥", r"\ne": "≠", r"\land": "∧", r"\lor": "∨", r"\lnot": "¬",
    r"\neg": "¬", r"\oplus": "⊕", r"\ll": "≪", r"\gg": "≫", r"\pm": "±", r"\cdot": "·",
    r"\infty": "∞", r"\int": "∫", r"\sum": "Σ", r"\prod": "Π", r"\Gamma": "Γ", r"\Phi": "Φ",
    r"\alpha": "α", r"\epsilon": "ε", r"\ell": "l", r"\lambda": "λ", r"\pi": "π", r"\psi": "ψ",
    r"\sigma": "σ", r"\varphi": "φ", r"\bar{x}": "x̄", r"\bmod": "mod",
    r"\sqrt[3]": "∛", r"\sqrt": "√",
}  # fmt: skip
r"""What stands for a command."""

ORDERED = sorted(SIGNS.items(), key=lambda pair: -len(pair[0]))

SMALL = str.maketrans("0123456789+-()abehiknpstxTy", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵃᵇᵉʰⁱᵏⁿᵖˢᵗˣᵀʸ")
LOW = str.maketrans("0123456789+-()aehijklmnopstx", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚₛₜₓ")


def plain(tex: str) -> str:
    """Return a formula without commands: fractions with a slash, small letters for exponents."""
    for command, sign in ORDERED:
        if command in tex:
            tex = tex.replace(command, sign)
    return " ".join(_scripts(_grouped(tex)).replace("\\", "").split())


def _grouped(tex: str) -> str:
    """Return a text with each group in braces written out, from the innermost one outward."""
    while (end := tex.find("}")) >= 0:
        start = tex.rfind("{", 0, end)
        inner, before, after = tex[start + 1 : end], tex[:start], tex[end + 1 :]
        if before.endswith(r"\frac"):
            tex = f"{before[:-5]}{_bracketed(inner)}/{after}"
        elif before.endswith(("√", "∛", "/")):
            tex = f"{before}{_bracketed(inner)}{after}"
        elif before.endswith(("^", "_")):
            tex = before[:-1] + _script(before[-1], inner) + after
        else:
            tex = f"{before}{inner}{after}"
    return tex


def _bracketed(text: str) -> str:
    text = text.strip()
    root = text[:2] in ("√(", "∛(") and text.find(")") == len(text) - 1
    return f"({text})" if (" " in text or "/" in text) and not root else text


def _script(mark: str, text: str) -> str:
    """Return an exponent or an index in small letters, if there are such letters."""
    text = _scripts(text)
    small = SMALL if mark == "^" else LOW
    letters = text.replace(" ", "")
    if all(ord(letter) in small for letter in letters):
        return letters.translate(small)
    return f"{mark}({text})" if len(text) > 1 else mark + text


def _scripts(text: str) -> str:
    """Return a text in which exponents and indices of one letter are small."""
    for mark in "^_":
        first, *rest = text.split(mark)
        marked = (r if r[:1] in "(" else _script(mark, r[:1]) + r[1:] for r in rest)
        text = first + "".join(mark + r if r[:1] == "(" else r for r in marked)
    return text
