"""Modules: what they own, how they are saved, printed, held in others and seen by transforms.

Its modules may be imported from here by those above them.
"""
