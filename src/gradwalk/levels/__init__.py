"""Levels: active transforms, and the tracers that they pass through a function.

What may be imported from here: `level`, and the levels `vjp`, `jvp`, `vmap` and `taylor`.
"""
