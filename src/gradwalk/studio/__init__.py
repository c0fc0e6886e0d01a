"""The walk that can be seen: the studio, the notebook widget, the offline file."""
