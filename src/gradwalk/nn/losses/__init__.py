"""Losses: functions of any carrier, and modules around them.

Its modules may be imported from here by those above them.
"""
