"""SVG drawing for the pages of transforms: lines, arrows, panels with axes, grids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import hypot
from typing import Any

from gradwalk.inspect.style import FONT

__all__ = ["Panel", "Picture"]

Point = tuple[float, float]

LIGHT = {"paper": "#ffffff", "ink": "#0f172a", "faint": "#64748b", "pale": "#cbd5e1"}
LIGHT |= {"blue": "#2563eb", "orange": "#d9680a", "violet": "#7c3aed", "green": "#047857"}
DARK = {"paper": "#0f1720", "ink": "#f1f5f9", "faint": "#94a3b8", "pale": "#3b4a5e"}
DARK |= {"blue": "#5b9df9", "orange": "#f59e42", "violet": "#a78bfa", "green": "#34d399"}

RULES = f"""text {{ font: 13px {FONT}; fill: currentColor }}
.bold {{ font-weight: 700 }} .small {{ font-size: 11px }}
.line {{ fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round }}
.thin {{ stroke-width: 1 }} .dashed {{ stroke-dasharray: 5 4 }}
.mark {{ fill: currentColor }} .shade {{ fill: currentColor; fill-opacity: .18 }}
.empty {{ fill: none; stroke: currentColor; stroke-width: 1.5 }}"""


def _colors(palette: dict[str, str]) -> str:
    return " ".join(f".{name} {{ color: {color} }}" for name, color in palette.items())


STYLE = f"{RULES}\n{_colors(LIGHT)}\n@media (prefers-color-scheme: dark) {{ {_colors(DARK)} }}"


def number(x: float) -> str:
    """Return a coordinate as text, rounded to a tenth of a pixel."""
    text = f"{x:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def path_of(points: Iterable[Point]) -> str:
    """Return a polyline as the data of an SVG path."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


class Picture:
    """A picture of ``width`` times ``height`` pixels; y grows downwards."""

    def __init__(self, title: str, width: float = 640, height: float = 300) -> None:
        self.title, self.width, self.height = title, width, height
        self.parts: list[str] = []

    def __str__(self) -> str:
        size = f'width="{self.width}" height="{self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} '
        head += f'viewBox="0 0 {self.width} {self.height}">'
        paper = f'<rect class="paper mark" {size} rx="8"/>'
        title, style = f"<title>{escaped(self.title)}</title>", f"<style>\n{STYLE}\n</style>"
        return "\n".join([head, title, style, paper, *self.parts, "</svg>", ""])

    def path(self, d: str, look: str) -> None:
        """Draw a path from its data."""
        self.parts.append(f'<path class="{look}" d="{d}"/>')

    def line(self, points: Iterable[Point], look: str) -> None:
        """Draw a line through points; ``look`` is a colour, and thin, dashed, ..."""
        self.path(path_of(points), f"line {look}")

    def area(self, points: Iterable[Point], look: str) -> None:
        """Fill the area that a line encloses."""
        self.path(path_of(points) + "Z", look)

    def arrow(self, start: Point, end: Point, look: str) -> None:
        """Draw an arrow; a short one has a small head."""
        (x, y), (u, v) = start, end
        length = hypot(u - x, v - y)
        if length < 1.0:
            return
        head = min(9.0, 0.6 * length)
        a, b = (u - x) / length, (v - y) / length
        p, q = u - head * a, v - head * b
        w = 0.42 * head
        self.line([start, (p, q)], look)
        self.area([end, (p - w * b, q + w * a), (p + w * b, q - w * a)], f"mark {look.split()[0]}")

    def dot(self, at: Point, color: str, radius: float = 4.0, look: str = "mark") -> None:
        """Draw a filled circle."""
        x, y, r = map(number, (*at, radius))
        self.parts.append(f'<circle class="{look} {color}" cx="{x}" cy="{y}" r="{r}"/>')

    def text(self, at: Point, words: str, look: str = "ink", anchor: str = "start") -> None:
        """Write words whose baseline starts, ends, or has its middle at a point."""
        x, y = map(number, at)
        place = f'x="{x}" y="{y}"' + f' text-anchor="{anchor}"' * (anchor != "start")
        self.parts.append(f'<text class="{look}" {place}>{escaped(words)}</text>')

    def box(self, at: Point, size: Point, look: str, words: str = "", text: str = "ink") -> None:
        """Draw a rectangle with words in its middle."""
        (x, y), (w, h) = at, size
        place = " ".join(
            f'{k}="{number(v)}"' for k, v in zip(("x", "y", "width", "height"), (x, y, w, h),
                                                 strict=True)
        )  # fmt: skip
        self.parts.append(f'<rect class="{look}" {place} rx="4"/>')
        if words:
            self.text((x + w / 2, y + h / 2 + 4.5), words, text, "middle")

    def grid(
        self,
        at: Point,
        rows: Sequence[Sequence[Any]],
        cell: Point,
        look: Callable[[int, int], str] = lambda i, j: "empty pale",
        words: Callable[[Any], str] = "{:g}".format,
    ) -> None:
        """Draw a matrix of cells."""
        (x, y), (w, h) = at, cell
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                place = (x + j * w + 1, y + i * h + 1)
                self.box(place, (w - 2, h - 2), look(i, j), words(value))


class Panel:
    """A rectangle of a picture with axes: ranges of x and y, whose y grows upwards."""

    def __init__(
        self, picture: Picture, at: Point, size: Point, xs: Point, ys: Point, name: str = ""
    ) -> None:
        self.picture, self.origin, self.size, self.xs, self.ys = picture, at, size, xs, ys
        (x, y), (w, _) = at, size
        picture.box(at, size, "empty pale")
        if name:
            picture.text((x + w / 2, y - 9), name, "faint", "middle")

    def at(self, x: float, y: float) -> Point:
        """Return the position in the picture of a point of the panel."""
        (left, top), (w, h) = self.origin, self.size
        (x0, x1), (y0, y1) = self.xs, self.ys
        return left + w * (x - x0) / (x1 - x0), top + h * (1.0 - (y - y0) / (y1 - y0))

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point is inside."""
        return self.xs[0] <= x <= self.xs[1] and self.ys[0] <= y <= self.ys[1]

    def ticks(self, xs: Sequence[float] = (), ys: Sequence[float] = (), words: Any = None) -> None:
        """Write numbers on the axes."""
        words = words or "{:g}".format
        for x in xs:
            u, v = self.at(x, self.ys[0])
            self.picture.line([(u, v), (u, v - 4)], "faint thin")
            self.picture.text((u, v + 15), words(x), "faint small", "middle")
        for y in ys:
            u, v = self.at(self.xs[0], y)
            self.picture.line([(u, v), (u + 4, v)], "faint thin")
            self.picture.text((u - 6, v + 4), words(y), "faint small", "end")

    def zero(self) -> None:
        """Draw the line y = 0."""
        self.line([(self.xs[0], 0.0), (self.xs[1], 0.0)], "pale thin")

    def line(self, points: Iterable[Point], look: str) -> None:
        """Draw a line through those points of the panel that are inside."""
        run: list[Point] = []
        for x, y in points:
            if self.holds(x, y):
                run.append(self.at(x, y))
            elif run:
                self.picture.line(run, look)
                run = []
        if run:
            self.picture.line(run, look)

    def curve(self, f: Callable[[float], float], look: str, between: Any = None) -> None:
        """Draw the graph of a function."""
        x0, x1 = between or self.xs
        steps = [x0 + (x1 - x0) * i / 120 for i in range(121)]
        self.line([(x, f(x)) for x in steps], look)

    def arrow(self, start: Point, by: Point, look: str) -> None:
        """Draw a vector as an arrow from a point."""
        end = (start[0] + by[0], start[1] + by[1])
        self.picture.arrow(self.at(*start), self.at(*end), look)

    def dot(self, x: float, y: float, color: str, radius: float = 4.0, look: str = "mark") -> None:
        """Draw a point."""
        self.picture.dot(self.at(x, y), color, radius, look)

    def text(
        self, x: float, y: float, words: str, look: str = "ink", anchor: str = "start",
        by: Point = (0.0, 0.0),
    ) -> None:  # fmt: skip
        """Write words near a point, ``by`` pixels away from it."""
        u, v = self.at(x, y)
        self.picture.text((u + by[0], v + by[1]), words, look, anchor)

    def tangent(self, x: float, y: float, slope: float, width: float, look: str) -> None:
        """Draw a piece of a line with a slope, ``width`` to either side."""
        ends = [(x + s * width, y + s * width * slope) for s in (-1.0, 1.0)]
        self.picture.line([self.at(*end) for end in ends], look)

    def contours(
        self, f: Callable[[float, float], float], levels: Iterable[float], look: str, n: int = 44
    ) -> None:
        """Draw lines on which a function is constant, by marching squares."""
        xs, ys = ([a + (b - a) * i / n for i in range(n + 1)] for a, b in (self.xs, self.ys))
        heights = [[f(x, y) for y in ys] for x in xs]
        for level in levels:
            pieces = [
                piece
                for i in range(n)
                for j in range(n)
                for piece in _crossing(xs[i : i + 2], ys[j : j + 2], heights, i, j, level)
            ]
            self.picture.path(
                "".join(path_of(self.at(*p) for p in piece) for piece in pieces), look
            )


CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


def _crossing(
    xs: Sequence[float], ys: Sequence[float], heights: Any, i: int, j: int, level: float
) -> list[list[Point]]:
    """Return the lines on which a level crosses a square: none, one, or two."""
    ends: list[Point] = []
    for (a, b), (c, d) in zip(CORNERS, (*CORNERS[1:], CORNERS[0]), strict=True):
        h, k = heights[i + a][j + b] - level, heights[i + c][j + d] - level
        if (h < 0.0) != (k < 0.0):
            s = h / (h - k)
            ends.append((xs[a] + s * (xs[c] - xs[a]), ys[b] + s * (ys[d] - ys[b])))
    return [ends[k : k + 2] for k in range(0, len(ends), 2)]


def escaped(words: str) -> str:
    """Return words with the special characters of XML escaped."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
