"""The training page's server side: runs that can be watched and changed between updates.

`run` trains, and its results depend on the configuration alone. `frames` and `flow` describe a run,
`sessions` keeps it while a connection is away, and `channel` exchanges messages with the page.
``web/src/training/run/protocol.ts`` documents the messages.
What may be imported from here: `channel`, `run`, `sessions`.
"""
