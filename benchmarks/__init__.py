"""The bars of gradwalk, measured: ``python -m benchmarks`` prints the table."""
