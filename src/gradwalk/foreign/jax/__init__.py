"""Programs of JAX: a jaxpr, evaluated by operations of gradwalk.

What may be imported from here: `adopting`.
"""
