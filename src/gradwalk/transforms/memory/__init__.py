"""Derivatives in little memory: what is computed again instead of kept."""
