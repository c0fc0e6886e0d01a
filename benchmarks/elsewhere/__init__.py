"""The programs that `benchmarks/places.py` measures: gradwalk's, JAX's and PyTorch's."""
