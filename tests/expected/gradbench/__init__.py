"""The evals of GradBench from their definitions, in 50 digits.

Nothing here uses gradwalk: every derivative is a closed form or a central difference, whose error
is 1e-30 here. `tests/expected/make_gradbench.py` writes the numbers into a file.
"""
