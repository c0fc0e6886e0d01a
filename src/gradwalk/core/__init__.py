"""What a primitive, a carrier and an error message are; nothing here loads NumPy.

What may be imported from here: `carrier`, `expect`, `ieee`, `leaked`, `primitive`,
`array_primitive`, `pytree`, `seeds`.
"""
