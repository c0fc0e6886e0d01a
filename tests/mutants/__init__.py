"""Mistakes put into the source on purpose, each of which the tests of ``make test`` must notice.

Each entry of the TOML files here is one: in ``file`` (below ``src/gradwalk``) the one occurrence of
``text`` is replaced by ``into``, and one of ``tests`` (below ``tests``) has to fail. ``why`` says
what the mistake is. An entry with ``equivalent`` changes nothing that can be observed, and says why.
``engine = "python"`` runs the tests on that engine. Files in C are compiled for the mutant.
"""
