"""What a function computes is written down: the levels, the entries and the questions of a program.

Its modules may be imported from here by those above them.
"""
