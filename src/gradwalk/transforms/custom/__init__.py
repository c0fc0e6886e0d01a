"""Derivatives that are given: custom rules, and the implicit function theorem."""
