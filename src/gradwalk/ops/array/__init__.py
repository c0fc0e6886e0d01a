"""THE TABLE of arrays: the rows that act on whole arrays, and their names.

Loaded with the first `Tensor`, for its rows are evaluated by NumPy.
"""
