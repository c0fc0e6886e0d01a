"""The manual: its pages, and the scripts that make its pictures, its tables and its web site."""
