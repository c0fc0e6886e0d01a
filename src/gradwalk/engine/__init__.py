"""Scalars: the graph of `Value`, its passes, and both engines.

What may be imported from here: `functions`, `node`, `operators`, `reverse`, `forward`, `scalar`,
`value`; `pure` is the Python engine.
"""
