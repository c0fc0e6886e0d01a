"""Checkpoints: all that a training needs to go on where it was, in one file.

Arrays are arrays of the safetensors format, and everything else is text in its header. Nothing is
ever unpickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from ..errors import DataError
from ..nn import Module
from ..nn.serialization import load, load_metadata, save

__all__ = ["generators", "read_checkpoint", "restore_generators", "write_checkpoint"]

FORMAT = "gradwalk training 1"


def write_checkpoint(path: Any, contents: Mapping[str, Any]) -> None:
    """Write nested dicts and lists of numbers, texts and arrays to a file, atomically."""
    arrays: dict[str, Any] = {}
    text = json.dumps(_without_arrays(contents, "", arrays), default=float)
    save(arrays, path, {"format": FORMAT, "contents": text})


def read_checkpoint(path: Any) -> Any:
    """What `write_checkpoint` wrote, with lists in the place of tuples.

    A file of another kind is a `DataError`.
    """
    metadata = load_metadata(path)
    if metadata.get("format") != FORMAT or "contents" not in metadata:
        raise DataError(
            where=str(path),
            expected="a checkpoint of a training",
            got="a safetensors file of another kind",
            fix="Pass the file that fit(checkpoint=...) has written.",
        )
    return _with_arrays(json.loads(metadata["contents"]), load(path))


def _without_arrays(tree: Any, name: str, arrays: dict[str, Any]) -> Any:
    if isinstance(tree, np.ndarray):
        arrays[name] = tree
        return {"array": name}
    if isinstance(tree, Mapping):
        prefix = f"{name}." if name else ""
        return {key: _without_arrays(part, f"{prefix}{key}", arrays) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)) and not all(type(x) in (float, int) for x in tree):
        return [_without_arrays(part, f"{name}.{i}", arrays) for i, part in enumerate(tree)]
    return tree


def _with_arrays(tree: Any, arrays: Mapping[str, Any]) -> Any:
    if isinstance(tree, dict):
        if tree.keys() == {"array"} and isinstance(tree["array"], str):
            return np.asarray(arrays[tree["array"]])
        return {key: _with_arrays(part, arrays) for key, part in tree.items()}
    if isinstance(tree, list) and not all(type(x) in (float, int) for x in tree):
        return [_with_arrays(part, arrays) for part in tree]
    return tree


# --- what modules draw from -----------------------------------------------------------------------


def generators(model: Module) -> dict[str, Any]:
    """The state of every generator that is an attribute of a module, such as Dropout's."""
    return {name: _state(generator) for name, generator in _found(model).items()}


def restore_generators(model: Module, states: Mapping[str, Any]) -> None:
    """Set the generators to what `generators` gave; those that were not there stay as they are."""
    found = _found(model)
    for name in found.keys() & states.keys():
        generator = found[name]
        if isinstance(generator, Random):
            version, numbers, spare = states[name]
            generator.setstate((version, tuple(numbers), spare))
        else:
            generator.bit_generator.state = states[name]


def _found(model: Module) -> dict[str, Any]:
    return {
        f"{name}.{attribute}": thing
        for name, module in model.named_modules()
        for attribute, thing in vars(module).items()
        if isinstance(thing, (Random, np.random.Generator))
    }


def _state(generator: Any) -> Any:
    return generator.getstate() if isinstance(generator, Random) else generator.bit_generator.state
