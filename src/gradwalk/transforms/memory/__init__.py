"""Derivatives in little memory: values are computed again instead of kept.

What may be imported from here: `checkpoints`, `loops`, `opaque`, `opaque_rows`, `columns`.
"""
