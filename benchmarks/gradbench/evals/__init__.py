"""The programs of the evals: one module each, with its functions in ``FUNCTIONS``.

A function takes the input of a message and returns a `benchmarks.gradbench.runs.Job`: preparation
(arrays from lists) is outside of the clock, as for the other tools of GradBench.
"""

NAMES = (
    *("hello", "det", "gmm", "ba", "ht", "kmeans"),
    *("llsq", "lse", "lstm", "ode", "particle", "saddle"),
)
