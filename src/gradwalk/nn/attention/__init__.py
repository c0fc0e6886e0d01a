"""Attention: scaled products, several heads, the layers of the Transformer.

Its modules may be imported from here by those above them.
"""
