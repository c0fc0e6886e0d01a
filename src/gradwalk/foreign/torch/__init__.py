"""Programs of PyTorch: recorded as they run, and read as graphs of Tensors.

What follows the package's other modules may be imported from here: nothing. Each module is imported
where it is used, because all but `table` import PyTorch.
"""

__all__: list[str] = []
