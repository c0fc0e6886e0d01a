"""Derivatives in little memory: values are computed again instead of kept.

What may be imported from here: `checkpoints`, `loops`, `columns`, `multi_output`,
`multi_output_primitives`.
"""
