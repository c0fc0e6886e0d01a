"""Measurements of gradwalk's bars: ``python -m benchmarks`` prints the table."""
