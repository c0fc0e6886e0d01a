"""The protocols by which NumPy and other array libraries meet Tensors.

What may be imported from here: `protocol.implements`, `exchange`, `namespace`.
"""
