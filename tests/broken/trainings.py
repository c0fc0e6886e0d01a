"""Trainings that run, with a loss that is a number, and wrong; and their mended twins.

Each program is a function of ``mended`` that returns what `check.training` takes. The remedy of a
mistake is what ``mended`` changes.
"""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np

import gradwalk.nn.functional as F  # noqa: N812
from gradwalk import Tensor, nn, optim, stack
from gradwalk.data import DataLoader

CLASSES, ROWS = 3, 24


def drawn(*shape, seed=0):
    return np.random.default_rng(sum(shape) + seed).normal(size=shape)


def labels(rows=ROWS, classes=CLASSES):
    return np.random.default_rng(rows).permutation(np.arange(rows) % classes)


class Words(nn.Module):
    """The mean of embeddings, and a layer."""

    def __init__(self, *last):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, CLASSES, seed=1)
        self.last = nn.Sequential(*last)

    def forward(self, x):
        return self.last(self.head(self.table(x).mean(axis=1).tanh()))


def tokens(rows=ROWS, length=5):
    return np.random.default_rng(1).integers(0, 11, size=(rows, length))


def features(*last):
    layers = nn.Linear(4, 8, seed=0), nn.Tanh(), nn.Linear(8, CLASSES, seed=1)
    return nn.Sequential(*layers, *last), Tensor(drawn(ROWS, 4))


def images(*last):
    layers = nn.Conv2d(1, 4, 3, seed=0), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    return nn.Sequential(*layers, nn.Linear(36, CLASSES, seed=1), *last), Tensor(
        drawn(ROWS, 1, 8, 8)
    )


def words(*last):
    return Words(*last), tokens()


NETS = (features, images, words)
"""Three networks of classes, with their inputs."""


def parts(model, loss, x, y, make=optim.Adam, lr=0.01, **others):
    return {"model": model, "loss": loss, "optimizer": make(model.parameters(), lr=lr),
            "data": (x, y), **others}  # fmt: skip


def chosen(scores, y):
    return scores[np.arange(len(scores)), y]


# --- losses of classes ----------------------------------------------------------------------------


def minus_one(net):
    def program(mended):
        model, x = net()
        y = labels()
        if not mended:
            y = np.where(y == 2, -1, y)
        return parts(model, lambda out, t: -chosen(F.log_softmax(out, -1), t).mean(), x, y)

    return program


def nll_of_softmax(net):
    def program(mended):
        model, x = net()
        squash = F.log_softmax if mended else F.softmax
        return parts(model, lambda out, t: -chosen(squash(out, -1), t).mean(), x, labels())

    return program


def nll_after_softmax_layer(net):
    def program(mended):
        model, x = net(nn.LogSoftmax(-1) if mended else nn.Softmax(-1))
        return parts(model, F.nll_loss, x, labels())

    return program


def softmax_twice(net):
    def program(mended):
        model, x = net(*(() if mended else (nn.Softmax(-1),)))
        return parts(model, F.cross_entropy, x, labels())

    return program


def softmax_twice_in_the_loss(net):
    def program(mended):
        model, x = net()

        def loss(out, t):
            return F.cross_entropy(out if mended else F.softmax(out, -1), t)

        return parts(model, loss, x, labels())

    return program


def softmax_over_rows(net):
    def program(mended):
        model, x = net()
        axis = -1 if mended else 0
        return parts(model, lambda out, t: -chosen(F.log_softmax(out, axis), t).mean(), x, labels())

    return program


def softmax_layer_over_rows(net):
    def program(mended):
        model, x = net(nn.Softmax(-1 if mended else 0))
        return parts(model, lambda p, t: -(chosen(p, t) + 1e-12).log().mean(), x, labels())

    return program


class Attention(nn.Module):
    def __init__(self, axis):
        self.q, self.k = nn.Linear(6, 6, seed=0), nn.Linear(6, 6, seed=1)
        self.v, self.head, self.axis = nn.Linear(6, 6, seed=2), nn.Linear(6, CLASSES, seed=3), axis

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose((0, 2, 1)) / 6**0.5
        return self.head((F.softmax(scores, self.axis) @ self.v(x)).mean(axis=1))


def attention_over_queries(mended):
    x = Tensor(drawn(ROWS, 5, 6))
    return parts(Attention(2 if mended else 1), F.cross_entropy, x, labels())


# --- losses of yes and no -------------------------------------------------------------------------


def yes_and_no(rows=ROWS):
    return (labels(rows, 2)).astype(float)


def scorer(*last, images_too=False):
    if images_too:
        layers = nn.Flatten(), nn.Linear(64, 8, seed=0), nn.ReLU(), nn.Linear(8, 1, seed=1)
        return nn.Sequential(*layers, *last, nn.Flatten(0)), Tensor(drawn(ROWS, 8, 8))
    layers = nn.Linear(4, 8, seed=0), nn.Tanh(), nn.Linear(8, 1, seed=1)
    return nn.Sequential(*layers, *last, nn.Flatten(0)), Tensor(drawn(ROWS, 4))


def double_sigmoid(mended):
    model, x = scorer(*(() if mended else (nn.Sigmoid(),)))
    return parts(model, F.binary_cross_entropy_with_logits, x, yes_and_no())


def double_sigmoid_of_images(mended):
    model, x = scorer(nn.Sigmoid(), images_too=True)
    loss = F.binary_cross_entropy if mended else F.binary_cross_entropy_with_logits
    return parts(model, loss, x, yes_and_no())


def double_sigmoid_in_the_loss(mended):
    model, x = scorer()

    def loss(out, t):
        z = out if mended else out.sigmoid()
        return (z.softplus() - z * t).mean()

    return parts(model, loss, x, yes_and_no())


def labels_of_signs(mended):
    model, x = scorer()
    y = yes_and_no() if mended else 2.0 * yes_and_no() - 1.0
    return parts(model, F.binary_cross_entropy_with_logits, x, y)


def labels_of_signs_in_an_own_loss(mended):
    model, x = scorer(images_too=True)
    signs = 2.0 * yes_and_no() - 1.0

    def loss(z, t):
        return (-z * t).softplus().mean() if mended else (z.softplus() - z * t).mean()

    return parts(model, loss, x, signs)


def labels_of_signs_for_values(mended):
    model = nn.MLP(2, [4, 1], seed=0)
    y = yes_and_no(8) if mended else 2.0 * yes_and_no(8) - 1.0

    def loss(out, t):
        return sum(z.softplus() - z * goal for z, goal in zip(out, t, strict=True)) / len(t)

    return parts(model, loss, drawn(8, 2), y, optim.SGD, 0.05)


# --- shapes ---------------------------------------------------------------------------------------


def column(net, own):
    def program(mended):
        model, x = net()
        y = drawn(ROWS, 1)
        return parts(model, own, x, y if mended else y[:, 0])

    return program


def one_output():
    return nn.Sequential(nn.Linear(4, 8, seed=0), nn.Tanh(), nn.Linear(8, 1, seed=1)), drawn(
        ROWS, 4
    )


def one_output_of_images():
    layers = nn.Conv2d(1, 4, 3, seed=0), nn.ReLU(), nn.Flatten(), nn.Linear(144, 1, seed=1)
    return nn.Sequential(*layers), drawn(ROWS, 1, 8, 8)


class Recurrent(nn.Module):
    def __init__(self, outputs=1):
        self.rnn, self.head = nn.GRU(3, 6, batch_first=True, seed=0), nn.Linear(6, outputs, seed=1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


def one_output_of_sequences():
    return Recurrent(), drawn(ROWS, 5, 3)


def squares(out, t):
    return ((out - t) ** 2).mean()


def distances(out, t):
    return (out - t).abs().mean()


def smooth(out, t):
    return ((1.0 + (out - t) ** 2).sqrt() - 1.0).sum()


# --- what is not detached -------------------------------------------------------------------------


def critic_of(inputs, seed=5):
    return nn.Sequential(nn.Linear(inputs, 8, seed=seed), nn.LeakyReLU(), nn.Linear(8, 1, seed=6))


def fake_batch(judge, outer):
    def program(mended):
        generator, critic = (
            nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 4, seed=1)),
            critic_of(4),
        )
        of_generator = optim.Adam(generator.parameters(), lr=0.002)
        noise = Tensor(drawn(ROWS, 2))

        def loss(real, ones):
            fake = generator(noise)
            return judge(real, critic(fake.detach() if mended else fake))

        found = parts(critic, loss, drawn(ROWS, 4), np.ones((ROWS, 1)))
        return {**found, "step": None} if not outer else {**found, "others": of_generator}

    return program


def minimax(real, fake):
    return real.neg().softplus().mean() + fake.softplus().mean()


def least_squares(real, fake):
    return ((real - 1.0) ** 2).mean() + (fake**2).mean()


def wasserstein(real, fake):
    return fake.mean() - real.mean() + 1e-3 * (real**2).mean()


def q_network(seed=0):
    return nn.Sequential(nn.Linear(4, 8, seed=seed), nn.Tanh(), nn.Linear(8, 2, seed=seed + 1))


def target_network(mended):
    model = q_network()
    target = copy.deepcopy(model)
    following, rewards = Tensor(drawn(ROWS, 4, seed=3)), drawn(ROWS)

    def loss(q, actions):
        best = target(following).max(axis=1)
        goal = rewards + 0.9 * (best.detach() if mended else best)
        return F.smooth_l1_loss(chosen(q, actions), goal)

    return parts(model, loss, drawn(ROWS, 4), labels(ROWS, 2))


class Agent(nn.Module):
    def __init__(self, mended):
        self.online, self.target, self.mended = q_network(), q_network(), mended

    def forward(self, state, following):
        value = self.target(following)
        return self.online(state), value.detach() if self.mended else value


def target_network_inside(mended):
    model, rewards = Agent(mended), drawn(ROWS)

    def loss(out, actions):
        q, following = out
        return ((chosen(q, actions) - rewards - 0.9 * following.max(axis=1)) ** 2).mean()

    optimizer = optim.Adam(model.online.parameters(), lr=0.01)
    data = drawn(ROWS, 4), drawn(ROWS, 4, seed=3), labels(ROWS, 2)
    return {"model": model, "loss": loss, "optimizer": optimizer, "data": data}


def target_of_the_same_network(mended):
    model = q_network()
    following, rewards = Tensor(drawn(ROWS, 4, seed=3)), Tensor(drawn(ROWS))

    def loss(q, actions):
        best = model(following).max(axis=1)
        goal = rewards + 0.9 * (best.detach() if mended else best)
        return ((chosen(q, actions) - goal) ** 2).mean()

    return parts(model, loss, drawn(ROWS, 4), labels(ROWS, 2))


# --- layers ---------------------------------------------------------------------------------------


class Twice(nn.Module):
    def __init__(self, mended, recurrent=False):
        self.first, self.second = nn.Linear(6, 6, seed=0), nn.Linear(6, 6, seed=1)
        self.head, self.mended = nn.Linear(6, CLASSES, seed=2), mended

    def forward(self, x):
        h = self.first(x).tanh()
        return self.head((self.second if self.mended else self.first)(h).relu())


def layer_called_twice(mended):
    return parts(Twice(mended), F.cross_entropy, drawn(ROWS, 6), labels())


def list_times_three(mended):
    one = nn.Linear(6, 6, seed=0)
    layers = (
        [[nn.Linear(6, 6, seed=i), nn.Tanh()] for i in range(3)]
        if mended
        else [[one, nn.Tanh()]] * 3
    )
    model = nn.Sequential(*[m for pair in layers for m in pair], nn.Linear(6, CLASSES, seed=9))
    return parts(model, F.cross_entropy, drawn(ROWS, 6), labels())


class Blocks(nn.Module):
    def __init__(self, mended):
        self.blocks = nn.ModuleList(
            [nn.TransformerBlock(6, 2, batch_first=True, seed=i) for i in range(2)]
            if mended
            else [nn.TransformerBlock(6, 2, batch_first=True, seed=0)] * 2
        )
        self.head = nn.Linear(6, CLASSES, seed=3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(axis=1))


def one_block_for_two(mended):
    return parts(Blocks(mended), F.cross_entropy, drawn(ROWS, 5, 6), labels())


def no_activation(mended):
    between = (nn.ReLU(),) if mended else ()
    model = nn.Sequential(nn.Linear(4, 8, seed=0), *between, nn.Linear(8, CLASSES, seed=1))
    return parts(model, F.cross_entropy, drawn(ROWS, 4), labels())


class Plain(nn.Module):
    def __init__(self, mended):
        self.first, self.second = nn.Linear(36, 16, seed=1), nn.Linear(16, CLASSES, seed=2)
        self.conv, self.mended = nn.Conv2d(1, 4, 3, seed=0), mended

    def forward(self, x):
        h = self.first(F.max_pool2d(self.conv(x).relu(), 2).reshape(len(x), -1))
        return self.second(h.relu() if self.mended else h)


def no_activation_after_convolutions(mended):
    return parts(Plain(mended), F.cross_entropy, drawn(ROWS, 1, 8, 8), labels())


class ByHand(nn.Module):
    def __init__(self, mended):
        self.w1 = Tensor(drawn(4, 8), requires_grad=True)
        self.w2 = Tensor(drawn(8, 1), requires_grad=True)
        self.b, self.mended = Tensor(np.zeros(8), requires_grad=True), mended

    def forward(self, x):
        h = x @ self.w1 + self.b
        return (h.tanh() if self.mended else h) @ self.w2


def no_activation_by_hand(mended):
    return parts(ByHand(mended), F.mse_loss, drawn(ROWS, 4), drawn(ROWS, 1))


def no_activation_of_values(mended):
    model = nn.MLP(2, [4, 1], activation="tanh" if mended else "linear", seed=0)

    def loss(out, t):
        return sum((a - b) ** 2 for a, b in zip(out, t, strict=True)) / len(t)

    return parts(model, loss, drawn(8, 2), drawn(8), optim.SGD, 0.05)


def optimizer_of_the_head(mended):
    model, x = features()
    trained = model.parameters() if mended else model[2].parameters()
    return {
        "model": model,
        "loss": F.cross_entropy,
        "optimizer": optim.SGD(trained, lr=0.05),
        "data": (x, labels()),
    }


def layer_added_later(mended):
    model, x = images()
    optimizer = optim.Adam([*model.parameters()], lr=0.01)
    model.append(nn.ReLU())
    model.append(nn.Linear(CLASSES, CLASSES, seed=7))
    if mended:
        optimizer.add_param_group({"params": model[-1].parameters()})
    return {"model": model, "loss": F.cross_entropy, "optimizer": optimizer, "data": (x, labels())}


def embedding_left_out(mended):
    model, x = words()
    trained = [*model.head.parameters()] + ([*model.table.parameters()] if mended else [])
    return {
        "model": model,
        "loss": F.cross_entropy,
        "optimizer": optim.Adam(trained, lr=0.01),
        "data": (x, labels()),
    }


# --- weights --------------------------------------------------------------------------------------


class Tied(nn.Module):
    def __init__(self):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, 11, seed=1)
        self.head.weight = self.table.weight

    def forward(self, x):
        return self.head(self.table(x).tanh())


def tied_decay(mended):
    model, x = Tied(), tokens()[:, 0]

    def loss(out, t):
        weights = (
            model.parameters() if mended else [*model.table.parameters(), *model.head.parameters()]
        )
        return F.cross_entropy(out, t) + 1e-3 * sum((p**2).sum() for p in weights)

    return parts(model, loss, x, tokens()[:, 1])


class TiedCoder(nn.Module):
    def __init__(self):
        self.weight, self.code = Tensor(drawn(4, 8), requires_grad=True), nn.Tanh()

    def forward(self, x):
        return self.code(x @ self.weight.T) @ self.weight


def tied_coder_decay(mended):
    model = TiedCoder()

    def loss(out, t):
        penalties = [(w * w).sum() for w in [model.weight] * (1 if mended else 2)]
        return F.mse_loss(out, t) + 1e-3 * sum(penalties)

    return parts(model, loss, drawn(ROWS, 8), drawn(ROWS, 8))


def decay_in_both(mended):
    model, x = features()
    optimizer = optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.0 if mended else 0.1)

    def loss(out, t):
        return F.cross_entropy(out, t) + 1e-3 * sum(p.square().sum() for p in model.parameters())

    return {"model": model, "loss": loss, "optimizer": optimizer, "data": (x, labels())}


# --- steps ----------------------------------------------------------------------------------------


def without_zero_grad(net, make):
    def program(mended):
        model, x = net()
        found = parts(model, F.cross_entropy, x, labels(), make)
        optimizer = found["optimizer"]

        def step(x, y):
            if mended:
                optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()

        return {**found, "step": step}

    return program


def left_by_a_loop(net):
    def program(mended):
        model, x = net()
        found = parts(model, F.cross_entropy, x, labels(), optim.SGD, 0.01)
        optimizer = found["optimizer"]
        for _ in range(12):
            if mended:
                optimizer.zero_grad()
            F.cross_entropy(model(x), labels()).backward()
            optimizer.step()
        return found

    return program


def in_eval_mode(*layers):
    def program(mended):
        model = nn.Sequential(
            nn.Linear(4, 8, seed=0),
            *(make() for make in layers),
            nn.ReLU(),
            nn.Linear(8, CLASSES, seed=1),
        )
        model.train(mended)
        return parts(model, F.cross_entropy, drawn(ROWS, 4), labels())

    return program


def eval_inside_the_step(mended):
    layers = (
        nn.Linear(4, 8, seed=0),
        nn.ReLU(),
        nn.Dropout(0.5, seed=0),
        nn.Linear(8, CLASSES, seed=1),
    )
    model = nn.Sequential(*layers)
    found = parts(model, F.cross_entropy, drawn(ROWS, 4), labels())
    optimizer = found["optimizer"]

    def step(x, y):
        model.train(mended)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

    return {**found, "step": step}


def tiny_rate(net, make):
    def program(mended):
        model, x = net()
        return parts(model, F.cross_entropy, x, labels(), make, 0.01 if mended else 1e-9)

    return program


# --- data -----------------------------------------------------------------------------------------


def class_order(net):
    def program(mended):
        model, x = net()
        y = np.sort(labels())
        return {
            **parts(model, F.cross_entropy, x, y),
            "data": DataLoader((x, y), batch_size=8, shuffle=mended, seed=0),
        }

    return program


def sorted_table(mended):
    rows = 120
    y = np.arange(rows) % 2 if mended else np.arange(rows) * 2 // rows
    x = drawn(rows, 4)
    model, _ = scorer()
    batches = [
        (Tensor(x[i : i + 12]), Tensor(y[i : i + 12].astype(float))) for i in range(0, rows, 12)
    ]
    return {**parts(model, F.binary_cross_entropy_with_logits, x, y), "data": batches}


def with_column(mended, fill, y, loss, outputs=1):
    x = drawn(ROWS, 4)
    if not mended:
        x[:, 2] = fill
    model = nn.Sequential(nn.Linear(4, 8, seed=0), nn.Tanh(), nn.Linear(8, outputs, seed=1))
    return parts(model, loss, x, y)


def leaking_quantity(mended):
    return with_column(mended, drawn(ROWS, 1)[:, 0], drawn(ROWS, 1), F.mse_loss)


def leaking_class(mended):
    return with_column(mended, labels(), labels(), F.cross_entropy, CLASSES)


def leaking_standardized(mended):
    y = 50.0 + 7.0 * drawn(ROWS, 1)
    return with_column(mended, ((y - y.mean()) / y.std())[:, 0], y, F.mse_loss)


def leaking_codes(mended):
    return with_column(
        mended, np.array([7.5, -2.0, 3.0])[labels()], labels(), F.cross_entropy, CLASSES
    )


def constant(fill):
    return lambda mended: with_column(mended, fill, drawn(ROWS, 1), F.mse_loss)


# --- float16 --------------------------------------------------------------------------------------


def sum_in_float16(mended):
    model = nn.Linear(4, 1, seed=0)
    x, y = drawn(9000, 4).astype(np.float32), drawn(9000, 1).astype(np.float32)
    y += x[:, :1]

    def loss(out, t):
        errors = (out - t) ** 2
        total = Tensor(np.zeros((), np.float16 if not mended else np.float64))
        for part in range(0, len(errors), 4):
            piece = errors[part : part + 4].mean() * 2.0
            total = total + (piece if mended else piece.astype("float16"))
        return total

    return {**parts(model, loss, x, y, optim.SGD, 1e-6), "data": [(Tensor(x), Tensor(y))]}


def running_penalty(mended):
    model, x = features()

    def loss(out, t):
        total = F.cross_entropy(out, t) * 4096.0
        total = total if mended else total.astype("float16")
        for p in model.parameters():
            for row in p.reshape(-1)[:6]:
                total = total + (row**2 if mended else (row**2).astype("float16"))
        return total * 1e-3

    return parts(model, loss, x, labels())


def half_network(mended):
    model = nn.Sequential(nn.Linear(4, 8, seed=0), nn.ReLU(), nn.Linear(8, 1, seed=1))
    model = model.to("float32" if mended else "float16")
    kind = np.float32 if mended else np.float16

    def loss(out, t):
        total = Tensor(np.asarray(4000.0, kind))
        for i in range(len(t)):
            total = total + (out[i, 0] - t[i, 0]) ** 2
        return total

    return parts(
        model, loss, drawn(ROWS, 4).astype(kind), drawn(ROWS, 1).astype(kind), optim.SGD, 1e-3
    )


# --- further forms of the same mistakes -----------------------------------------------------------


class Tagger(nn.Module):
    def __init__(self):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, CLASSES, seed=1)

    def forward(self, x):
        return self.head(self.table(x).tanh())


def tags():
    return np.random.default_rng(2).integers(0, CLASSES, size=(ROWS, 5))


def minus_one_of_tags(mended):
    y = tags()
    if not mended:
        y = np.where(y == 2, -1, y)

    def loss(out, t):
        scores = F.log_softmax(out.reshape(-1, CLASSES), -1)
        return -scores[np.arange(len(scores)), t.reshape(-1)].mean()

    return parts(Tagger(), loss, tokens(), y)


def softmax_over_places(mended):
    def loss(out, t):
        scores = F.log_softmax(out, -1 if mended else 1).reshape(-1, CLASSES)
        return F.nll_loss(scores, t.reshape(-1))

    return parts(Tagger(), loss, tokens(), tags())


class Heads(nn.Module):
    def __init__(self, axis, by_hand):
        self.q, self.k, self.v = (nn.Linear(6, 6, seed=i) for i in range(3))
        self.head, self.axis, self.by_hand = nn.Linear(6, CLASSES, seed=3), axis, by_hand
        self.dropout = nn.Dropout(0.1, seed=0)

    def forward(self, x):
        q, k, v = (
            f(x).reshape(len(x), 5, 2, 3).transpose((0, 2, 1, 3)) for f in (self.q, self.k, self.v)
        )
        scores = q @ k.transpose((0, 1, 3, 2)) / 3**0.5
        if self.by_hand:
            e = scores.exp()
            shares = e / e.sum(axis=self.axis, keepdims=True)
        else:
            shares = self.dropout(F.softmax(scores, self.axis))
        return self.head((shares @ v).transpose((0, 2, 1, 3)).reshape(len(x), 5, 6).mean(axis=1))


def attention_over_heads(mended):
    return parts(
        Heads(-1 if mended else 1, False), F.cross_entropy, Tensor(drawn(ROWS, 5, 6)), labels()
    )


def attention_by_hand(mended):
    return parts(
        Heads(-1 if mended else 2, True), F.cross_entropy, Tensor(drawn(ROWS, 5, 6)), labels()
    )


def softmax_twice_with_smoothing(mended):
    model, x = features(*(() if mended else (nn.Softmax(-1),)))
    return parts(model, lambda out, t: F.cross_entropy(out, t, label_smoothing=0.1), x, labels())


def sigmoid_twice_with_weights(mended):
    model, x = scorer(*(() if mended else (nn.Sigmoid(),)))
    weight = Tensor([3.0])
    return parts(
        model,
        lambda out, t: F.binary_cross_entropy_with_logits(out, t, pos_weight=weight),
        x,
        yes_and_no(),
    )


def weighted_column(mended):
    model, x = one_output()
    weights = np.linspace(0.5, 1.5, ROWS)[:, None] if mended else np.linspace(0.5, 1.5, ROWS)
    y = drawn(ROWS, 1)
    return parts(
        model, lambda out, t: (weights * (out - t) ** 2).mean(), x, y if mended else y[:, 0]
    )


def value_network(mended):
    model = mlp_of(4, 8, 1)
    following, rewards = Tensor(drawn(ROWS, 4, seed=3)), Tensor(drawn(ROWS, 1))
    alive = (labels(ROWS, 2) > 0).astype(float)[:, None]

    def loss(value, _):
        later = model(following)
        return (
            (value - (rewards + 0.9 * alive * (later.detach() if mended else later))) ** 2
        ).mean()

    return parts(model, loss, drawn(ROWS, 4), np.zeros((ROWS, 1)))


def mlp_of(*widths):
    pairs = pairwise(widths)
    layers = [m for i, (a, b) in enumerate(pairs) for m in (nn.Linear(a, b, seed=i), nn.Tanh())]
    return nn.Sequential(*layers[:-1])


class Gan(nn.Module):
    def __init__(self, mended):
        self.generator, self.critic, self.mended = mlp_of(2, 8, 4), critic_of(4), mended

    def forward(self, x, noise):
        fake = self.generator(noise)
        return self.critic(x), self.critic(fake.detach() if self.mended else fake)


def gan_in_one_module(mended):
    model = Gan(mended)
    other = optim.Adam(model.generator.parameters(), lr=0.002)
    return {"model": model, "loss": lambda out, _: minimax(*out), "other": other,
            "optimizer": optim.Adam(model.critic.parameters(), lr=0.002),
            "data": (drawn(ROWS, 4), drawn(ROWS, 2), np.ones((ROWS, 1)))}  # fmt: skip


class Listed(nn.Module):
    def __init__(self, mended):
        one = nn.Linear(6, 6, seed=0)
        self.inner = [nn.Linear(6, 6, seed=i) for i in range(2)] if mended else [one] * 2
        self.head = nn.Linear(6, CLASSES, seed=3)

    def forward(self, x):
        for layer in self.inner:
            x = layer(x).relu()
        return self.head(x)


def list_in_an_attribute(mended):
    return parts(Listed(mended), F.cross_entropy, drawn(ROWS, 6), labels())


class Convolutions(nn.Module):
    def __init__(self, mended):
        self.start, self.mended = nn.Conv2d(1, 4, 3, padding=1, seed=0), mended
        self.one, self.two = (nn.Conv2d(4, 4, 3, padding=1, seed=i) for i in (1, 2))
        self.head = nn.Linear(4, CLASSES, seed=3)

    def forward(self, x):
        h = self.one(self.start(x).relu()).relu()
        return self.head((self.two if self.mended else self.one)(h).relu().mean(axis=(2, 3)))


def convolution_called_twice(mended):
    return parts(Convolutions(mended), F.cross_entropy, drawn(ROWS, 1, 8, 8), labels())


def no_activation_around_dropout(mended):
    between = (nn.ReLU(),) if mended else ()
    layers = (
        nn.Linear(4, 8, seed=0),
        *between,
        nn.Dropout(0.2, seed=0),
        nn.Linear(8, CLASSES, seed=1),
    )
    return parts(nn.Sequential(*layers), F.cross_entropy, drawn(ROWS, 4), labels())


def squares_of(out, t):
    return sum((a - b) ** 2 for a, b in zip(out, t, strict=True)) / len(t)


def values_without_zero_grad(mended):
    model = nn.MLP(2, [4, 1], seed=0)
    found = parts(model, squares_of, drawn(8, 2), drawn(8), optim.SGD, 0.05)
    optimizer = found["optimizer"]

    def step(x, y):
        if mended:
            model.zero_grad()
        squares_of([model(row) for row in x.tolist()], y.tolist()).backward()
        optimizer.step()

    return {**found, "step": step}


def values_left_by_a_loop(mended):
    found = values_without_zero_grad(mended)
    x, y = (Tensor(a) for a in found["data"])
    for _ in range(10):
        found["step"](x, y)
    return {**found, "step": None}


def nll_of_softmax_of_values(mended):
    model = nn.MLP(2, [4, 3], seed=0)

    def loss(out, t):
        total = 0.0
        for scores, k in zip(out, t, strict=True):
            e = [s.exp() for s in scores]
            p = e[k] / sum(e)
            total = total - (p.log() if mended else p)
        return total / len(t)

    return parts(model, loss, drawn(9, 2), labels(9), optim.SGD, 0.05)


def squeezed_in_the_loss(mended):
    model, x = one_output()

    def loss(out, t):
        return ((out - (t if mended else t.reshape(-1))) ** 2).mean()

    return parts(model, loss, x, drawn(ROWS, 1))


def order_in_large_batches(mended):
    x, y = drawn(64, 4), np.sort(labels(64))
    model, _ = features()
    loader = DataLoader((x, y), batch_size=24, shuffle=mended, seed=0)
    return {**parts(model, F.cross_entropy, x, y), "data": loader}


def leaking_opposite(mended):
    y = yes_and_no()[:, None]
    return with_column(mended, 1.0 - y[:, 0], y, F.binary_cross_entropy_with_logits)


# --- the order of the calls in a step -------------------------------------------------------------


def in_order(net, wrong, right=("zero", "backward", "step"), make=optim.Adam, by_model=False):
    """Return a program whose step makes calls in an order."""

    def program(mended):
        model, x = net()
        found = parts(model, F.cross_entropy, x, labels(), make)
        optimizer = found["optimizer"]

        def step(x, y):
            loss = F.cross_entropy(model(x), y)
            calls = {"step": optimizer.step, "backward": loss.backward}
            calls["zero"] = model.zero_grad if by_model else optimizer.zero_grad
            for name in right if mended else wrong:
                calls[name]()

        return {**found, "step": step}

    return program


def cleared_by_hand(mended):
    model, x = scorer()
    found = parts(model, F.binary_cross_entropy_with_logits, x, yes_and_no(), optim.SGD, 0.1)

    def step(x, y):
        if mended:
            found["optimizer"].zero_grad()
        F.binary_cross_entropy_with_logits(model(x), y).backward()
        if not mended:
            for p in model.parameters():
                p.grad = None
        found["optimizer"].step()

    return {**found, "step": step}


def values_cleared_too_late(mended):
    model = nn.MLP(2, [4, 1], seed=0)
    found = parts(model, squares_of, drawn(8, 2), drawn(8), optim.SGD, 0.05)

    def step(x, y):
        loss = squares_of([model(row) for row in x.tolist()], y.tolist())
        calls = [model.zero_grad, loss.backward]
        for call in calls if mended else reversed(calls):
            call()
        found["optimizer"].step()

    return {**found, "step": step}


# --- the optimizer of another model ---------------------------------------------------------------


def optimizer_of(other):
    """Return a program whose optimizer is made of the parameters of another model."""

    def program(mended):
        model, x = images()
        held = (model if mended else other(model)).parameters()
        return {"model": model, "loss": F.cross_entropy, "data": (x, labels()),
                "optimizer": optim.Adam(held, lr=0.01)}  # fmt: skip

    return program


def made_again(mended):
    model = nn.MLP(2, [4, 1], seed=0)
    optimizer = optim.SGD(model.parameters(), lr=0.05)
    if not mended:
        model = nn.MLP(2, [4, 1], seed=0)
    return {"model": model, "loss": squares_of, "optimizer": optimizer,
            "data": (drawn(8, 2), drawn(8))}  # fmt: skip


# --- samples that are mixed -----------------------------------------------------------------------


class Sequences(nn.Module):
    """A layer of sequences, whose result at the last place goes to a layer of classes."""

    def __init__(self, layer, width=6):
        self.layer, self.head = layer, nn.Linear(width, CLASSES, seed=1)

    def forward(self, x):
        out = self.layer(x)
        return self.head((out[0] if isinstance(out, tuple) else out)[:, -1])


def recurrent_over_samples(kind, **others):
    def program(mended):
        layer = kind(3, 6, batch_first=mended, seed=0, **others)
        model = Sequences(layer, 12 if others.get("bidirectional") else 6)
        return parts(model, F.cross_entropy, Tensor(drawn(ROWS, 5, 3)), labels())

    return program


def encoder_over_samples(mended):
    layer = nn.TransformerEncoderLayer(6, 2, 12, batch_first=mended, seed=0)
    return parts(Sequences(layer), F.cross_entropy, Tensor(drawn(ROWS, 5, 6)), labels())


class SelfAttention(nn.Module):
    def __init__(self, mended):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, CLASSES, seed=1)
        self.attention = nn.MultiheadAttention(6, 2, batch_first=mended, seed=2)

    def forward(self, x):
        h = self.table(x)
        return self.head((h + self.attention(h, h, h)[0]).mean(axis=1))


def attention_over_samples(mended):
    return parts(SelfAttention(mended), F.cross_entropy, tokens(), labels())


class TimeFirst(nn.Module):
    """A recurrent layer of (time, samples, numbers)."""

    def __init__(self, mended):
        self.rnn, self.head, self.mended = nn.GRU(3, 6, seed=0), nn.Linear(6, 1, seed=1), mended

    def forward(self, x):
        n, length, width = x.shape
        first = x.transpose((1, 0, 2)) if self.mended else x.reshape(length, n, width)
        return self.head(self.rnn(first)[0][-1])


def reshaped_for_time(mended):
    return parts(TimeFirst(mended), F.mse_loss, Tensor(drawn(ROWS, 5, 3)), drawn(ROWS, 1))


class Flattened(nn.Module):
    def __init__(self, mended):
        self.conv, self.head = nn.Conv2d(1, 4, 3, seed=0), nn.Linear(144, CLASSES, seed=1)
        self.mended = mended

    def forward(self, x):
        h = self.conv(x).relu()
        h = h if self.mended else h.transpose((1, 0, 2, 3))
        return self.head(h.reshape(len(x), -1))


def flattened_after_a_transpose(mended):
    return parts(Flattened(mended), F.cross_entropy, Tensor(drawn(ROWS, 1, 8, 8)), labels())


class Loop(nn.Module):
    """A recurrence by hand, over the places or over the samples."""

    def __init__(self, mended):
        self.inner, self.start = nn.Linear(6, 6, seed=0), nn.Linear(3, 6, seed=1)
        self.head, self.mended = nn.Linear(6, CLASSES, seed=2), mended

    def forward(self, x):
        x = self.start(x)
        if self.mended:
            h = x[:, 0] * 0.0
            for t in range(x.shape[1]):
                h = (self.inner(h) + x[:, t]).tanh()
            return self.head(h)
        h, states = x[0] * 0.0, []
        for sample in x:
            h = (self.inner(h) + sample).tanh()
            states.append(h[-1])
        return self.head(stack(states))


def loop_over_samples(mended):
    return parts(Loop(mended), F.cross_entropy, Tensor(drawn(ROWS, 5, 3)), labels())


class Letters(nn.Module):
    """Scores of classes for each place, with a form for the loss."""

    def __init__(self, form):
        self.table, self.form = nn.Embedding(11, 6, seed=0), form
        self.rnn, self.head = nn.GRU(6, 6, batch_first=True, seed=1), nn.Linear(6, CLASSES, seed=2)

    def forward(self, x):
        return self.form(self.head(self.rnn(self.table(x))[0]))


def misread(wrong, right, form=lambda z: z, true_form=lambda z: z):
    """Return a program whose loss brings scores and tags together, in a right or a wrong way."""

    def program(mended):
        model = Letters(true_form if mended else form)
        return parts(model, right if mended else wrong, tokens(), tags())

    return program


def by_places(out, t):
    return F.cross_entropy(out.reshape(-1, CLASSES), t.reshape(-1))


def classes_second(out, t):
    return by_places(out.transpose((0, 2, 1)), t)


def reshaped_to_classes(out, t):
    """Classes come second in the form that the loss transposes back."""
    return classes_second(out.reshape(len(out), CLASSES, -1), t)


MISREAD = {
    "classes second": misread(by_places, classes_second, *[lambda z: z.transpose((0, 2, 1))] * 2),
    "a reshape of classes": misread(reshaped_to_classes, by_places),
    "time first": misread(by_places, by_places, lambda z: z.transpose((1, 0, 2))),
}


# --- targets out of reach -------------------------------------------------------------------------


def ending_with(last, y, scale=1.0, loss=F.mse_loss):
    """Return a regression whose model ends with an activation."""

    def program(mended):
        model = nn.Sequential(*one_output()[0], *(() if mended else (last(),)))

        def scaled(out, t):
            return loss(out * scale, t)

        return parts(model, loss if scale == 1.0 else scaled, drawn(ROWS, 4), y)

    return program


class Clipped(nn.Module):
    def forward(self, x):
        return x.clip(0.0, None)


class Rate(nn.Module):
    def __init__(self, mended):
        self.inner, self.mended = mlp_of(4, 8, 1), mended

    def forward(self, x):
        return self.inner(x).sigmoid() * (9.0 if self.mended else 2.0) + 1.0


def rate_between_one_and_three(mended):
    return parts(Rate(mended), F.mse_loss, drawn(ROWS, 4), 3.0 + abs(drawn(ROWS, 1)))


def values_ending_with_relu(mended):
    class Positive(nn.Module):
        def __init__(self):
            self.inner = nn.MLP(2, [4, 1], seed=0)

        def forward(self, x):
            return self.inner(x) if mended else self.inner(x).relu()

    return parts(Positive(), squares_of, drawn(8, 2), drawn(8), optim.SGD, 0.05)


# --- products of zeros ----------------------------------------------------------------------------


class LowRank(nn.Module):
    def __init__(self, up, down):
        self.base = nn.Linear(8, 8, seed=0).requires_grad_(False)
        self.up = Tensor(up * drawn(8, 2), requires_grad=True)
        self.down = Tensor(down * drawn(2, 8), requires_grad=True)

    def forward(self, x):
        return self.base(x) + x @ self.up @ self.down


def low_rank_of_zeros(mended):
    return parts(LowRank(float(mended), 0.0), F.mse_loss, drawn(ROWS, 8), drawn(ROWS, 8))


class Factors(nn.Module):
    """Factors of users and of things."""

    def __init__(self, mended):
        self.users, self.things = nn.Embedding(11, 4, seed=0), nn.Embedding(7, 4, seed=1)
        for table in (self.things,) if mended else (self.users, self.things):
            table.weight.data = np.zeros(table.weight.shape)

    def forward(self, user, thing):
        return (self.users(user) * self.things(thing)).sum(axis=1)


def factors_of_zeros(mended):
    random = np.random.default_rng(0)
    found = parts(Factors(mended), F.mse_loss, None, None)
    return {**found, "data": (random.integers(0, 11, ROWS), random.integers(0, 7, ROWS),
                              drawn(ROWS))}  # fmt: skip


class GatedBlock(nn.Module):
    def __init__(self, mended):
        self.start, self.block, self.head = (
            nn.Linear(a, b, seed=a) for a, b in ((4, 8), (8, 8), (8, CLASSES))
        )
        self.gate = Tensor(np.zeros(8), requires_grad=True)
        if not mended:
            self.block.weight.data, self.block.bias.data = np.zeros((8, 8)), np.zeros(8)

    def forward(self, x):
        h = self.start(x).tanh()
        return self.head(h + self.gate * self.block(h))


def gate_and_block_of_zeros(mended):
    return parts(GatedBlock(mended), F.cross_entropy, drawn(ROWS, 4), labels())


# --- the sign of a loss ---------------------------------------------------------------------------


def raised(net, loss):
    """Return a program with minus the loss."""

    def program(mended):
        model, x = net()
        sign = 1.0 if mended else -1.0
        return parts(model, lambda out, t: sign * loss(out, t), x, labels())

    return program


def raised_probability(mended):
    model, x = features(nn.LogSoftmax(-1) if mended else nn.Softmax(-1))
    sign = -1.0 if mended else 1.0
    return parts(model, lambda out, t: sign * chosen(out, t).mean(), x, labels())


def log_likelihood_of_two(mended):
    model, x = scorer()
    sign = -1.0 if mended else 1.0

    def loss(z, t):
        return sign * (t * F.logsigmoid(z) + (1.0 - t) * F.logsigmoid(-z)).mean()

    return parts(model, loss, x, yes_and_no())


def score_of_a_regression(mended):
    """R², which is to be large."""
    model, x = one_output()
    y = drawn(ROWS, 1)

    def loss(out, t):
        r2 = 1.0 - ((out - t) ** 2).sum() / float(((y - y.mean()) ** 2).sum())
        return -r2 if mended else r2

    return parts(model, loss, x, y)


class Normal(nn.Module):
    """A mean and the logarithm of a deviation for each row."""

    def __init__(self):
        self.mean, self.log_scale = mlp_of(4, 8, 1), mlp_of(4, 8, 1)

    def forward(self, x):
        return self.mean(x), self.log_scale(x)


def log_prob(mean, log_scale, y):
    return -0.5 * ((y - mean) / log_scale.exp()) ** 2 - log_scale - 0.5 * np.log(2.0 * np.pi)


def normal_log_prob(mended):
    sign = -1.0 if mended else 1.0
    return parts(
        Normal(), lambda out, t: sign * log_prob(*out, t).mean(), drawn(ROWS, 4), drawn(ROWS, 1)
    )


class Density(nn.Module):
    """The logarithm of a normal density of one column or two."""

    def __init__(self, columns):
        self.mean = Tensor(np.zeros(columns), requires_grad=True)
        self.log_scale = Tensor(np.zeros(columns), requires_grad=True)

    def forward(self, x):
        return log_prob(self.mean, self.log_scale, x).sum(axis=1)


def density_of(columns, total):
    def program(mended):
        sign = -1.0 if mended else 1.0

        def loss(out, t):
            return sign * (out.sum() if total else out.mean())

        found = parts(Density(columns), loss, None, None)
        return {**found, "data": (Tensor(1.0 + 2.0 * drawn(60, columns)),)}

    return program


def maximizing(mended):
    model, x = images()
    optimizer = optim.SGD(model.parameters(), lr=0.01, maximize=not mended)
    return {"model": model, "loss": F.cross_entropy, "optimizer": optimizer, "data": (x, labels())}


# --- inputs and labels that were shuffled apart ---------------------------------------------------


def apart(x, y, model, loss, loader=False, seed=4):
    """Return a program whose inputs are shuffled without the targets."""

    def program(mended):
        order = np.random.default_rng(seed).permutation(len(x))
        found = parts(model(), loss, x if mended else x[order], y)
        if loader:
            found["data"] = DataLoader(found["data"], batch_size=32, shuffle=True, seed=0)
        return found

    return program


def blobs(rows=300, width=2):
    y = labels(rows)
    return drawn(rows, width) + 3.0 * drawn(CLASSES, width)[y], y


def rings(rows=400):
    y = labels(rows, 2).astype(float)[:, None]
    x = drawn(rows, 2)
    return (1.0 + y) * x / np.sqrt((x**2).sum(1, keepdims=True)) + 0.1 * drawn(rows, 2), y


def waves(rows=260):
    x = drawn(rows, 3)
    return x, np.sin(2.0 * x[:, :1]) + x[:, 1:2] ** 2 + 0.3 * drawn(rows, 1)


ONE, OTHER = "log_softmax", "first softmax"
BROKEN = {
    **{
        f"label -1, {net.__name__}": (minus_one(net), ("labels are -1", "class 2"), "keep = y >= 0")
        for net in NETS
    },
    **{
        f"nll of softmax, {net.__name__}": (
            nll_of_softmax(net),
            ("minus a probability", "-log p is"),
            ONE,
        )
        for net in NETS
    },
    **{
        f"nll after Softmax, {net.__name__}": (
            nll_after_softmax_layer(net),
            ("minus a probability",),
            ONE,
        )
        for net in NETS
    },
    **{
        f"softmax twice, {net.__name__}": (
            softmax_twice(net),
            ("softmax is applied twice", "cannot fall below"),
            OTHER,
        )
        for net in NETS
    },
    **{
        f"softmax in the loss, {net.__name__}": (
            softmax_twice_in_the_loss(net),
            ("softmax is applied twice",),
            OTHER,
        )
        for net in NETS
    },
    **{
        f"softmax over rows, {net.__name__}": (
            softmax_over_rows(net),
            ("over the rows of the batch",),
            "axis=-1",
        )
        for net in NETS
    },
    **{
        f"Softmax(0), {net.__name__}": (
            softmax_layer_over_rows(net),
            ("over the rows of the batch",),
            "axis=-1",
        )
        for net in NETS
    },
    "attention over queries": (attention_over_queries, ("attention", "wrong axis"), "axis=-1"),
    "double sigmoid": (double_sigmoid, ("sigmoid is applied twice",), "Leave out one sigmoid"),
    "double sigmoid, images": (
        double_sigmoid_of_images,
        ("sigmoid is applied twice",),
        "Leave out one sigmoid",
    ),
    "double sigmoid, loss": (
        double_sigmoid_in_the_loss,
        ("sigmoid is applied twice",),
        "Leave out one sigmoid",
    ),
    "signs": (labels_of_signs, ("labels of -1", "12 of 24"), "(y + 1) / 2"),
    "signs, own loss": (labels_of_signs_in_an_own_loss, ("labels of -1",), "(y + 1) / 2"),
    "signs, Values": (labels_of_signs_for_values, ("labels of -1",), "(y + 1) / 2"),
    **{
        f"(n, 1) and (n,), {net.__name__}": (
            column(net, own),
            ("every output with every target", "(24, 1)"),
            "output[:, 0]",
        )
        for net, own in (
            (one_output, squares),
            (one_output_of_images, distances),
            (one_output_of_sequences, smooth),
        )
    },
    **{
        f"fake batch, {judge.__name__}": (
            fake_batch(judge, outer),
            ("output of generator is not detached", "norm"),
            "generator(...).detach()",
        )
        for judge, outer in ((minimax, True), (least_squares, True), (wasserstein, False))
    },
    "target network": (target_network, ("target from target is not detached",), "no_grad"),
    "target network inside": (
        target_network_inside,
        ("target from model.target is not detached",),
        "no_grad",
    ),
    "target of the same network": (
        target_of_the_same_network,
        ("target is not detached", "moves with"),
        "no_grad",
    ),
    "layer called twice": (
        layer_called_twice,
        ("model.first is used 2 times", "model.second never"),
        "Call second",
    ),
    "list times three": (list_times_three, ("one layer is used 3 times",), "Make a new Linear"),
    "one block for two": (one_block_for_two, ("one layer is used 2 times",), "Make a new "),
    "no activation": (no_activation, ("without an activation", "rank 3"), "nn.ReLU()"),
    "no activation, images": (
        no_activation_after_convolutions,
        ("without an activation",),
        "nn.ReLU()",
    ),
    "no activation, by hand": (no_activation_by_hand, ("without an activation",), "nn.ReLU()"),
    "no activation, Values": (
        no_activation_of_values,
        ("the model is linear",),
        "activation between",
    ),
    "head only": (
        optimizer_of_the_head,
        ("optimizer does not have 0.weight",),
        "requires_grad=False",
    ),
    "layer added later": (layer_added_later, ("optimizer does not have",), "after the last layer"),
    "embedding left out": (
        embedding_left_out,
        ("optimizer does not have table.weight",),
        "after the last layer",
    ),
    "tied decay": (tied_decay, ("decayed 2 times",), "counts once"),
    "tied coder": (tied_coder_decay, ("decayed 2 times",), "counts once"),
    "decay in both": (decay_in_both, ("decayed twice", "weight_decay=0.1"), "Leave out one"),
    **{
        f"zero_grad, {net.__name__}": (
            without_zero_grad(net, make),
            ("gradients are added", "norm"),
            "optimizer.zero_grad()",
        )
        for net, make in ((features, optim.SGD), (images, optim.Adam), (words, optim.RMSprop))
    },
    **{
        f"left by a loop, {net.__name__}": (
            left_by_a_loop(net),
            ("sums over several steps",),
            "zero_grad()",
        )
        for net in NETS
    },
    "eval, dropout": (
        in_eval_mode(lambda: nn.Dropout(0.5, seed=0)),
        ("mode of evaluation", "Dropout"),
        "model.train()",
    ),
    "eval, batch norm": (
        in_eval_mode(lambda: nn.BatchNorm1d(8)),
        ("mode of evaluation", "BatchNorm1d"),
        "model.train()",
    ),
    "eval in the step": (eval_inside_the_step, ("mode of evaluation",), "model.train()"),
    **{
        f"lr=1e-9, {net.__name__}": (
            tiny_rate(net, make),
            ("rate of 1e-09 is far too small", "it falls to"),
            "Try lr=",
        )
        for net, make in ((features, optim.SGD), (images, optim.Adam), (words, optim.AdamW))
    },
    **{
        f"class order, {net.__name__}": (
            class_order(net),
            ("order of their classes", "3 of 3 batches"),
            "shuffle=True",
        )
        for net in NETS
    },
    "class order, table": (sorted_table, ("order of their classes",), "shuffle=True"),
    "leak, quantity": (leaking_quantity, ("column 2 equals the target",), "numpy.delete(x, 2"),
    "leak, class": (leaking_class, ("column 2 equals the target",), "numpy.delete(x, 2"),
    "leak, standardized": (
        leaking_standardized,
        ("column 2 is the target, minus its mean",),
        "numpy.delete(x, 2",
    ),
    "leak, codes": (leaking_codes, ("one number for each of the 3 classes",), "numpy.delete(x, 2"),
    "constant 7": (constant(7.0), ("column 2 is 7 in all",), "numpy.delete(x, [2]"),
    "constant 0": (constant(0.0), ("column 2 is 0 in all",), "numpy.delete(x, [2]"),
    "constant 1 beside a bias": (constant(1.0), ("column 2 is 1 in all",), "numpy.delete(x, [2]"),
    "sum in float16": (sum_in_float16, ("float16 loses",), "float32"),
    "penalty in float16": (running_penalty, ("float16 loses",), "float32"),
    "half network": (half_network, ("float16 loses",), "float32"),
    "label -1, tags": (minus_one_of_tags, ("labels are -1",), "keep = y >= 0"),
    "softmax over places": (softmax_over_places, ("taken over axis 1",), "axis=-1"),
    "attention over heads": (attention_over_heads, ("attention", "wrong axis"), "axis=-1"),
    "attention by hand": (attention_by_hand, ("attention", "wrong axis"), "axis=-1"),
    "softmax twice, smoothing": (
        softmax_twice_with_smoothing,
        ("softmax is applied twice",),
        OTHER,
    ),
    "sigmoid twice, weights": (
        sigmoid_twice_with_weights,
        ("sigmoid is applied twice",),
        "Leave out one",
    ),
    "(n, 1) and (n,), weights": (
        weighted_column,
        ("every output with every target",),
        "output[:, 0]",
    ),
    "value network": (value_network, ("target is not detached",), "no_grad"),
    "GAN in one module": (
        gan_in_one_module,
        ("output of model.generator is not detached",),
        "detach()",
    ),
    "squeezed in the loss": (
        squeezed_in_the_loss,
        ("every output with every target", "array of (24, 24)"),
        "output[:, 0]",
    ),
    "class order, large batches": (
        order_in_large_batches,
        ("order of their classes", "change 2 times"),
        "shuffle=True",
    ),
    "leak, opposite": (
        leaking_opposite,
        ("one number for each of the 2 classes",),
        "numpy.delete(x, 2",
    ),
    "list in an attribute": (
        list_in_an_attribute,
        ("one layer is used 2 times", "model.inner[0]"),
        "Make a new Linear",
    ),
    "convolution called twice": (
        convolution_called_twice,
        ("model.one is used 2 times",),
        "Call two",
    ),
    "no activation, dropout": (
        no_activation_around_dropout,
        ("without an activation",),
        "nn.ReLU()",
    ),
    "zero_grad, Values": (values_without_zero_grad, ("gradients are added",), "zero_grad()"),
    "left by a loop, Values": (values_left_by_a_loop, ("sums over several steps",), "zero_grad()"),
    "nll of softmax, Values": (nll_of_softmax_of_values, ("minus a probability",), ONE),
    **{
        f"zero_grad before step, {name}": (
            program,
            ("gets gradients of 0", "zero_grad() has cleared"),
            "Call zero_grad() before backward()",
        )
        for name, program in {
            "features": in_order(features, ("backward", "zero", "step")),
            "images": in_order(images, ("backward", "zero", "step"), make=optim.AdamW),
            "words": in_order(words, ("backward", "zero", "step"), by_model=True),
            "Values": values_cleared_too_late,
        }.items()
    },
    "gradients cleared by hand": (cleared_by_hand, ("gets gradients of 0",), "Call backward()"),
    **{
        f"step before backward, {name}": (
            program,
            ("gets gradients of 0", "after it they have norm"),
            "Call backward() before optimizer.step()",
        )
        for name, program in {
            "features": in_order(features, ("zero", "step", "backward")),
            "images": in_order(images, ("zero", "step", "backward"), make=optim.SGD),
        }.items()
    },
    **{
        f"gradients of the batch before, {name}": (
            program,
            ("the gradients of the batch before", "come later"),
            "Call optimizer.step() after backward()",
        )
        for name, program in {
            "features": in_order(features, ("step", "zero", "backward")),
            "words": in_order(words, ("step", "zero", "backward"), make=optim.SGD),
        }.items()
    },
    **{
        f"no step, {name}": (program, ("takes no step", "64 steps"), "Call optimizer.step()")
        for name, program in {
            "features": in_order(features, ("zero", "backward")),
            "images": in_order(images, ("backward",)),
        }.items()
    },
    "no backward": (
        in_order(features, ("zero", "step")),
        ("gets gradients of 0",),
        "Call backward() on the loss",
    ),
    **{
        f"optimizer of {name}": (
            program,
            ("does not have the parameters of model", "same shapes"),
            "Make optimizer from model.parameters()",
        )
        for name, program in {
            "a copy": optimizer_of(copy.deepcopy),
            "another model": optimizer_of(lambda model: images()[0]),
            "a model that is made again": made_again,
        }.items()
    },
    "optimizer of a model of another kind": (
        optimizer_of(lambda model: features()[0]),
        ("does not have the parameters of model", "4 others, and"),
        "Make optimizer from model.parameters()",
    ),
    **{
        f"samples mixed, {name}": (
            program,
            ("mixes the samples", f"{count} of 11 other outputs", "batch_first=False"),
            "batch_first=True",
        )
        for name, count, program in (
            ("GRU", 11, recurrent_over_samples(nn.GRU)),
            ("LSTM of two layers", 11, recurrent_over_samples(nn.LSTM, num_layers=2)),
            ("RNN in both directions", 11, recurrent_over_samples(nn.RNN, bidirectional=True)),
            ("encoder", 11, encoder_over_samples),
            ("attention", 11, attention_over_samples),
        )
    },
    **{
        f"samples mixed, {name}": (
            program,
            ("mixes the samples", "in another order of the samples"),
            "permute or transpose",
        )
        for name, program in {
            "reshape for a GRU": reshaped_for_time,
            "reshape after a transpose": flattened_after_a_transpose,
            "a loop": loop_over_samples,
        }.items()
    },
    **{
        f"misread, {name}": (
            program,
            ("reads the scores of other places", "if the label (12, 4) changes"),
            "permute or transpose",
        )
        for name, program in MISREAD.items()
    },
    **{
        f"targets out of reach, {name}": (
            program,
            ("never gives some of the targets", words),
            "Leave out",
        )
        for name, words, program in (
            ("relu", "12 of 24", ending_with(nn.ReLU, drawn(ROWS, 1))),
            ("softplus", "12 of 24", ending_with(nn.Softplus, drawn(ROWS, 1), loss=F.l1_loss)),
            ("sigmoid", "24 of 24", ending_with(nn.Sigmoid, 40.0 + drawn(ROWS, 1))),
            ("tanh", "of 24", ending_with(nn.Tanh, 3.0 * drawn(ROWS, 1), loss=F.smooth_l1_loss)),
            ("clip", "between 0 and inf", ending_with(Clipped, drawn(ROWS, 1))),
            ("scaled", "between 1 and 3", rate_between_one_and_three),
            ("Values", "of 8", values_ending_with_relu),
        )
    },
    **{
        f"zeros, {name}": (program, ("stay 0", words, "its own is still 0"), "Start one of the two")
        for name, words, program in (
            ("low rank", "down and up", low_rank_of_zeros),
            ("factors", "things.weight and users.weight", factors_of_zeros),
            ("gate", "block.weight and gate", gate_and_block_of_zeros),
        )
    },
    **{
        f"wrong sign, {name}": (program, ("the loss has the wrong sign",), "Change the sign")
        for name, program in {
            **{net.__name__: raised(net, F.cross_entropy) for net in NETS},
            "smoothing": raised(
                features, lambda out, t: F.cross_entropy(out, t, label_smoothing=0.1)
            ),
            "two classes": log_likelihood_of_two,
            "a probability": raised_probability,
            "R²": score_of_a_regression,
            "normal": normal_log_prob,
            "density": density_of(1, False),
            "density of two columns": density_of(2, True),
        }.items()
    },
    "maximize=True": (maximizing, ("the loss has the wrong sign", "maximizes it"), "maximize"),
    **{
        f"shuffled apart, {name}": (
            program,
            ("do not depend on the inputs", f"{rows} rows", "10 of 10 draws"),
            "x[order]",
        )
        for name, rows, program in (
            ("blobs", 300, apart(*blobs(), lambda: mlp_of(2, 8, CLASSES), F.cross_entropy)),
            (
                "blobs in batches",
                512,
                apart(*blobs(600, 5), lambda: mlp_of(5, 8, CLASSES), F.cross_entropy, True),
            ),
            (
                "rings",
                400,
                apart(
                    *rings(), lambda: mlp_of(2, 8, 1), F.binary_cross_entropy_with_logits, seed=5
                ),
            ),
            ("waves", 260, apart(*waves(), lambda: mlp_of(3, 8, 1), F.mse_loss)),
        )
    },
}
"""By name: the program, words of what is found, and words of the remedy."""
