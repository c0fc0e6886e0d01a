"""Small pictures of reports as SVG: bars, curves, lines over time, and the steps of a path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, log10
from typing import NamedTuple

from .draw import Drawing, text
from .style import CHARTS, STYLE

__all__ = ["Bar", "Curve", "bars", "curves", "lines_over_time", "steps"]

MARGIN, ROW, GLYPH = 20.0, 26.0, 7.25  # GLYPH: the width of a character at 12 pixels
BAR, SMALLEST = 220.0, 2.0
PANEL = 120.0
TICKS = 4
COLOURS = 6  # classes of lines in the style: line0, line1, ...


class Bar(NamedTuple):
    """A bar: its name, its signed length, the number beside it, a remark, and its kind.

    ``kind``  "good", "bad", "rest", or "" for the usual colours of positive and negative numbers
    """

    name: str
    length: float
    number: str
    note: str = ""
    kind: str = ""


class Curve(NamedTuple):
    """A curve in a panel of its own, with a mark at ``x``."""

    title: str
    xs: Sequence[float]
    ys: Sequence[float]
    x: float


def _wide(texts: Iterable[str]) -> float:
    return GLYPH * max(map(len, texts), default=0)


def _cut(words: str, most: int = 76) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _label(x: float, y: float, words: str, kind: str = "plain", anchor: str = "start") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(words)}</text>'
    )


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> Drawing:
    head = _label(MARGIN, MARGIN + 10.0, _cut(title, 110), "name")
    width = max(width, 2 * MARGIN + 8.0 * min(len(title), 110))
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gradwalk chart" role="img" {size}>',
        f"<title>{text(title)}</title>",
        f"<style>{STYLE}{CHARTS}</style>",
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="8"/>',
        *(head, *parts, "</svg>"),
    ]
    return Drawing("\n".join(lines) + "\n", 0)


def bars(title: str, found: Sequence[Bar], top: float = 0.0) -> Drawing:
    """Draw a horizontal bar for each entry. ``top`` is the length of a full one."""
    names = [_cut(bar.name, 34) for bar in found]
    notes = [_cut(bar.note) for bar in found]
    left = MARGIN + _wide(names) + 10.0
    sizes = [abs(bar.length) for bar in found if isfinite(bar.length)]
    full = top or max(sizes, default=1.0) or 1.0
    numbers = left + BAR + 10.0
    remarks = numbers + _wide([bar.number for bar in found]) + 14.0
    parts = []
    for k, (bar, name, note) in enumerate(zip(found, names, notes, strict=True)):
        y = MARGIN + 24.0 + k * ROW
        size = min(abs(bar.length) / full, 1.0) if isfinite(bar.length) else 1.0
        kind = bar.kind or ("negative" if bar.length < 0.0 else "positive")
        width = max(size * BAR, SMALLEST) if bar.length else 0.0
        parts += [
            _label(left - 10.0, y + 13.0, name, anchor="end"),
            f'<rect class="track" x="{left:.1f}" y="{y + 2:.1f}" width="{BAR}" height="16"/>',
            f'<rect class="{kind}" x="{left:.1f}" y="{y + 2:.1f}" width="{width:.1f}" '
            f'height="16"><title>{text(f"{bar.name}: {bar.number}")}</title></rect>',
            _label(numbers, y + 13.0, bar.number),
            _label(remarks, y + 13.0, note, "faint"),
        ]
    width = remarks + _wide(notes) + MARGIN
    return _svg(width, MARGIN + 30.0 + len(found) * ROW + 6.0, title, parts)


def steps(title: str, found: Sequence[tuple[str, str, str]]) -> Drawing:
    """Draw steps from top to bottom, as (kind, text, remark) with an arrow to the next one.

    The kinds are "source", "cause", "step" and "end"; no arrow follows on "source apart".
    """
    words = [_cut(step[1], 60) for step in found]
    box = max(_wide(words) + 24.0, 90.0)
    middle, parts = MARGIN + box / 2, []
    for k, ((kind, _, note), shown) in enumerate(zip(found, words, strict=True)):
        y = MARGIN + 26.0 + k * 46.0
        parts += [
            f'<rect class="box {kind}" x="{MARGIN}" y="{y:.1f}" width="{box:.1f}" height="28" '
            f'rx="6"/>',
            _label(middle, y + 18.0, shown, f"plain {kind}", "middle"),
            _label(MARGIN + box + 14.0, y + 18.0, _cut(note), "faint"),
        ]
        if k + 1 < len(found) and "apart" not in kind:
            parts.append(
                f'<path class="arrow" d="M{middle:.1f} {y + 28:.1f} v12"/><path class="tip" '
                f'd="M{middle - 4:.1f} {y + 39:.1f} h8 l-4 7 z"/>'
            )
    width = MARGIN + box + 14.0 + _wide([_cut(step[2]) for step in found]) + MARGIN
    return _svg(width, MARGIN + 26.0 + len(found) * 46.0, title, parts)


def curves(title: str, found: Sequence[Curve]) -> Drawing:
    """Draw each curve in a panel of its own, with a mark at the number of the run."""
    width, parts = 360.0, []
    for k, curve in enumerate(found):
        top = MARGIN + 40.0 + k * (PANEL + 46.0)
        finite = [y for y in curve.ys if isfinite(y)] or [0.0]
        low, high = min(finite), max(finite)
        low, high = (low, high) if high > low else (low - 1.0, high + 1.0)
        span = (curve.xs[-1] - curve.xs[0]) or 1.0

        def at(x: float, y: float, *, top: float = top, low: float = low, high: float = high,
               span: float = span, first: float = curve.xs[0]) -> tuple[float, float]:  # fmt: skip
            across = MARGIN + width * (x - first) / span
            return across, top + PANEL * (high - y) / (high - low)

        drawn = _polylines([(x, y) for x, y in zip(curve.xs, curve.ys, strict=True)], at, "line0")
        mark, _ = at(curve.x, low)
        parts += [
            _label(MARGIN, top - 8.0, _cut(curve.title, 90)),
            f'<rect class="frame" x="{MARGIN}" y="{top:.1f}" width="{width}" height="{PANEL}"/>',
            f'<path class="mark" d="M{mark:.1f} {top:.1f} v{PANEL}"/>',
            *drawn,
            _label(MARGIN, top + PANEL + 14.0, f"{curve.xs[0]:.6g}", "small"),
            _label(mark, top + PANEL + 14.0, f"{curve.x:.6g}", "small marked", "middle"),
            _label(MARGIN + width, top + PANEL + 14.0, f"{curve.xs[-1]:.6g}", "small", "end"),
            _label(MARGIN + width + 8.0, top + 10.0, f"{high:.3g}", "small"),
            _label(MARGIN + width + 8.0, top + PANEL, f"{low:.3g}", "small"),
        ]
    wide = _wide([_cut(curve.title, 90) for curve in found])
    height = MARGIN + 30.0 + len(found) * (PANEL + 46.0)
    return _svg(max(width + 80.0, wide) + 2 * MARGIN, height, title, parts)


def lines_over_time(title: str, found: Sequence[tuple[str, Sequence[float], str]]) -> Drawing:
    """Draw a line on a logarithmic scale for each (name, numbers, remark)."""
    width, height, left, top = 420.0, 220.0, MARGIN + 56.0, MARGIN + 30.0
    numbers = [x for _, xs, _ in found for x in xs if x > 0.0 and isfinite(x)]
    low, high = log10(min(numbers, default=1.0)), log10(max(numbers, default=1.0))
    low, high = (low, high) if high - low > 1e-9 else (low - 1.0, high + 1.0)
    count = max((len(xs) for _, xs, _ in found), default=1)

    def at(x: float, y: float) -> tuple[float, float]:
        across = left + width * ((x - 1.0) / (count - 1.0) if count > 1 else 0.5)
        level = log10(y) if y > 0.0 else low  # a gradient of 0 lies on the floor
        return across, top + height * (high - level) / (high - low)

    parts = [f'<rect class="frame" x="{left}" y="{top}" width="{width}" height="{height}"/>']
    for tick in range(TICKS + 1):
        level = low + (high - low) * tick / TICKS
        y = top + height * (1.0 - tick / TICKS)
        parts.append(f'<path class="grid" d="M{left} {y:.1f} h{width}"/>')
        parts.append(_label(left - 6.0, y + 4.0, f"{10.0**level:.1g}", "small", "end"))
    for k, (name, xs, note) in enumerate(found):
        kind = f"line{k % COLOURS}"
        parts += _polylines([(i + 1.0, x) for i, x in enumerate(xs)], at, kind)
        y = top + 14.0 + 18.0 * k
        parts.append(f'<rect class="{kind} key" x="{left + width + 14}" y="{y - 9:.1f}" '
                     f'width="14" height="4"/>')  # fmt: skip
        parts.append(_label(left + width + 34.0, y - 3.0, f"{name}  {note}".strip(), "small"))
    parts.append(_label(left, top + height + 16.0, "epoch 1", "small"))
    parts.append(_label(left + width, top + height + 16.0, f"epoch {count}", "small", "end"))
    legend = _wide([f"{name}  {note}" for name, _, note in found]) + 44.0
    bottom = max(top + height + 30.0, top + 20.0 + 18.0 * len(found))
    return _svg(left + width + legend + MARGIN, bottom, title, parts)


def _polylines(points: Sequence[tuple[float, float]], at, kind: str) -> list[str]:  # type: ignore[no-untyped-def]
    """Return the pieces of a line between numbers that are not finite; a dot for one alone."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if isfinite(y):
            pieces[-1].append(at(x, y))
        elif pieces[-1]:
            pieces.append([])
    parts = []
    for piece in filter(None, pieces):
        if len(piece) == 1:
            parts.append(
                f'<circle class="{kind} dot" cx="{piece[0][0]:.1f}" cy="{piece[0][1]:.1f}" r="3"/>'
            )
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in piece)
        parts.append(f'<polyline class="{kind} curve" points="{drawn}"/>')
    return parts
