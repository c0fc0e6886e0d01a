"""What runs a recorded program: the specification in Python, and plans for the native machine.

Its modules may be imported from here by those above them.
"""
