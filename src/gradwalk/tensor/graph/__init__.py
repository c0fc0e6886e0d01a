"""`Tensor`, the node that records how it was computed, and the passes over its graph.

What may be imported from here: every module; `tensor` has the class.
"""
