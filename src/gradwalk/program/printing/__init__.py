"""Programs in other languages: the table, printed as C and as TypeScript.

Its modules may be imported from here by those above them.
"""
