"""Draw what each transform computes: ``python docs/pictures_of_transforms.py``.

Every number in the pictures is computed by the transform that it is the picture of. They come out
the same every time, but for what is `MEASURED`, and a test holds them to it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # when it is run as a script

from docs.pictures_of_curvature import CURVATURE
from docs.pictures_of_programs import PROGRAMS
from docs.pictures_of_slopes import SLOPES
from docs.pictures_of_uses import USES
from docs.svg import Picture

__all__ = ["MEASURED", "PICTURES"]

FOLDER = Path(__file__).resolve().parent / "pictures" / "transforms"

PICTURES: dict[str, Callable[[], Picture]] = {
    f"{draw.__name__}.svg": draw for draw in (*SLOPES, *CURVATURE, *PROGRAMS, *USES)
}
"""File name -> the function that draws it."""

MEASURED = ("check_grads.svg", "checkpoint.svg", "minimize.svg")
"""Pictures of roundings, of memory, and of SciPy's ways, which differ from machine to machine."""


def main() -> None:
    """Draw everything."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(str(draw()), "utf-8")
    print(f"written: {len(PICTURES)} pictures in {FOLDER}")


if __name__ == "__main__":
    main()
