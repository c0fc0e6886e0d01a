"""Derivatives of sparse functions: patterns, colourings, and as many sweeps as colours."""
