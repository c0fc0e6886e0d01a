"""`flow` and `check.training` on models, optimizers and loaders of PyTorch."""

from __future__ import annotations

import copy

import pytest

from gradwalk import check
from gradwalk.inspect import flow

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.peer

ROWS = 24


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape) + seed))


def labels(classes=3):
    order = torch.randperm(ROWS, generator=torch.Generator().manual_seed(0))
    return torch.arange(ROWS)[order] % classes


def net(inputs, outputs, *last):
    torch.manual_seed(inputs + outputs)
    return nn.Sequential(nn.Linear(inputs, 8), nn.Tanh(), nn.Linear(8, outputs), *last)


def parts(model, loss, x, y, lr=0.01, **others):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    return {"model": model, "loss": loss, "optimizer": optimizer, "data": (x, y), **others}


def softmax_twice(mended):
    model = net(4, 3, *(() if mended else (nn.Softmax(-1),)))
    return parts(model, nn.CrossEntropyLoss(), drawn(ROWS, 4), labels())


def nll_of_softmax(mended):
    last = nn.LogSoftmax(-1) if mended else nn.Softmax(-1)
    return parts(net(4, 3, last), nn.NLLLoss(), drawn(ROWS, 4), labels())


def broadcast(mended):
    y = drawn(ROWS, 1)
    return parts(net(4, 1), nn.MSELoss(), drawn(ROWS, 4), y if mended else y[:, 0])


def double_sigmoid(mended):
    model = net(4, 1, *(() if mended else (nn.Sigmoid(),)))
    return parts(model, nn.BCEWithLogitsLoss(), drawn(ROWS, 4), labels(2).float()[:, None])


def signs(mended):
    y = labels(2).float()[:, None]
    return parts(net(4, 1), nn.BCEWithLogitsLoss(), drawn(ROWS, 4), y if mended else 2 * y - 1)


def head_only(mended):
    found = parts(net(4, 3), nn.CrossEntropyLoss(), drawn(ROWS, 4), labels())
    model = found["model"]
    trained = model.parameters() if mended else model[2].parameters()
    return {**found, "optimizer": torch.optim.SGD(trained, lr=0.1)}


def tiny_rate(mended):
    loss = nn.CrossEntropyLoss()
    return parts(net(4, 3), loss, drawn(ROWS, 4), labels(), lr=0.01 if mended else 1e-9)


def eval_mode(mended):
    model = net(4, 3, nn.Dropout(0.3)).train(mended)
    return parts(model, nn.CrossEntropyLoss(), drawn(ROWS, 4), labels())


def zero_grad(mended):
    found = parts(net(4, 3), F.cross_entropy, drawn(ROWS, 4), labels())
    optimizer = found["optimizer"]

    def step(x, y):
        if mended:
            optimizer.zero_grad()
        F.cross_entropy(found["model"](x), y).backward()
        optimizer.step()

    return {**found, "step": step}


def class_order(mended):
    data = torch.utils.data.TensorDataset(drawn(ROWS, 4), labels().sort()[0])
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=mended)
    return {**parts(net(4, 3), nn.CrossEntropyLoss(), None, None), "data": loader}


def no_activation(mended):
    layers = [nn.Linear(4, 8), *([nn.ReLU()] if mended else []), nn.Linear(8, 3)]
    return parts(nn.Sequential(*layers), nn.CrossEntropyLoss(), drawn(ROWS, 4), labels())


class Twice(nn.Module):
    def __init__(self, mended):
        super().__init__()
        self.one, self.two, self.mended = nn.Linear(4, 4), nn.Linear(4, 4), mended
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        h = self.one(x).relu()
        return self.head((self.two if self.mended else self.one)(h).relu())


def layer_called_twice(mended):
    return parts(Twice(mended), nn.CrossEntropyLoss(), drawn(ROWS, 4), labels())


def fake_batch(mended):
    generator, critic, noise = net(2, 4), net(4, 1), drawn(ROWS, 2)
    judge, other = nn.BCEWithLogitsLoss(), torch.optim.Adam(generator.parameters())

    def loss(real, ones):
        fake = generator(noise)
        fake = fake.detach() if mended else fake
        return judge(real, ones) + judge(critic(fake), torch.zeros(ROWS, 1))

    return parts(critic, loss, drawn(ROWS, 4), torch.ones(ROWS, 1), other=other)


def generator_of_a_gan(mended):
    generator, critic = net(2, 4), net(4, 1)
    other = torch.optim.Adam(critic.parameters())

    def loss(fake, ones):
        return nn.functional.binary_cross_entropy_with_logits(critic(fake), ones)

    return parts(generator, loss, drawn(ROWS, 2), torch.ones(ROWS, 1), other=other)


def target_network(mended):
    model = net(4, 2)
    target, following = copy.deepcopy(model), drawn(ROWS, 4, seed=3)

    def loss(q, actions):
        best = target(following).max(1).values
        goal = 1.0 + 0.9 * (best.detach() if mended else best)
        return F.smooth_l1_loss(q.gather(1, actions[:, None])[:, 0], goal)

    return parts(model, loss, drawn(ROWS, 4), labels(2))


def in_order(*wrong):
    """Return a program whose step makes calls in an order."""

    def program(mended):
        found = parts(net(4, 3), F.cross_entropy, drawn(ROWS, 4), labels())
        model, optimizer = found["model"], found["optimizer"]

        def step(x, y):
            loss = F.cross_entropy(model(x), y)
            calls = {"zero": optimizer.zero_grad, "backward": loss.backward, "step": optimizer.step}
            for name in ("zero", "backward", "step") if mended else wrong:
                calls[name]()

        return {**found, "step": step}

    program.__name__ = "_".join(("order", *wrong))
    return program


def late_step(mended):
    """The optimizer takes its step before the forward pass, with the gradients of the last one."""
    found = parts(net(4, 3), F.cross_entropy, drawn(ROWS, 4), labels())
    model, optimizer = found["model"], found["optimizer"]

    def step(x, y):
        calls = [optimizer.zero_grad, lambda: F.cross_entropy(model(x), y).backward()]
        for call in [*calls, optimizer.step] if mended else [optimizer.step, *calls]:
            call()

    return {**found, "step": step}


def other_model(mended):
    found = parts(net(4, 3), F.cross_entropy, drawn(ROWS, 4), labels())
    held = found["model"] if mended else copy.deepcopy(found["model"])
    return {**found, "optimizer": torch.optim.Adam(held.parameters())}


class Sequences(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(6, 3)

    def forward(self, x):
        out = self.layer(x)
        return self.head((out[0] if isinstance(out, tuple) else out)[:, -1])


def lstm_over_samples(mended):
    layer = nn.LSTM(6, 6, batch_first=mended)
    return parts(Sequences(layer), nn.CrossEntropyLoss(), drawn(ROWS, 5, 6), labels())


def encoder_over_samples(mended):
    layer = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(6, 2, 12, batch_first=mended), 2, enable_nested_tensor=False
    )
    return parts(Sequences(layer), nn.CrossEntropyLoss(), drawn(ROWS, 5, 6), labels())


class TimeFirst(nn.Module):
    def __init__(self, mended):
        super().__init__()
        self.rnn, self.head, self.mended = nn.GRU(6, 6), nn.Linear(6, 3), mended

    def forward(self, x):
        first = x.permute(1, 0, 2) if self.mended else x.reshape(x.shape[1], len(x), -1)
        return self.head(self.rnn(first)[0][-1])


def reshaped_for_time(mended):
    return parts(TimeFirst(mended), nn.CrossEntropyLoss(), drawn(ROWS, 5, 6), labels())


def out_of_reach(last):
    def program(mended):
        model = net(4, 1, *(() if mended else (last,)), nn.Flatten(0))
        return parts(model, nn.MSELoss(), drawn(ROWS, 4), 2.0 * drawn(ROWS))

    program.__name__ = f"out_of_reach_of_{type(last).__name__}"
    return program


def ending_with(last):
    """Return a healthy regression of targets from 0 to 5."""
    return lambda mended: parts(
        net(4, 1, last), nn.MSELoss(), drawn(ROWS, 4), drawn(ROWS, 1).abs().clamp(max=5.0)
    )


@pytest.mark.parametrize("last", [nn.ReLU6(), nn.Hardtanh(0, 5), nn.Softplus()], ids=repr)
def test_targets_in_the_range_of_the_last_function_are_healthy(last):
    assert (report := examined(ending_with(last)(True))), report


class LowRank(nn.Module):
    def __init__(self, mended):
        super().__init__()
        self.base = nn.Linear(8, 8).requires_grad_(False)
        self.a, self.b = nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False)
        for p in (self.b.weight,) if mended else (self.a.weight, self.b.weight):
            nn.init.zeros_(p)

    def forward(self, x):
        return self.base(x) + self.b(self.a(x))


def low_rank_of_zeros(mended):
    return parts(LowRank(mended), nn.MSELoss(), drawn(ROWS, 8), drawn(ROWS, 8))


def raised(mended):
    def loss(out, y):
        chosen = F.log_softmax(out, -1).gather(1, y[:, None]).mean()
        return -chosen if mended else chosen

    return parts(net(4, 3), loss, drawn(ROWS, 4), labels())


def raised_error(mended):
    sign = 1.0 if mended else -1.0
    return parts(net(4, 1), lambda a, b: sign * F.mse_loss(a, b), drawn(ROWS, 4), drawn(ROWS, 1))


def shuffled_apart(mended):
    x, rows = drawn(400, 4), torch.randperm(400, generator=torch.Generator().manual_seed(0))
    y = (x[:, 0] + x[:, 1] > 0.0).long()
    return parts(net(4, 2), nn.CrossEntropyLoss(), x if mended else x[rows], y)


BROKEN = {
    softmax_twice: "softmax is applied twice",
    nll_of_softmax: "the loss is minus a probability, not minus its logarithm",
    broadcast: "the loss compares every output with every target",
    double_sigmoid: "sigmoid is applied twice",
    signs: "labels of -1 in a binary cross entropy",
    head_only: "the optimizer does not have 0.weight, 0.bias",
    tiny_rate: "the learning rate of 1e-09 is far too small",
    eval_mode: "model is trained in the mode of evaluation",
    zero_grad: "the gradients are added to those of the step before",
    class_order: "the rows come in the order of their classes",
    no_activation: "two linear layers without an activation between them",
    layer_called_twice: "model.one is used 2 times, and model.two never",
    fake_batch: "the output of generator is not detached",
    target_network: "the target from target is not detached",
    in_order("backward", "zero", "step"): "the optimizer gets gradients of 0",
    in_order("zero", "step", "backward"): "the optimizer gets gradients of 0",
    in_order("zero", "backward"): "the optimizer takes no step",
    late_step: "the optimizer acts on the gradients of the batch before",
    other_model: "the optimizer does not have the parameters of model",
    lstm_over_samples: "the model mixes the samples of a batch with each other",
    encoder_over_samples: "the model mixes the samples of a batch with each other",
    reshaped_for_time: "the model mixes the samples of a batch with each other",
    **{
        out_of_reach(last): f"{name} at the end of model never gives some of the targets"
        for name, last in (
            *(("relu", nn.ReLU()), ("sigmoid", nn.Sigmoid()), ("tanh", nn.Tanh())),
            ("hardtanh", nn.ReLU6()),
        )
    },
    low_rank_of_zeros: "a.weight and b.weight stay 0: each is a factor of the other one's gradient",
    raised: "the training makes the outputs wrong: the loss has the wrong sign",
    raised_error: "the training makes the outputs wrong: the loss has the wrong sign",
    shuffled_apart: (
        "the targets do not depend on the inputs: no method predicts them better than chance"
    ),
}


def examined(found):
    model, loss, optimizer, data = (found[x] for x in ("model", "loss", "optimizer", "data"))
    return check.training(model, loss, optimizer, data, step=found.get("step"))


@pytest.mark.parametrize("program", BROKEN, ids=lambda f: f.__name__)
def test_the_mistake_is_named_and_the_twin_is_quiet(program):
    assert [x.what for x in examined(program(False)).findings] == [BROKEN[program]]
    report = examined(program(True))
    assert report, str(report)


def test_the_generator_of_a_gan_is_healthy():
    assert examined(generator_of_a_gan(True))


@pytest.mark.parametrize("program", BROKEN, ids=lambda f: f.__name__)
def test_nothing_changes(program):
    found = program(False)
    model, optimizer = found["model"], found["optimizer"]
    state = {name: x.clone() for name, x in model.state_dict().items()}
    random, modes = torch.get_rng_state(), [m.training for m in model.modules()]
    names = [sorted(vars(m)) for m in model.modules()]
    examined(found)
    assert all(torch.equal(state[name], x) for name, x in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())
    assert torch.equal(random, torch.get_rng_state())
    assert modes == [m.training for m in model.modules()]
    assert names == [sorted(vars(m)) for m in model.modules()]
    assert not optimizer.state


def test_flow_takes_modules_of_pytorch():
    model, x = net(4, 1), drawn(ROWS, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    F.mse_loss(model(x), drawn(ROWS, 1)).backward()
    assert flow(model, optimizer, inputs=x).verdicts == ("healthy", "healthy")
    model.zero_grad()
    F.mse_loss(model(5000.0 * x), drawn(ROWS, 1)).backward()
    assert "its inputs are up to" in str(flow(model, optimizer, inputs=5000.0 * x))
    optimizer.param_groups[0]["lr"] = 1e4
    assert "lr=10000 is far too large" in str(flow(model, optimizer))
