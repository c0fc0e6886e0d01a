"""From a recorded program to a file: loops, memory, and the text in C or JavaScript.

What may be imported from here: `text`, `flat`.
"""
