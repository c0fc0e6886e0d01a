"""Derivatives of sparse functions: patterns, colourings, and as many passes as colours.

What may be imported from here: `derivatives`, `patterns`, `colouring`.
"""
