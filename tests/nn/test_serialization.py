"""Files of state dicts: what is written is read, a crash leaves the old file, bad ones are told."""

from __future__ import annotations

import builtins
import json
import os
import re
import struct
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwalk import Tensor, Value
from gradwalk.errors import (
    DataError,
    FileError,
    MissingExtraError,
    NotANumberError,
    OptionError,
    StateDictError,
)
from gradwalk.nn import MLP, Linear, Module
from gradwalk.nn.serialization import load, load_file, load_metadata, save, save_file

DTYPES = ["float64", "float32", "float16", "bool"]
DTYPES += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "weights.safetensors"


# --- there and back -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 1, 3)])
def test_arrays_come_back_bit_for_bit(path, dtype, shape):
    array = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    save({"a": array, "b": Tensor(array)}, path)
    for found in load(path).values():
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()


@given(numbers=st.lists(st.floats(width=64)))
def test_every_float_comes_back(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("floats") / "x"
    save({"x": np.array(numbers)}, path)
    assert load(path)["x"].tobytes() == np.array(numbers).tobytes()


@pytest.mark.parametrize(
    "view", [lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], np.asfortranarray]
)
def test_the_order_of_memory_does_not_matter(path, view):
    array = view(np.arange(12.0).reshape(3, 4))
    save({"a": array, "big": array.astype(">f4")}, path)
    np.testing.assert_array_equal(load(path)["a"], array)
    np.testing.assert_array_equal(load(path)["big"], array)


def test_values_and_numbers_are_numbers_of_64_bits(path):
    save({"v": Value(0.1), "f": 0.2, "i": 3, "t": Tensor(0.5, dtype="float32")}, path)
    found = load(path)
    assert found == {"v": 0.1, "f": 0.2, "i": 3, "t": 0.5}
    assert isinstance(found["v"], float), "NumPy's scalars are, so Values load them"
    assert found["t"].dtype == np.float32


def test_modules_of_values_and_of_tensors_come_back(path):
    for make in (lambda s: MLP(2, [3, 1], seed=s), lambda s: Linear(2, 3, seed=s)):
        first, second = make(1), make(2)
        save(first, path)
        second.load_state_dict(load(path))
        assert repr(second.state_dict()) == repr(first.state_dict())


def test_what_is_loaded_may_be_written_into(path):
    save({"a": np.ones(3)}, path)
    found = load(path)["a"]
    found[0] = 2.0
    assert load(path)["a"].tolist() == [1.0, 1.0, 1.0]


def test_text_is_kept_along(path):
    save({"a": 1.0}, path, {"what": "weights", "größe": "2 × 3"})
    assert load_metadata(path) == {"what": "weights", "größe": "2 × 3"}
    save({}, os.fspath(path))
    assert (load(path), load_metadata(os.fspath(path))) == ({}, {})


def test_the_names_of_the_package_safetensors_are_there_too():
    assert (save_file, load_file) == (save, load)


def test_the_package_safetensors_reads_and_writes_the_same(path):
    numpy = pytest.importorskip("safetensors.numpy")
    save({"a": np.eye(2)}, path)
    np.testing.assert_array_equal(numpy.load_file(path)["a"], np.eye(2))
    numpy.save_file({"b": np.arange(3)}, path)
    assert load(path)["b"].tolist() == [0, 1, 2]


# --- hostile files --------------------------------------------------------------------------------


def crafted(header, data=b""):
    text = json.dumps(header).encode() if isinstance(header, dict) else header
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


HOSTILE = {
    "empty": b"",
    "cut in the length": b"\x01\x00",
    "length beyond the file": struct.pack("<Q", 1 << 60) + b"{}",
    "pickle": b"\x80\x04\x95" + b"cos\nsystem\n" * 9,
    "zip": b"PK\x03\x04" * 30,
    "no JSON": crafted(b"{'a'}"),
    "cut in the data": crafted({"a": entry()}, b"x" * 7),
    "data left over": crafted({"a": entry()}, b"x" * 9),
    "overlap": crafted({"a": entry(), "b": entry(offsets=(4, 12))}, b"x" * 12),
    "a hole": crafted({"a": entry(), "b": entry(offsets=(12, 20))}, b"x" * 20),
    "backwards": crafted({"a": entry(offsets=(8, 0))}, b"x" * 8),
    "huge shape": crafted({"a": entry(shape=(1 << 40, 1 << 40))}, b"x" * 8),
    "overflowing shape": crafted({"a": entry(shape=(1 << 62, 4))}, b"x" * 8),
    "negative shape": crafted({"a": entry(shape=(-2,))}, b"x" * 8),
    "unknown dtype": crafted({"a": entry("F33")}, b"x" * 8),
    "metadata that is no text": crafted({"__metadata__": {"a": 3}}),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_bad_file_is_a_clear_error(path, content):
    path.write_bytes(content)
    for read in (load, load_metadata):
        with pytest.raises(DataError, match="expected a complete file in the safetensors format"):
            read(path)


@pytest.mark.parametrize("dtype", ["BF16", "F8_E4M3"])
def test_types_that_numpy_does_not_have_are_named(path, dtype):
    width = 2 if dtype == "BF16" else 1
    path.write_bytes(crafted({"w": entry(dtype, (4,), (0, 4 * width))}, b"x" * 4 * width))
    with pytest.raises(DataError, match=rf"safetensors, w: .*got the type {dtype}, .*float\(\)"):
        load(path)


@given(cut=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_damaged_file_is_read_or_refused_but_nothing_else_happens(tmp_path_factory, cut, byte):
    path = tmp_path_factory.mktemp("damaged") / "x"
    save({"a": np.arange(9.0), "b": np.eye(3, dtype="f4")}, path, {"k": "v"})
    good = path.read_bytes()
    path.write_bytes(good[:cut] + bytes([byte]) + good[cut + 1 :])
    refused, found = None, {}
    try:
        found = load(path)
    except DataError as error:
        refused = error
    assert {array.nbytes for array in found.values()} <= {72, 36}
    assert len(found) == 2 or (refused and re.match(r"[A-Z][a-z]+ ", refused.fix))


def test_what_is_not_there_is_the_usual_error_of_python(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)
    with pytest.raises(FileError, match="no folder/x: expected a writable file"):
        save({"a": 1.0}, tmp_path / "no folder" / "x")


# --- errors of use --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda p: save([1.0], p), StateDictError, r"save\(source\): .*got list \[1.0\]"),
        (lambda p: save({1: 1.0}, p), StateDictError, "a mapping of names to arrays"),
        (lambda p: save({"__metadata__": 1.0}, p), StateDictError, "names to arrays"),
        (
            lambda p: save({"a": "text"}, p),
            NotANumberError,
            r"save\(source\['a'\]\): expected real numbers",
        ),
        (lambda p: save({"a": {"b": 1.0}}, p), NotANumberError, r"save\(source\['a'\]\)"),
        (lambda p: save({"a": 1j}, p), NotANumberError, "complex"),
        (lambda p: save({"a": 1.0}, p, {"b": 1}), StateDictError, "text to text"),
        (lambda p: save({"a": 1.0}, p, "text"), StateDictError, r"save\(metadata=...\)"),
    ],
)
def test_errors_say_what_is_wrong_and_write_nothing(path, make, error, message):
    with pytest.raises(error, match=message):
        make(path)
    assert os.listdir(path.parent) == []


@pytest.mark.skipif(np.longdouble(0).itemsize == 8, reason="no wider floats here")
def test_wider_floats_than_the_format_has_are_refused(path):
    with pytest.raises(StateDictError, match="at most 64 bits, got dtype"):
        save({"a": np.longdouble(1.0)}, path)


def test_without_the_package_the_extra_is_named(path, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **options):
        if name.startswith("safetensors"):
            raise ImportError("No module named 'safetensors'")
        return real(name, *args, **options)

    for name in [name for name in sys.modules if name.startswith("safetensors")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(builtins, "__import__", without)
    save({"a": 1.0}, path)
    with pytest.raises(MissingExtraError, match=r'pip install "gradwalk\[safetensors\]"'):
        load(path)


class Line(Module):
    def __init__(self, slope):
        self.slope, self.offsets = Value(slope), Tensor([slope], requires_grad=True)


def test_a_module_of_both_kinds_comes_back(path):
    save(Line(2.0), path)
    line = Line(0.0)
    line.load_state_dict(load(path))
    assert (line.slope.data, line.offsets.tolist()) == (2.0, [2.0])


@pytest.mark.parametrize("name", ["m.pt", "m.PTH", "m.npz", "m.h5", "m.pkl"])
def test_names_of_other_formats_are_refused(tmp_path, name):
    with pytest.raises(
        OptionError, match=r"save\(path\): .* Write save\(model, \"m.safetensors\"\)"
    ):
        save({"w": np.ones(2)}, tmp_path / name)
    assert not list(tmp_path.iterdir())
