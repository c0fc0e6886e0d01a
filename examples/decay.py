"""Fit a decay to counts, with the uncertainties of the parameters.

python examples/decay.py
"""

import numpy as np

from gradwalk import curve_fit, exp, log, minimize

# Counts per minute of a source that decays with a mean life of 12 minutes, and a background.
rng = np.random.default_rng(5)
minutes = np.arange(0.0, 60.0, 2.0)
counts = rng.poisson(400.0 * np.exp(-minutes / 12.0) + 20.0).astype(float)


# Least squares: the standard deviation of a count is its square root. The result has uncertainties.
def expected(t, start, life, background):
    """Return the expected counts of a source and a background."""
    return start * exp(-t / life) + background


sigma = np.sqrt(np.maximum(counts, 1.0))
print(curve_fit(expected, minutes, counts, [300.0, 10.0, 10.0], sigma=sigma, absolute_sigma=True))


# Maximum likelihood: minimise any function of the parameters, which have names here.
def surprise(p):
    """Return the negative log-likelihood of the counts, up to a constant."""
    mean = expected(minutes, p["start"], p["life"], p["background"])
    return (mean - counts * log(mean)).sum()


print()
guess = {"start": 300.0, "life": 10.0, "background": 10.0}
print(minimize(surprise, guess, bounds=(1e-3, None), tolerance=1e-10))
