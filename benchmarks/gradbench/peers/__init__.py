"""The programs of the evals in other libraries, to measure beside gradwalk.

A module has ``EVALS``: the name of an eval, and a function of its input that returns two calls,
the function and its derivative. A call returns when its result is there.
"""
