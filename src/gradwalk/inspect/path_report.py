"""The paths of a gradient as a report: their contributions, names and slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .charts import Bar, bars
from .draw import Drawing
from .report import Report

__all__ = ["Path", "Paths", "number_text", "size_of"]

WIDTH = 8  # nodes of a path that are shown


class Path:
    """One path, or several alike: its contribution, the nodes from the leaf on, the slopes."""

    contribution: Any
    names: tuple[str, ...]
    slopes: tuple[float, ...]
    times: int

    def __init__(
        self, contribution: Any, names: Sequence[str], slopes: Sequence[float] = (), times: int = 1
    ) -> None:
        self.contribution, self.names, self.times = contribution, tuple(names), times
        self.slopes = tuple(slopes)

    def __repr__(self) -> str:
        names = self.names
        if len(names) > WIDTH:
            names = (*names[: WIDTH // 2], f"… {len(names) - WIDTH} more …", *names[-WIDTH // 2 :])
        more = f"   ({self.times} paths)" if self.times > 1 else ""
        return f"{' → '.join(names)}{more}"


class Paths(Report):
    """A gradient as the sum of contributions. ``remainder`` is what the shown ones leave out."""

    gradient: Any
    remainder: Any
    shown: list[Path]

    def __init__(self, title: str, gradient: Any, shown: list[Path], remainder: Any, rest: str):
        self.gradient, self.shown, self.remainder = gradient, shown, remainder
        rows = [(number_text(p.contribution), _with_product(p)) for p in shown]
        super().__init__(title, [*rows, (number_text(remainder), rest)] if rest else rows)

    def __len__(self) -> int:
        return len(self.shown)

    def draw(self) -> Drawing:
        """Draw the contribution of each path as a bar."""
        found = [
            Bar("", _signed(p.contribution), *row)
            for p, row in zip(self.shown, self.rows, strict=False)
        ]
        if len(self.rows) > len(found):
            found.append(Bar("", _signed(self.remainder), *self.rows[-1], kind="rest"))
        return bars(self.title, found)


def _with_product(path: Path) -> str:
    if not path.slopes or path.times > 1 or len(path.slopes) > WIDTH:
        return repr(path)
    return f"{path!r}   ({' × '.join(number_text(s) for s in path.slopes)})"


def number_text(x: Any) -> str:
    """Return a number, or the norm of an array, as text."""
    if not hasattr(x, "dtype"):
        return f"{x:.6g}"
    return f"norm {float((abs(x) ** 2).sum()) ** 0.5:.6g}"


def _signed(x: Any) -> float:
    return size_of(x) if hasattr(x, "dtype") else float(x)


def size_of(x: Any) -> float:
    """Return the absolute value of a number, or the norm of an array."""
    return float((abs(x) ** 2).sum() ** 0.5 if hasattr(x, "dtype") else abs(x))
