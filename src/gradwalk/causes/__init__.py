"""What errors say of a program: where its graph was cut, freed, overwritten or left behind.

Only modules of this room may be imported from here: it has no names of its own.
"""
