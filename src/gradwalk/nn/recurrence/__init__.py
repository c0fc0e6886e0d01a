"""Recurrent networks: cells, and layers that run them over a sequence.

Its modules may be imported from here by those above them.
"""
