"""What a function reads beside its arguments: found before it is recorded, checked at each call.

Its modules may be imported from here by those above them.
"""
