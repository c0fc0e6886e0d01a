"""Draw what each transform computes: ``python docs/pictures_of_transforms.py``.

The transform that a picture shows computes every number in it. The pictures are the same every
time, except for those in `MEASURED`, and a test checks that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a script finds only its folder

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
"""Pictures of rounding errors, of memory, and of SciPy's paths, which depend on the machine."""


def main() -> None:
    """Draw all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(str(draw()), "utf-8")
    print(f"written: {len(PICTURES)} pictures in {FOLDER}")


if __name__ == "__main__":
    main()
