"""Faster ways to run what the table says: without this package the numbers are the same.

What may be imported from here: `accumulate`, `chains`, `choices`, `fused`, `hessian_vector`.
"""
