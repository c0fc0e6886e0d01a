"""Programs of PyTorch and JAX as graphs of gradwalk, with the numbers of their own run.

A framework is imported only when one of its programs is adopted.

What may be imported from here: `adopting`, `adoption`, `agreement`, `twins`, and for the packages
of the frameworks `places`, `moves`, `opaque`, `dialects`, `values`.
"""
