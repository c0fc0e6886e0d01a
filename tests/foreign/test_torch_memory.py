"""A recording keeps what PyTorch keeps, and makes the rest again with the same bits."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import gradwalk  # noqa: E402
from gradwalk.foreign.torch.recording import Recorder  # noqa: E402
from gradwalk.inspect import why  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.quick]


def transformer() -> Any:
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), torch.randn(3, 5, 16)


def convolutions() -> Any:
    nn = torch.nn
    parts = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2)
    return nn.Sequential(*parts, nn.Flatten(), nn.Dropout(0.5), nn.Linear(36, 3)), torch.randn(
        2, 1, 8, 8
    )


class Written(torch.nn.Module):
    """It writes into results, into parts of them, and under no_grad."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4))

    def forward(self, x: Any) -> Any:
        y = (x @ self.weight).view(16)
        y.mul_(2.0)
        z = y * 1.5
        z[2:5].add_(1.0)
        w = z + 1.0
        with torch.no_grad():
            w.mul_(0.5)
        return w.reshape(2, 8).transpose(0, 1).contiguous().sum(0, keepdim=True).expand(3, 2)


def written() -> Any:
    return Written(), torch.randn(4, 4)


def recurrent() -> Any:
    class Cell(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = torch.nn.LSTM(3, 4, 2, batch_first=True, dropout=0.3)

        def forward(self, x: Any) -> Any:
            return self.cell(x)[0][:, -1]

    return Cell(), torch.randn(2, 6, 3)


def halves() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU()).bfloat16(), torch.randn(
        2, 4, dtype=torch.bfloat16
    )


MODELS: list[Callable[[], Any]] = [transformer, convolutions, written, recurrent, halves]


@pytest.mark.parametrize("make", MODELS)
def test_what_is_made_again_has_the_bits_of_the_run(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    model, x = make()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    seen: list[tuple[Any, Any]] = []
    real = Recorder._result

    def result(self: Recorder, t: Any, facts: Any) -> Any:
        slot = real(self, t, facts)
        seen.append((slot, t.detach().clone()))
        return slot

    monkeypatch.setattr(Recorder, "_result", result)
    recorder = Recorder()
    with recorder:
        model(x).float().square().sum().backward()
        optimizer.step()  # the weights of the run are needed, not those after it
    gone = [slot.numbers.is_gone for slot, _ in seen]
    assert any(gone)
    recorder.restore()
    for slot, expected in seen:
        found = slot.numbers.source
        if not expected.dtype.is_floating_point:  # a workspace, which the backward pass writes
            continue
        assert found.dtype is expected.dtype
        assert torch.equal(found.detach(), expected), slot.key


def test_numbers_that_autograd_does_not_keep_are_not_kept() -> None:
    """relu keeps its result, so that what it was computed from can go."""
    x = torch.randn(1000, requires_grad=True)
    recorder = Recorder()
    with recorder:
        y = (x * 2.0 + 1.0).relu()
    kept = [entry.results[0].numbers.source is not None for entry in recorder.tape]  # type: ignore[union-attr]
    assert kept == [False, False, True]
    del y
    gc.collect()
    assert recorder.tape[-1].results[0].numbers.source is None  # type: ignore[union-attr]


def test_random_numbers_are_kept() -> None:
    x = torch.ones(1000, requires_grad=True)
    recorder = Recorder()
    with recorder:
        torch.nn.functional.rrelu(-x, training=True).sum().backward()
        torch.native_dropout(x, 0.5, True)[0].sum().backward()
    random = [e for e in recorder.tape if e.func._opname in ("rrelu_with_noise", "native_dropout")]
    assert len(random) == 2
    assert all(entry.results[0].numbers.source is not None for entry in random)  # type: ignore[union-attr]


def test_a_hook_of_a_result_that_is_gone_changes_the_gradient() -> None:
    x = torch.tensor([1.0, 4.0], requires_grad=True)

    def compute() -> Any:
        y = x.sqrt()
        y.register_hook(lambda t: t * 10.0)
        return (y * 3.0).sum()

    with gradwalk.adopt() as run:
        compute().backward()
    assert not run.agreement.differences
    assert run.opaque["hook"]


def test_the_cause_is_found_in_what_is_made_again() -> None:
    x = torch.tensor([4.0, 0.0], requires_grad=True)
    with gradwalk.adopt() as run:
        ((x * 2.0).sqrt() * 3.0 + 1.0).sum().backward()
    cause = why(run)
    assert (cause.op, cause.element, cause.args) == ("sqrt", (1,), (0.0,))
    assert not run.agreement.differences


def test_storages_of_one_address_are_not_taken_for_one_another() -> None:
    """Results die at once, so PyTorch uses their memory again for the next ones."""
    x = torch.linspace(0.1, 1.0, 64, requires_grad=True)
    recorder = Recorder()
    with recorder:
        y = x
        for _ in range(50):
            y = y + 1.0
    storages = {entry.results[0].key[0] for entry in recorder.tape}  # type: ignore[union-attr]
    assert len(storages) == 50
