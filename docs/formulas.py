r"""Formulas of docstrings, which are plain text there, as TeX, from which the site sets them.

>>> tex("yₙₒᵢ = bₒ + Σ꜀ₖ wₒ꜀ₖ xₙ꜀,ₛᵢ₊ₖ")
'y_{noi} = b_{o} + Σ_{ck} w_{ock} x_{nc,si+k}'
>>> tex("y = √(Σᵢ (xᵢ - x̄)² / (n - c))")
'y = \\sqrt{Σ_{i} (x_{i} - \\bar{x})^{2} / (n - c)}'
>>> tex("yᵢ = maxₖ xᵢ  at each of the places")
'y_{i} = \\operatorname{max}_{k} x_{i} \\quad \\text{ at each of the places }'
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["is_formula", "tex"]

LOW = {ord(c): unicodedata.normalize("NFKC", c) for c in "₀₁₂₃₄₅₆₇₈₉₊₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"}
LOW |= {ord("꜀"): "c", ord("₋"): "-"}
HIGH = {ord(c): unicodedata.normalize("NFKC", c) for c in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁽⁾ᵀᵃᵇᵈᵉʰⁱᵏⁿᵖˢᵗˣʸ"}
HIGH |= {ord("⁻"): "-"}
SMALL = "".join(map(chr, LOW))
INDEX = f"[{SMALL}](?:[{SMALL}≤≠,]*[{SMALL}])?"
ACCENTS = {"\u0302": r"\hat", "\u0304": r"\bar", "\u0305": r"\bar", "\u0307": r"\dot"}
SIGNS = {"<=": r"\le ", ">=": r"\ge ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "…": r"\dots "}
SIGNS |= {"{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_", "~": r"\sim "}
SIGNS |= {"−": "-", "*": r"\, ", "\n": r"\\ "}

PROSE = "a alike all and at against are as beside beyond by else elsewhere for has have if in is of"
PROSE += " on or over so the to with where which while"
FUNCTIONS = (
    "arccos arcosh arcsin arsinh arctan artanh cos cosh elu erf erfc exp lim ln log max min round"
)
FUNCTIONS += " sign sin sinh tan tanh trunc"
WORD = "[A-Za-z]{2,}"
TOKEN = re.compile(
    rf"(?P<code>``.+?``)|(?P<low>{INDEX})|(?P<high>[{''.join(map(chr, HIGH))}]+)"
    rf"|(?P<root>√\(?)|(?P<power>\^\(?)|(?P<accent>\w[{''.join(ACCENTS)}])"
    rf"|(?P<named>[A-Za-z]_[a-z]+)|(?P<word>{WORD}(?:_\w+)*)|(?P<gap>  +)|(?P<sign><=|>=|.|\n)"
)


def is_formula(lines: list[str]) -> bool:
    """Return whether an indented block of a docstring is mathematics, not a piece of a program."""
    return not any(re.search(r"\w\.\w+\(|\w {4,}\w|^\s*[$>]", line) for line in lines)


def tex(text: str) -> str:
    """Return a formula in TeX."""
    text = "".join(unicodedata.normalize("NFD", c) if c in "ȳẋẏ" else c for c in text.strip())
    out: list[str] = []
    ends: list[int] = []  # the depths of brackets at which the argument of a root or power ends
    depth = 0
    for match in TOKEN.finditer(
        PHRASE.sub(lambda m: f"``{m[0]}``" if _is_prose(m[0]) else m[0], text)
    ):
        kind, found = str(match.lastgroup), match[0]
        if kind in ("root", "power"):
            out.append(r"\sqrt" if found[0] == "√" else "^")
            if found[1:]:  # its argument ends where the bracket does
                ends.append(depth)
                depth += 1
                out.append("{")
            continue
        depth += {"(": 1, ")": -1}.get(found, 0)
        if found == ")" and ends and depth == ends[-1]:
            ends.pop()
            out.append("}")
        else:
            given = _token(kind, found, match.string[match.end() : match.end() + 1])
            out.append(f"{{{given}}}" if out and out[-1] in (r"\sqrt", "^") else given)
    return "".join(out)


PHRASE = re.compile(rf"{WORD}(?:[ -]{WORD})+")


def _is_prose(words: str) -> bool:
    return any(word not in FUNCTIONS.split() for word in words.split())


def _token(kind: str, found: str, following: str) -> str:
    match kind:
        case "code":
            return rf"\text{{ {found.strip('`')} }}".replace("_", r"\_")
        case "low":
            return f"_{{{''.join(SIGNS.get(c, c) for c in found.translate(LOW))}}}"
        case "high":
            return f"^{{{found.translate(HIGH)}}}"
        case "accent":
            return f"{ACCENTS[found[1]]}{{{found[0]}}}"
        case "named":
            return f"{found[0]}_{{{found[2:]}}}"
        case "word" if found in PROSE.split():
            return rf"\text{{ {found} }}"
        case "word" if following == "(" or found in FUNCTIONS.split():
            return rf"\operatorname{{{found}}}"
        case "word" if re.fullmatch(r"d[xs]", found):  # a differential
            return found
        case "word":
            return rf"\mathrm{{{found}}}".replace("_", r"\_")
        case "gap":
            return r" \quad "
    return SIGNS.get(found, found)
