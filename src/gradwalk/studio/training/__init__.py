"""The training room: a run that can be seen and changed between its updates, and its channel.

`run` trains, and what it computes depends on the configuration alone; `frames` and `flow` look at
it; `sessions` keeps it while a connection is away; `channel` speaks with the page. The messages are
described in ``web/src/training/protocol.ts``.
What may be imported from here: `channel`, `run`, `sessions`.
"""
