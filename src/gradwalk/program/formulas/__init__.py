"""Readable formulas of local derivatives, derived from the rules.

Its modules may be imported from here by those above them.
"""
