"""Layers of signals and images: convolution, pooling, patches, other sizes.

Its modules may be imported from here by those above them.
"""
