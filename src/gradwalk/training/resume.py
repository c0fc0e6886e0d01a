"""Checkpoints: the complete state of a training in one file.

Arrays are arrays of the safetensors format, and everything else is text in its header. Nothing is
unpickled, so that loading runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any, TypeAlias

import numpy as np

from ..core.files import PathLike
from ..errors import DataError, GradwalkError
from ..nn import Module
from ..nn.serialization import read_state, save

__all__ = ["damage_of", "generators", "read_checkpoint", "restore_generators", "write_checkpoint"]

FORMAT = "gradwalk training 1"

State: TypeAlias = Any
"""Nested dicts and lists of numbers, texts and arrays."""


def write_checkpoint(path: PathLike, contents: Mapping[str, State]) -> None:
    """Write nested dicts and lists of numbers, texts and arrays to a file, atomically."""
    arrays: dict[str, Any] = {}
    text = json.dumps(_without_arrays(contents, "", arrays), default=float)
    save(arrays, path, {"format": FORMAT, "contents": text})


def read_checkpoint(path: PathLike) -> State:
    """Return what `write_checkpoint` wrote, with lists instead of tuples.

    Raise `DataError` for a file that is damaged or of another kind.
    """
    arrays, metadata = read_state(path, sealed=FORMAT)
    if metadata.get("format") != FORMAT or "contents" not in metadata:
        raise DataError(
            where=str(path),
            expected="a checkpoint of a training",
            got="a safetensors file of another kind",
            fix="Pass the file that fit(checkpoint=...) has written.",
        )
    with damage_of(path):
        return _with_arrays(json.loads(metadata["contents"]), arrays)


@contextmanager
def damage_of(path: PathLike) -> Iterator[None]:
    """Turn what Python raises for unsuitable contents into the error that names the file."""
    try:
        yield
    except GradwalkError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as e:
        raise DataError(
            where=str(path),
            expected="the complete state of a training",
            got=f"other contents ({e!r})",
            fix="Pass resume=False to train from the start, or restore a copy of the file.",
        ) from e


def _without_arrays(tree: State, name: str, arrays: dict[str, Any]) -> State:
    if isinstance(tree, np.ndarray):
        arrays[name] = tree
        return {"array": name}
    if isinstance(tree, Mapping):
        prefix = f"{name}." if name else ""
        return {key: _without_arrays(part, f"{prefix}{key}", arrays) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)) and not all(type(x) in (float, int) for x in tree):
        return [_without_arrays(part, f"{name}.{i}", arrays) for i, part in enumerate(tree)]
    return tree


def _with_arrays(tree: State, arrays: Mapping[str, Any]) -> State:
    if isinstance(tree, dict):
        if tree.keys() == {"array"} and isinstance(tree["array"], str):
            return np.asarray(arrays[tree["array"]])
        return {key: _with_arrays(part, arrays) for key, part in tree.items()}
    if isinstance(tree, list) and not all(type(x) in (float, int) for x in tree):
        return [_with_arrays(part, arrays) for part in tree]
    return tree


# --- generators of modules ------------------------------------------------------------------------

Generator: TypeAlias = Random | np.random.Generator


def generators(model: Module) -> dict[str, Any]:
    """Return the state of every generator that is an attribute of a module, such as Dropout's."""
    return {name: _state(generator) for name, generator in _generators_in(model).items()}


def restore_generators(model: Module, states: Mapping[str, Any]) -> None:
    """Restore the states that `generators` returned; generators without a state do not change."""
    present = _generators_in(model)
    for name in present.keys() & states.keys():
        generator = present[name]
        if isinstance(generator, Random):
            version, numbers, spare = states[name]
            generator.setstate((version, tuple(numbers), spare))
        else:
            generator.bit_generator.state = states[name]


def _generators_in(model: Module) -> dict[str, Generator]:
    return {
        f"{name}.{attribute}": thing
        for name, module in model.named_modules()
        for attribute, thing in vars(module).items()
        if isinstance(thing, (Random, np.random.Generator))
    }


def _state(generator: Generator) -> State:
    return generator.getstate() if isinstance(generator, Random) else generator.bit_generator.state
