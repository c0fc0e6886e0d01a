"""Optimizers, clipping and schedules against PyTorch itself, on random problems."""

from __future__ import annotations

import random

import pytest

from gradwalk import Tensor, Value, optim

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.peer

STEPS, SIZE = 50, 7
NAMES = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta")


def random_options(name: str, draw: random.Random) -> dict:
    """Options that PyTorch accepts, some of them left at their defaults."""
    options = {"lr": draw.uniform(1e-3, 0.1), "weight_decay": draw.choice([0.0, 0.05])}
    options["maximize"] = draw.random() < 0.2
    if name == "SGD":
        options["momentum"] = draw.choice([0.0, 0.5, 0.9])
        options["nesterov"] = options["momentum"] > 0.0 and draw.random() < 0.5
        options["dampening"] = 0.0 if options["nesterov"] else draw.choice([0.0, 0.3])
    elif name in ("Adam", "AdamW"):
        options["betas"] = (draw.uniform(0.5, 0.95), draw.uniform(0.8, 0.999))
        options["eps"], options["amsgrad"] = draw.choice([1e-8, 1e-3]), draw.random() < 0.5
    elif name == "RMSprop":
        options["alpha"], options["eps"] = draw.uniform(0.8, 0.99), 1e-3
        options["momentum"], options["centered"] = draw.choice([0.0, 0.9]), draw.random() < 0.5
    elif name == "Adadelta":
        options["rho"], options["eps"] = draw.uniform(0.5, 0.95), draw.choice([1e-6, 1e-3])
    else:
        options["lr_decay"] = draw.choice([0.0, 0.1])
        options["initial_accumulator_value"] = draw.choice([0.0, 0.5])
    return options


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", NAMES)
def test_random_gradients_move_parameters_as_in_pytorch(name, seed):
    draw = random.Random(seed)
    options = random_options(name, draw)
    start = [draw.gauss(0.0, 1.0) for _ in range(SIZE)]
    mine, theirs = [Value(x) for x in start], torch.tensor(start, dtype=torch.float64)
    optimizer, peer = (
        getattr(optim, name)(mine, **options),
        getattr(torch.optim, name)([theirs], **options),
    )
    for _ in range(STEPS):
        gradients = [draw.gauss(0.0, 1.0) for _ in range(SIZE)]
        for parameter, gradient in zip(mine, gradients, strict=True):
            parameter.grad = gradient
        theirs.grad = torch.tensor(gradients, dtype=torch.float64)
        optimizer.step()
        peer.step()
        assert [p.data for p in mine] == pytest.approx(theirs.tolist(), rel=1e-12, abs=1e-12)


def test_defaults_are_those_of_pytorch():
    for name in NAMES:
        ours = getattr(optim, name)([Value(0.0)]).defaults
        theirs = getattr(torch.optim, name)([torch.zeros(1)]).defaults
        assert ours == {key: theirs[key] for key in ours}


def bowl(x):
    return ((x - 0.5) ** 2).sum() + 0.1 * ((x - 0.5) ** 4).sum()


def valley(x):  # of Rosenbrock (1960)
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def waves(x):
    return 0.05 * (x**2).sum() + (3.0 * x).sin().sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("loss_of", [bowl, valley, waves])
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_goes_where_pytorch_goes(search, loss_of, seed):
    """The points at which the loss is computed are PyTorch's, in each line search, too."""
    draw = random.Random(seed)
    start = [draw.gauss(0.0, 1.0) for _ in range(SIZE)]
    options = {"lr": draw.choice([1.0, 0.3]) if search else 0.01, "line_search_fn": search}
    options["history_size"] = 3 + 9 * seed
    paths = []
    theirs = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    for library, x in ((optim, Tensor(start, requires_grad=True)), (torch.optim, theirs)):
        optimizer, path = library.LBFGS([x], **options), []

        def closure(x=x, optimizer=optimizer, path=path):
            optimizer.zero_grad()
            loss = loss_of(x)
            loss.backward()
            path.append(x.detach().tolist())
            return loss

        for _ in range(2):
            optimizer.step(closure)
        paths.append(path)
    # close to a minimum differences of losses are rounding errors, and so is the next length
    count = min(15, *map(len, paths))
    assert count > 3
    for mine, theirs in zip(paths[0][:count], paths[1][:count], strict=True):
        assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("norm_type", [1.0, 2.0, 3.5, float("inf")])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_clipping_is_that_of_pytorch(norm_type, scale):
    draw = random.Random(1)
    gradients = [scale * draw.gauss(0.0, 1.0) for _ in range(SIZE)]
    for clip in ("clip_grad_norm_", "clip_grad_value_"):
        mine, theirs = [Value(0.0) for _ in gradients], torch.zeros(SIZE, dtype=torch.float64)
        for parameter, gradient in zip(mine, gradients, strict=True):
            parameter.grad = gradient
        theirs.grad = torch.tensor(gradients, dtype=torch.float64)
        options = {"norm_type": norm_type} if clip == "clip_grad_norm_" else {}
        norm = getattr(optim, clip)(mine, 0.5, **options)
        peer = getattr(torch.nn.utils, clip)([theirs], 0.5, **options)
        assert [p.grad for p in mine] == pytest.approx(theirs.grad.tolist(), rel=1e-12)
        if options:
            assert norm == pytest.approx(peer.item(), rel=1e-12)


def test_a_schedule_drives_an_optimizer_as_in_pytorch():
    def run(library, schedulers, parameter):
        optimizer = library.Adam([parameter], lr=0.3)
        warm_up = schedulers.LinearLR(optimizer, start_factor=0.1, total_iters=5)
        cosine = schedulers.CosineAnnealingLR(optimizer, T_max=20, eta_min=0.01)
        scheduler = schedulers.SequentialLR(optimizer, [warm_up, cosine], milestones=[5])
        points = []
        for _ in range(25):
            optimizer.zero_grad()
            ((parameter - 1.0) ** 2).backward()
            optimizer.step()
            scheduler.step()
            points.append(float(parameter.data))
        return points

    theirs = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
    expected = run(torch.optim, torch.optim.lr_scheduler, theirs)
    assert run(optim, optim, Value(5.0)) == pytest.approx(expected, rel=1e-12)
