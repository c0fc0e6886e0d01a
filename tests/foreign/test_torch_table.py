"""How many of PyTorch's operations the table has, by the samples that PyTorch tests itself with."""

from __future__ import annotations

import sys
import types
import unittest
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gradwalk.foreign.torch.adopting import TorchAdoption  # noqa: E402
from gradwalk.foreign.torch.table import FUNCTIONS, GIVEN, MOVES, NO_GRADIENT, SAME  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

D = torch.float64
SAMPLES = 1
UNSEEN = ("sparse.sampled_addmm", "sparse.mm", "to_sparse")
"""Operations on sparse matrices, whose numbers have no storage."""
ROUNDED = ("logcumsumexp",)
"""Operations whose sums PyTorch takes in another order, so that more digits differ."""


def operations() -> list[Any]:
    """Return the operations with a derivative that PyTorch lists for its own tests."""
    if "expecttest" not in sys.modules:  # which this list imports, and does not need
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db

    return [op for op in op_db if op.supports_autograd and op.supports_dtype(D, "cpu")]


def adoptions(op: Any) -> Iterator[TorchAdoption]:
    """Adopt the operation at its first sample."""
    for sample in islice(op.sample_inputs("cpu", D, requires_grad=True), SAMPLES):
        with TorchAdoption() as run:
            found = op(sample.input, *sample.args, **sample.kwargs)
            leaves = torch.utils._pytree.tree_leaves(found)
            results = [y for y in leaves if isinstance(y, torch.Tensor) and y.requires_grad]
            if results:
                sum(map(_weighted, results)).backward()
        if results:
            yield run


def _weighted(y: Any) -> Any:
    y = y.abs() if y.is_complex() else y
    weights = torch.linspace(0.5, 1.5, y.numel(), dtype=D).reshape(y.shape)
    return (y.to_dense() if y.is_sparse else y * weights).sum()


def test_four_of_five_operations_are_in_the_table_and_all_agree() -> None:
    torch.manual_seed(0)
    counted = Counter[bool]()
    wrong: list[tuple[str, list[str]]] = []
    for op in operations():
        if op.name.startswith(UNSEEN):
            counted[False] += 1
            continue
        try:
            runs = [*adoptions(op)]
        except (RuntimeError, NotImplementedError, AssertionError):
            runs = [*_possible(op)]
        if runs:
            counted[not any(run.opaque for run in runs)] += 1
            wrong += [(op.name, d) for run in runs if (d := run.agreement.differences)]
    assert [pair for pair in wrong if pair[0] not in ROUNDED] == []
    assert counted[True] >= 0.8 * counted.total()
    assert counted.total() > 500


def _possible(op: Any) -> Iterator[TorchAdoption]:
    """Adopt at the samples that PyTorch itself can run and differentiate."""
    try:
        yield from adoptions(op)
    except (RuntimeError, NotImplementedError, AssertionError):
        return


def test_the_parts_of_the_table_do_not_overlap() -> None:
    assert not FUNCTIONS.keys() & NO_GRADIENT
    assert not MOVES & NO_GRADIENT
    assert not GIVEN.keys() & SAME
    assert len(FUNCTIONS) + len(GIVEN) + len(MOVES) + len(SAME) + len(NO_GRADIENT) > 350
