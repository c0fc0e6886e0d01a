"""The version of this package, in the one place that the build and the program both read."""

__version__ = "1.0.0"
