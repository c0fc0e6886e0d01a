"""A tool for GradBench, the benchmark of automatic differentiation: https://gradben.ch.

``python -m benchmarks.gradbench`` answers the messages of an eval. The programs of the evals are in
`evals`: each is written as a user writes it, and none has an operation of its own in the library.
"""
