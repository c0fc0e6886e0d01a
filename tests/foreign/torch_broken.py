"""Broken programs of PyTorch as people post them: what is wrong, and the edit that repairs each."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PROGRAMS", "Broken"]


class Broken(NamedTuple):
    """A program that ends in a NaN or an infinity. Its cause is in the line with the mark.

    ``op``      the operation that is the cause
    ``remedy``  words, of which one is in the remedy
    ``old``     a part of the program that ``new`` replaces, by which it is repaired
    """

    source: str
    op: str
    remedy: tuple[str, ...]
    old: str
    new: str
    quick: bool = False


HEAD = "import torch\nimport torch.nn.functional as F\n\ntorch.manual_seed(0)\n"

PROGRAMS: dict[str, Broken] = {
    "distance of a point to itself": Broken(
        """
w = torch.randn(4, 2, requires_grad=True)
gaps = w[:, None] - w[None, :]
distances = torch.sqrt((gaps * gaps).sum(-1))  # <-
loss = distances.mean()
loss.backward()
""",
        "sqrt", ("gaps.norm(dim=-1)",), ".sum(-1))  #", ".sum(-1) + 1e-12)  #", quick=True,
    ),
    "sqrt of a negative output": Broken(
        """
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(16, 3)
for step in range(40):
    optimizer.zero_grad()
    spread = torch.sqrt(model(x) + 0.9)  # <-
    loss = spread.mean()
    loss.backward()
    optimizer.step()
""",
        "sqrt", ("softplus",), "torch.sqrt(model(x) + 0.9)",
        "torch.sqrt(F.softplus(model(x) + 0.9))", quick=True,
    ),
    "log of 0": Broken(
        """
counts = torch.tensor([3.0, 0.0, 1.0], requires_grad=True)
p = counts / counts.sum()
loss = -(p * torch.log(p)).sum()  # <-
loss.backward()
""",
        "log", ("1e-12", "clip"), "torch.log(p)", "torch.log(p + 1e-12)",
    ),
    "normalised row of zeros": Broken(
        """
x = torch.tensor([[1.0, 3.0], [0.0, 0.0]])
w = torch.ones(2, requires_grad=True)
h = x * w
rows = h / h.sum(1, keepdim=True)  # <-
loss = (rows * rows).sum()
loss.backward()
""",
        "div", ("1e-12", "where"), "h.sum(1, keepdim=True)", "(h.sum(1, keepdim=True) + 1e-12)",
    ),
    "attention row without a key": Broken(
        """
q = torch.randn(3, 4, requires_grad=True)
mask = torch.tensor([[1, 1, 0], [0, 0, 0], [1, 1, 1]]).bool()
scores = (q @ q.T).masked_fill(~mask, float("-inf"))
weights = torch.softmax(scores, dim=-1)  # <-
loss = (weights @ q).sum()
loss.backward()
""",
        "softmax", ("mask", "-1e9"), 'float("-inf")', "-1e9", quick=True,
    ),
    "softmax by hand": Broken(
        """
logits = torch.tensor([[10.0, 100.0, 5.0]], requires_grad=True)
p = torch.exp(logits) / torch.exp(logits).sum()  # <-
loss = -p[0, 1]
loss.backward()
""",
        "exp", ("softmax", "maximum"), "torch.exp(logits) / torch.exp(logits).sum()",
        "torch.softmax(logits, dim=1)",
    ),
    "logarithm in a branch that is not taken": Broken(
        """
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, torch.log(x), torch.zeros_like(x))  # <-
loss = y.sum()
loss.backward()
""",
        "log", ("1e-12", "where"), "torch.log(x)", "torch.log(torch.where(x > 0, x, 1.0))",
    ),
    "norm of a zero vector": Broken(
        """
v = torch.zeros(3, requires_grad=True)
loss = (v ** 2).sum() ** 0.5  # <-
loss.backward()
""",
        "sqrt", ("1e-12", "norm"), "(v ** 2).sum() ** 0.5", "((v ** 2).sum() + 1e-12) ** 0.5",
    ),
    "angle between equal vectors": Broken(
        """
a = torch.tensor([1.0, 0.0], requires_grad=True)
b = torch.tensor([1.0, 0.0])
angle = torch.acos(F.cosine_similarity(a, b, dim=0))  # <-
angle.backward()
""",
        "acos", ("clip", "Clip"), "F.cosine_similarity(a, b, dim=0)",
        "F.cosine_similarity(a, b, dim=0).clamp(-1 + 1e-6, 1 - 1e-6)",
    ),
    "binary cross-entropy by hand": Broken(
        """
logits = torch.tensor([200.0, -1.0], requires_grad=True)
y = torch.tensor([0.0, 1.0])
p = torch.sigmoid(logits)
loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # <-
loss.backward()
""",
        "log", ("logits",), "-(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()",
        "F.binary_cross_entropy_with_logits(logits, y)",
    ),
    "label smoothing of a hidden class": Broken(
        """
w = torch.randn(3, 3, requires_grad=True)
x = torch.eye(3)[:2]
hidden = torch.tensor([[False, True, False]])
logits = (x @ w).masked_fill(hidden, float("-inf"))  # <-
loss = F.cross_entropy(logits, torch.tensor([0, 2]), label_smoothing=0.1)
loss.backward()
""",
        "where", ("mask", "-1e9"), 'float("-inf")', "-1e4",
    ),
    "learning rate too large": Broken(
        """
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1000.0)
x = torch.randn(8, 2)
for step in range(30):
    optimizer.zero_grad()
    loss = (model(x) - 1).square().mean()  # <-
    loss.backward()
    optimizer.step()
""",
        "square", ("learning rate",), "lr=1000.0", "lr=0.1",
    ),
    "standard deviation of one sample": Broken(
        """
w = torch.ones(4, requires_grad=True)
batch = torch.randn(1, 4) * w
h = (batch - batch.mean(0)) / batch.std(0, correction=1)  # <-
loss = h.sum()
loss.backward()
""",
        "std", ("correction", "element"), "batch.std(0, correction=1)",
        "(batch.std(0, correction=0) + 1e-5)",
    ),
    "overflow of float16": Broken(
        """
w = torch.full((4,), 300.0, requires_grad=True)
h = w.half()
energy = h * h  # <-
loss = energy.float().mean()
loss.backward()
""",
        "mul", ("h.float() * h",), "w.half()", "w.bfloat16()", quick=True,
    ),
    "power of a negative base": Broken(
        """
x = torch.tensor([-1.0, 4.0])
w = torch.ones(2, requires_grad=True)
loss = ((x * w) ** 1.5).sum()  # <-
loss.backward()
""",
        "pow", ("softplus",), "(x * w) ** 1.5", "F.softplus(x * w) ** 1.5",
    ),
    "a constant column that is standardised": Broken(
        """
X = torch.randn(20, 4)
X[:, 2] = 1.0
X = (X - X.mean(0)) / X.std(0)  # <-
model = torch.nn.Linear(4, 1)
loss = model(X).square().mean()
loss.backward()
""",
        "matmul", ("(X.std(0) + 1e-5)",), "X.std(0)", "(X.std(0) + 1e-5)",
    ),
    "infinity minus infinity": Broken(
        """
a = torch.tensor([800.0], requires_grad=True)
loss = (torch.log(torch.exp(a)) - a).sum()  # <-
loss.backward()
""",
        "exp", ("logsumexp", "bound"), "torch.log(torch.exp(a))", "torch.logsumexp(a[None], 0)",
    ),
}  # fmt: skip
