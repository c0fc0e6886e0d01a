"""The folder of each node: the path of its layer in a model, such as ``layers.0``.

A graph does not record which layer created a node, so folders are derived from the names of the
parameters. ``layers.0.weights.7`` belongs to ``layers.0``, and so does the operation that uses it.
Other operations stay in the layer of their operands if they lead to another layer, or only sum or
activate the results of the layer. So an activation belongs to its layer, and the loss to none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["folder", "folders"]

PATH = re.compile(r"(\w+(?:\.\w+)*)\.[^\W\d]\w*(?:\.\d+)*")


INDEX = re.compile(r"""\[(?:(\d+)|'([\w.]+)'|"([\w.]+)")\]""")


def folder(name: str, variable: bool = False) -> str:
    """Return the part of a model that a parameter belongs to, ``""`` if its name is not a path.

    >>> folder("layers.0.weights.7"), folder("l0.n3.w7"), folder("layers.2.weight"), folder("w")
    ('layers.0', 'l0.n3', 'layers.2', '')

    Python expressions are paths too. Without ``variable`` their first name is left out.

    >>> folder("net.layers[0].neurons[3].w[7]"), folder("parameters['block0.wq'][1][2]")
    ('layers.0.neurons.3', 'block0')
    """
    first, _, rest = INDEX.sub(r".\1\2\3", name).partition(".")
    path = PATH.fullmatch(name if "[" not in name else rest)
    return f"{first}." * ("[" in name and variable) + path[1] if path else ""


def folders(
    names: Sequence[str],
    inputs: Sequence[Sequence[int]],
    constants: Sequence[bool],
    shapes: Sequence[object] | None = None,
) -> list[str]:
    """Return the folder of every node, operands first, ``""`` for nodes without one.

    ``shapes`` of arrays tell activations, which keep the shape, from losses, which change it.
    """
    leaves = [
        "" if i or constant else name
        for name, i, constant in zip(names, inputs, constants, strict=True)
    ]
    variables = {name.partition("[")[0].partition(".")[0] for name in leaves if folder(name)}
    known = {name: folder(name, len(variables) > 1) for name in {*leaves}}
    found = [known[name] for name in leaves]
    if not any(found):
        return found
    cores = [_joint(dict.fromkeys(found[j] for j in i if found[j])) for i in inputs]
    ahead = _ahead(inputs, cores)
    first: dict[str, int] = {}
    for i, operands in enumerate(inputs):
        if operands:
            theirs = [found[j] for j in operands]
            bends = shapes is None or all(shapes[j] == shapes[i] for j in operands if found[j])
            found[i] = cores[i] or _inherited(theirs, ahead[i], first, bends)
            first.setdefault(found[i], i)
    return found


def _ahead(inputs: Sequence[Sequence[int]], cores: list[str]) -> list[tuple[str, ...]]:
    """Return two of the folders that each node leads to. One of the two is not its own."""
    ahead: list[tuple[str, ...]] = [()] * len(inputs)
    for i in reversed(range(len(inputs))):
        leads = (cores[i], *ahead[i]) if cores[i] else ahead[i]
        for j in inputs[i] if leads else ():
            if ahead[j] != leads and len(ahead[j]) < 2:
                ahead[j] = tuple(dict.fromkeys((*ahead[j], *leads)))[:2]
    return ahead


def _inherited(
    theirs: list[str], ahead: tuple[str, ...], first: dict[str, int], bends: bool
) -> str:
    """Return the folder of an operation without parameters, from its operands."""
    given = [name for name in theirs if name]
    if not given:
        return ""
    distinct = dict.fromkeys(given)
    mine = _joint(distinct) or max(distinct, key=first.__getitem__)
    stays = bends and len(distinct) == 1 and len(given) == len(theirs)
    return mine if stays or any(name != mine for name in ahead) else ""


def _joint(names: Iterable[str]) -> str:
    """Return the innermost folder that contains all of these."""
    paths = [name.split(".") for name in names]
    if len(paths) < 2:
        return ".".join(paths[0]) if paths else ""
    shared = []
    for parts in zip(*paths, strict=False):  # the shortest path limits the common part
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    if shared and not any(shared[-1] == p[-1] for p in paths) and shared[-1].isalpha():
        shared.pop()  # "layers", of layers.0 and layers.1: everything
    return ".".join(shared)
