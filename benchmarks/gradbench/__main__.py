"""``python -m benchmarks.gradbench``: answer GradBench's messages until they end."""

from __future__ import annotations

import os
import sys

# One thread, as GradBench asks for; it has to be said before NumPy is imported.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from .protocol import serve  # noqa: E402


def main() -> None:
    """Answer standard input on standard output. What programs print goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        serve(sys.stdin, out)
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()  # the eval has gone: there is nobody to tell


if __name__ == "__main__":
    main()
