"""Transforms that are running, and the tracers that they send through a function.

What may be imported from here: `level`, and the levels `vjp`, `jvp`, `vmap` and `taylor`.
"""
