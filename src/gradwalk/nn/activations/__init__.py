"""Activations: by name, as functions and as modules.

Its modules may be imported from here by those above them.
"""
