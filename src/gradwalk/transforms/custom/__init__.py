"""Derivatives that are given: custom rules, and the implicit function theorem.

What may be imported from here: `rules`, `implicit`, `blackbox`, `comparison`, `linear_maps`.
"""
