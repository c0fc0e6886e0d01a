"""How fast something decays: a curve through counts, and how sure its numbers are.

python examples/decay.py
"""

import numpy as np

from gradwalk import curve_fit, exp, log, minimize

# Counts per minute of a source that decays with a mean life of 12 minutes, and a background.
rng = np.random.default_rng(5)
minutes = np.arange(0.0, 60.0, 2.0)
counts = rng.poisson(400.0 * np.exp(-minutes / 12.0) + 20.0).astype(float)


# Least squares: a count scatters by its root. The answer comes with its uncertainties.
def expected(t, start, life, background):
    """The counts that a source and a background should give."""
    return start * exp(-t / life) + background


sigma = np.sqrt(np.maximum(counts, 1.0))
print(curve_fit(expected, minutes, counts, [300.0, 10.0, 10.0], sigma=sigma, absolute_sigma=True))


# Maximum likelihood: the same parameters under their names, and any function of them.
def surprise(p):
    """How unlikely the counts are, up to a constant."""
    mean = expected(minutes, p["start"], p["life"], p["background"])
    return (mean - counts * log(mean)).sum()


print()
guess = {"start": 300.0, "life": 10.0, "background": 10.0}
print(minimize(surprise, guess, bounds=(1e-3, None), tolerance=1e-10))
