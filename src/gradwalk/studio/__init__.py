"""The page on which a graph is walked: the studio, the notebook widget, the offline file.

What may be imported from here: `explore.explore`, `launch`, `offline`, `document`.
"""
