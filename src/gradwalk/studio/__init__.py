"""The page that steps through a graph: as a server, a notebook widget, and an offline file.

What may be imported from here: `explore.explore`, `launch`, `offline`, `document`.
"""
