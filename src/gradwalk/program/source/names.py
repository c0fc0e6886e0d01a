"""Names of users as names in C and JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["identifier", "unique"]

WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while _Bool _Complex _Imaginary asm fortran typeof bool true false
    alignas alignof and and_eq bitand bitor catch class compl concept constexpr decltype delete
    explicit export friend import mutable namespace new noexcept not not_eq nullptr operator or
    or_eq private protected public requires template this throw try typeid typename using virtual
    wchar_t xor xor_eq
    arguments async await debugger eval extends finally function implements in instanceof interface
    let null of package super undefined var with yield NaN Infinity Math Object Number String Array
    Float64Array Uint8Array Uint16Array Uint32Array BigInt DataView ArrayBuffer module globalThis
    require exports root ieee process window document self name location top parent status length
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
    fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2
    logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round
    scalbln scalbn sin sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn gamma significand drem
    signgam isnan isinf isfinite isnormal signbit fpclassify INFINITY NAN HUGE_VAL double_t float_t
    main abs div labs exit malloc free printf rand time cell some linux unix
    withSign whole rounded halved tail far ratio horner mod floordiv CENTER MIDDLE FAR
    ONE_OVER_SQRT_PI
"""
"""Words of the languages and names of their libraries and of the printed file."""

PRINTED = re.compile(r"[vhitk]\d+|f_\w*|ieee_\w*|u?int\w*_t|_.*")


def identifier(name: str) -> str:
    """Return a name that both languages allow, with an underscore behind a reserved one.

    >>> identifier("my loss"), identifier("double"), identifier("2d"), identifier("v1")
    ('my_loss', 'double_', 'n2d', 'v1_')
    """
    plain = re.sub(r"[^A-Za-z0-9_]", lambda m: "_" if m[0].isascii() else f"u{ord(m[0]):x}", name)
    plain = re.sub(r"^(?=\d)", "n", plain.lstrip("_")) or "f"
    return f"{plain}_" if plain in WORDS.split() or PRINTED.fullmatch(plain) else plain


def unique(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return names of which none comes twice.

    >>> unique(["x", "x", "y"], ["y"])
    ['x', 'x_2', 'y_2']
    """
    used = set(taken)
    found = []
    for name in names:
        free, k = name, 2
        while free in used:
            free, k = f"{name}_{k}", k + 1
        used.add(free)
        found.append(free)
    return found
