"""Programs to read and run: start with ``python examples/walk.py``."""
