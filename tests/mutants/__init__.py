"""Mistakes put into the source on purpose, each of which the tests of ``make test`` must notice.

Each entry of the TOML files in this folder is one mutant. ``file`` is below ``src/gradwalk``, and
``text``, which it contains once, becomes ``into``. One of ``tests``, below ``tests``, must fail.
``why`` names the mistake. An entry with ``equivalent`` changes nothing observable, and says why.
``engine = "python"`` runs the tests on that engine. Files in C are compiled for their mutant.
"""
