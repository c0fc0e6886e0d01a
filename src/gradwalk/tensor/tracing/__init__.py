"""The array half of `levels`: tracers that are arrays, batches of them, their series.

What may be imported from here: `tracers`, `batching`, `array_series`.
"""
