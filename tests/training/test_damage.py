"""Damaged files: always the same network or state, or an error, and nothing has changed."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import struct
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from gradwalk import nn, optim
from gradwalk.core.checksum import KEY, UNCHECKED
from gradwalk.data import DataLoader, moons
from gradwalk.errors import DataError, GradwalkError
from gradwalk.nn.serialization import load, load_metadata, save
from gradwalk.training import Problem, fit, resume
from gradwalk.training import load as load_network
from gradwalk.training import save as save_network

from ..helpers.amount import amount

DATA = moons(12, noise=0.1, seed=0)
X, Y = np.array(DATA.inputs), np.array(DATA.targets, dtype=float)[:, None]


class Training:
    """A network with every kind of state, and the arguments of fit."""

    def __init__(self, seed=0):
        self.model = nn.Sequential(
            nn.Linear(2, 3, seed=seed), nn.BatchNorm1d(3), nn.Dropout(0.5, seed=seed)
        )
        self.model.append(nn.Linear(3, 1, seed=seed + 1))
        self.model[0].coin, self.model[1].rng = random.Random(seed), np.random.default_rng(seed)
        self.optimizer = optim.Adam(self.model.parameters(), lr=0.01 * (seed + 1))
        self.scheduler = optim.StepLR(self.optimizer, 2)
        self.is_unchanged = True
        self.loader = DataLoader((X, Y), 5, shuffle=True, seed=seed)

    def fit(self, path, epochs, **options):
        options |= {"checkpoint": path, "scheduler": self.scheduler, "checkpoint_batches": 2}
        options |= {"restore_best": True, "validation": (X, Y)}
        return fit(self.model, self.loss, self.optimizer, self.loader, epochs=epochs, **options)

    def loss(self, output, target):
        self.is_unchanged = False
        return nn.MSELoss()(output, target)

    def state(self):
        """Return everything that a resumed training sets."""
        parts = self.model, self.optimizer, self.scheduler, self.loader
        groups = [
            {k: v for k, v in g.items() if k != "params"} for g in self.optimizer.param_groups
        ]
        states = [part.state_dict() for part in parts]
        return repr((states, groups, resume.generators(self.model)))


def saved_weights(path):
    save({"w": np.arange(3.0), "b": np.float32(0.5)}, path, {"note": "kept"})
    return lambda: repr((load(path), load_metadata(path).get("note")))


def saved_network(path):
    save_network(path, nn.MLP(2, [2, 1], "relu", seed=1), Problem.of(DATA), {"note": "kept"})

    def read():
        network, problem = load_network(path)
        return repr((network, network.state_dict(), problem))

    return read


def saved_checkpoint(path):
    Training().fit(path, 2)
    return lambda: repr(resume.read_checkpoint(path))


BITS = [1 << bit for bit in range(0, 8, amount(1, 5))]
KINDS = {"weights": saved_weights, "network": saved_network, "checkpoint": saved_checkpoint}


def damaged(data, bits, step=1):
    """Yield copies with one byte changed, and copies cut short."""
    for place in range(0, len(data), step):
        for mask in bits:
            yield data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]
        yield data[:place]


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_byte_or_a_lost_end_is_an_error_or_without_effect(tmp_path, kind):
    path = tmp_path / kind
    read = KINDS[kind](path)
    expected, data = read(), path.read_bytes()
    step = amount(1, 29) if kind == "checkpoint" else 1  # which has two generators of 625 numbers
    refused = 0
    for content in damaged(data, BITS, step):
        path.write_bytes(content)
        try:
            assert read() == expected
        except DataError:
            refused += 1
    # blanks in the header, which JSON does not read, may be others: two or three of each file
    assert refused > (len(BITS) + 1) * (len(data) / step - 8)


def test_a_damaged_checkpoint_changes_nothing(tmp_path):
    path = tmp_path / "run"
    Training().fit(path, 2)
    data, training = path.read_bytes(), Training(1)
    before = training.state()
    for content in damaged(data, [0x11], amount(1, 97)):
        path.write_bytes(content)
        try:
            training.fit(path, 1, resume=True)
        except DataError:
            assert training.state() == before
        else:
            training = Training(1)


# --- files without a checksum ---------------------------------------------------------------------

ODD = [None, True, -1, 0, 1, 2**70, 10**400, 1e400, float("nan"), 0.5, "", "array", [], {}, [[]]]
ODD += [{"array": "b"}, {"array": "no"}, [0.5, "x"], {"w": 1.0}, [{}], "x" * 99]


def members(tree):
    """Return keys and parts of a dict or a list."""
    return tree.items() if isinstance(tree, dict) else enumerate(tree)


def places(tree, path=()):
    """Yield the path of every part of a tree."""
    yield path
    for key, part in members(tree) if isinstance(tree, (dict, list)) else ():
        yield from places(part, (*path, key))


def changed(tree, rng):
    """Return a copy of a tree with one part replaced, removed, renamed or doubled."""
    tree = copy.deepcopy(tree)
    every = [path for path in places(tree) if path]
    depth = rng.choice(sorted({len(path) for path in every}))
    *path, last = rng.choice([path for path in every if len(path) == depth])
    parent = tree
    for key in path:
        parent = parent[key]
    action = rng.randrange(4)
    if action == 0 and isinstance(parent, dict):
        parent[f"{last}q"] = parent.pop(last)
    elif action == 1:
        del parent[last]
    elif action == 2 and isinstance(parent, list):
        parent.append(parent[last])
    else:
        parent[last] = rng.choice(ODD)
    return tree


def unsealed(path):
    """Return header and data of a file whose checksum is not looked at."""
    data = path.read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:end])
    header["__metadata__"][KEY] = UNCHECKED
    return header, data[end:]


def write_unsealed(path, header, data):
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_without_a_checksum(tmp_path, kind):
    """Only gradwalk writes networks and checkpoints: without a checksum they are damaged."""
    path = tmp_path / kind
    read = KINDS[kind](path)
    expected, data = read(), path.read_bytes()
    edited = re.sub(rb'("gradwalk_crc32": ?)"[^"]*"', rb'\1"unchecked"', data)
    cut = re.sub(rb'"gradwalk_crc32": ?"[^"]*", ?', b"", data)
    if kind != "network":  # whose header is preceded by its length
        header, rest = unsealed(path)
        write_unsealed(path, header, rest)
        edited = path.read_bytes()
        del header["__metadata__"][KEY]
        write_unsealed(path, header, rest)
        cut = path.read_bytes()
    path.write_bytes(edited)
    assert read() == expected
    path.write_bytes(cut)
    assert KEY.encode() not in cut
    if kind == "weights":  # as other programs write them
        assert read() == expected
    else:
        with pytest.raises(DataError, match="gradwalk_crc32"):
            read()


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_in_the_name_of_the_checksum(tmp_path, kind):
    path = tmp_path / kind
    read = KINDS[kind](path)
    data = path.read_bytes()
    start = data.index(KEY.encode())
    for place in range(start - 1, start + len(KEY) + 1):
        for bit in range(8):
            content = bytearray(data)
            content[place] ^= 1 << bit
            path.write_bytes(content)
            with pytest.raises(DataError):
                read()


@pytest.mark.silent("what is read computes, what is refused is a DataError: no other error")
@pytest.mark.parametrize("seed", range(10))
def test_any_contents_of_a_network_are_read_or_refused(tmp_path, seed):
    path, rng = tmp_path / "network", random.Random(seed)
    saved_network(path)
    document = json.loads(path.read_text("utf-8"))
    document[KEY] = UNCHECKED
    for _ in range(amount(1000, 100)):
        path.write_text(json.dumps(changed(document, rng)), "utf-8")
        try:
            network, problem = load_network(path)
        except DataError:
            continue
        problem.answer(network(problem.scaled([0.5, -1.0])))


@pytest.mark.parametrize("seed", range(10))
def test_any_contents_of_a_checkpoint_are_refused_or_train(tmp_path, seed):
    path, rng = tmp_path / "run", random.Random(seed)
    Training().fit(path, 2)
    header, data = unsealed(path)
    contents = json.loads(header["__metadata__"]["contents"])
    training = Training(1)
    before = training.state()
    for _ in range(amount(500, 50)):
        header["__metadata__"]["contents"] = json.dumps(changed(contents, rng))
        write_unsealed(path, header, data)
        try:
            training.fit(path, 3, resume=True, callbacks=lambda history: True)
        except GradwalkError:
            if training.is_unchanged:
                assert training.state() == before
                continue
        training = Training(1)


HEADERS = {
    "deep": b'{"a":' * 100_000,
    "deep metadata": b'{"__metadata__":' + b"[" * 100_000,
    "a huge integer": b'{"a":{"dtype":"F32","shape":[' + b"1" * 5000 + b'],"data_offsets":[0,4]}}',
    "a NaN": b'{"a":{"dtype":"F32","shape":[NaN],"data_offsets":[0,4]}}',
    "a list": b"[]",
    "metadata that is null": b'{"__metadata__":null}',
    "metadata of numbers": b'{"__metadata__":{"gradwalk_crc32":1}}',
    "a checksum of text": b'{"__metadata__":{"gradwalk_crc32":"no"}}',
    "an empty checksum": b'{"__metadata__":{"gradwalk_crc32":""}}',
    "a checksum that is no UTF-8": b'{"__metadata__":{"gradwalk_crc32":"\xff"}}',
    "two metadata": b'{"__metadata__":{"a":"b"},"__metadata__":{"c":"d"}}',
    "two entries of one name": b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
    b'"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}x',
}


@pytest.mark.silent("a header is read, or refused by a DataError: no other error")
@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_malformed_headers_of_other_programs(tmp_path, header):
    path = tmp_path / "weights"
    for end in (b"", b"x" * 4):
        path.write_bytes(struct.pack("<Q", len(header)) + header + end)
        for read in (load, load_metadata, resume.read_checkpoint):
            with suppress(DataError):
                read(path)


def test_line_ends_that_a_tool_has_changed_do_no_harm(tmp_path):
    path = tmp_path / "network"
    read = saved_network(path)
    expected = read()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read() == expected


def test_a_network_of_any_size_is_not_built_before_its_weights_are_counted(tmp_path):
    path = tmp_path / "network"
    saved_network(path)
    document = json.loads(path.read_text("utf-8"))
    document[KEY] = UNCHECKED
    document["model"]["sizes"] = [10**6, 10**6, 1]
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(DataError, match="expected the complete entries of a network"):
        load_network(path)


KILLED = """
import os, signal, sys
from gradwalk.core import files
from tests.training.test_damage import Training

path, replace = sys.argv[1], os.replace

def trained(writes, late):
    out, into = os.pipe()
    if child := os.fork():
        os.close(into)
        with open(out) as stream:
            state = stream.read()
        os.waitpid(child, 0)
        return state

    def killing(*names):
        nonlocal writes
        writes -= 1
        if late:
            replace(*names)
        if writes == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if not late:
            replace(*names)

    files.os.replace = killing
    training = Training()
    training.fit(path, 3, resume=True)
    with open(into, "w") as stream:
        stream.write(training.state())
    os._exit(0)

expected = trained(0, False)
for late in (False, True):
    for writes in range(1, 7):
        os.remove(path)
        assert trained(writes, late) == ""
        assert trained(0, late) == expected != ""
        assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
print(len(expected))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of POSIX systems")
def test_a_training_that_is_killed_at_any_write_goes_on_as_if_it_had_not_been(tmp_path, run_python):
    found = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    assert int(run_python(KILLED, str(tmp_path / "run"), PYTHONPATH=found)) > 1000
