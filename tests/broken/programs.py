"""Programs as people post them, each with a mistake, its words, and the remedy as an edit.

The remedy is the one that `why` writes (`Cause.edit`), or ``mended``: the old text and the new one.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["HEAD", "PROGRAMS", "Program"]


class Program(NamedTuple):
    """One broken program: its name, its source, what is asked about, what has to be said."""

    name: str
    source: str
    asked: str
    words: tuple[str, ...]
    mended: tuple[str, str] | None = None


HEAD = """import numpy as np
import gradwalk as gw
from gradwalk import Tensor, Value, nn, optim, where
from gradwalk.nn import functional as F
"""

PROGRAMS = [
    Program(
        "attention row without a key",
        HEAD
        + """
scores = Tensor([[1.0, 2.0, 3.0], [0.5, 0.1, 0.2]], requires_grad=True)
mask = np.array([[True, True, False], [False, False, False]])
weights = F.softmax(where(mask, scores, -np.inf), dim=-1)
loss = (weights ** 2).sum()
loss.backward()
""",
        "loss",
        ("softmax = nan at element [1, 0]", "all numbers that it reads are -inf", "-1e9"),
    ),
    Program(
        "attention mask that is filled",
        HEAD
        + """
q = Tensor(np.ones((1, 3, 4)), requires_grad=True)
padding = np.array([[True, True, True]])
scores = (q @ q.mT) / 2.0
scores = scores.masked_fill(padding[:, None, :], float("-inf"))
attended = scores.softmax(dim=-1) @ q
loss = attended.mean()
loss.backward()
""",
        "loss",
        ("softmax = nan", "masked_fill", "-1e9"),
    ),
    Program(
        "attention bias of minus infinity",
        HEAD
        + """
scores = Tensor(np.zeros((2, 2)), requires_grad=True)
bias = np.array([[0.0, -np.inf], [-np.inf, -np.inf]])
weights = (scores + bias).softmax(dim=-1)
loss = weights.sum()
""",
        "loss",
        ("softmax = nan at element [1, 0]", "0 + -inf", "bias.clip(-1e9)"),
    ),
    Program(
        "stable softmax by hand, of an empty row",
        HEAD
        + """
scores = Tensor(np.zeros((2, 2)), requires_grad=True)
bias = np.array([[0.0, -np.inf], [-np.inf, -np.inf]])
shifted = scores + bias
shifted = shifted - shifted.max(axis=1, keepdims=True)
weights = shifted.exp() / shifted.exp().sum(axis=1, keepdims=True)
loss = weights.sum()
""",
        "loss",
        ("-inf - -inf = nan", "difference of two infinities", "bias.clip(-1e9)"),
    ),
    Program(
        "a mask that hides the target",
        HEAD
        + """
logits = Tensor([[1.0, 2.0, 3.0], [0.5, 0.1, 0.2]], requires_grad=True)
allowed = np.array([[True, True, True], [True, True, False]])
loss = F.cross_entropy(where(allowed, logits, -np.inf), np.array([0, 2]))
""",
        "loss",
        ("the constant -inf in where", "hides a number that the result needs"),
        ("np.array([0, 2])", "np.array([0, 1])"),
    ),
    Program(
        "overflow that hides in a quotient",
        HEAD
        + """
x = Tensor(np.array([1.0, 100.0], np.float32), requires_grad=True)
e = x.exp()
p = 2.7 / e
loss = p.log().sum()
""",
        "loss",
        ("exp(100) = inf at element [1]", "overflow", "smaller: divide the data"),
        ("100.0]", "10.0]"),
    ),
    Program(
        "overflow that hides in a sigmoid by hand",
        HEAD
        + """
from gradwalk import exp, log
from gradwalk.inspect import lines
with lines():
    z = Value(-800.0)
    p = 1.0 / (1.0 + exp(-z))
    loss = -log(p)
""",
        "loss",
        ("exp(800) = inf", "Write `z.sigmoid()`"),
    ),
    Program(
        "overflow that hides in a tanh",
        HEAD
        + """
x = Tensor([2.0, 800.0], requires_grad=True)
gate = x.exp().tanh()
loss = (1.0 - gate).log().sum()
""",
        "loss",
        ("exp(800) = inf at element [1]",),
        ("x.exp().tanh()", "(x / 800.0).tanh()"),
    ),
    Program(
        "half of the graph is freed",
        HEAD
        + """
w = Tensor([1.0, 2.0], requires_grad=True)
h = w * 3.0
a = h.sum()
b = (h / Tensor([1.0, 0.0])).sum()
a.backward()
""",
        "b",
        ("6 / 0 = inf at element [1]", "a division by 0", "(Tensor([1.0, 0.0]) + 1e-12)"),
    ),
    Program(
        "unit vectors of zeros",
        HEAD
        + """
v = Tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
length = (v * v).sum(axis=1, keepdims=True).sqrt()
unit = v / length
loss = unit.sum()
loss.backward()
""",
        "loss",
        ("0 / 0 = nan at element [1, 0]", "keepdims=True) + 1e-12).sqrt()"),
    ),
    Program(
        "epsilon after the norm",
        HEAD
        + """
v = Tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
length = (v * v).sum(axis=1, keepdims=True).sqrt() + 1e-12
loss = (v / length).sum()
loss.backward()
""",
        "v",
        (
            "sqrt(0) = 0 at element [1, 0]",
            "inf",
            "v.norm(axis=1, keepdims=True)",
        ),
    ),
    Program(
        "distance of equal points",
        HEAD
        + """
a = Tensor([1.0, 2.0], requires_grad=True)
b = Tensor([1.0, 2.0])
distance = gw.sqrt(((a - b) ** 2).sum())
loss = distance * 1.0
loss.backward()
""",
        "a",
        ("sqrt(0) = 0", "(a - b).norm()"),
    ),
    Program(
        "distance as a power",
        HEAD
        + """
from gradwalk.inspect import lines
with lines():
    x, y = Value(1.5), Value(1.5)
    d = ((x - y) ** 2) ** 0.5
    d.backward()
""",
        "x",
        ("pow(0, 0.5)", "((x - y) ** 2 + 1e-12) ** 0.5"),
    ),
    Program(
        "standard deviation by hand",
        HEAD
        + """
x = Tensor([2.0, 2.0, 2.0], requires_grad=True)
variance = ((x - x.mean()) ** 2).mean()
z = (x - x.mean()) / variance.sqrt()
loss = (z * z).sum()
loss.backward()
""",
        "loss",
        ("0 / 0 = nan at element [0]", "(variance + 1e-5).sqrt()"),
    ),
    Program(
        "a leaf beside its mean",
        HEAD
        + """
w = Tensor([0.0, 0.0], requires_grad=True)
loss = (w - w.mean()).sqrt().sum()
loss.backward()
""",
        "w",
        ("sqrt(0) = 0 at element [0]", "(w - w.mean() + 1e-12).sqrt()"),
    ),
    Program(
        "cross entropy from probabilities",
        HEAD
        + """
logits = Tensor([[800.0, 0.0]], requires_grad=True)
p = F.softmax(logits, dim=-1)
loss = -(Tensor([[0.0, 1.0]]) * p.log()).sum()
loss.backward()
""",
        "loss",
        ("log(0) = -inf at element [0, 1]", "logits.log_softmax(dim=-1)", "log_softmax"),
    ),
    Program(
        "the logarithm of a softmax",
        HEAD
        + """
logits = Tensor([[800.0, 0.0]], requires_grad=True)
loss = -F.softmax(logits, dim=-1).log().mean()
loss.backward()
""",
        "loss",
        ("log(0) = -inf", "Write `logits.log_softmax(dim=-1)`"),
    ),
    Program(
        "binary cross entropy by hand",
        HEAD
        + """
z = Tensor([40.0, -3.0], requires_grad=True)
p = z.sigmoid()
target = np.array([0.0, 0.0])
loss = -(target * p.log() + (1.0 - target) * (1.0 - p).log()).mean()
loss.backward()
""",
        "loss",
        ("log(0) = -inf at element [0]", "(-z).log_sigmoid()"),
    ),
    Program(
        "perplexity that overflows",
        HEAD
        + """
loss = Tensor(np.array([120.0], np.float32), requires_grad=True)
perplexity = gw.exp(loss).mean()
perplexity.backward()
""",
        "perplexity",
        ("exp(120) = inf at element [0]", "start from smaller"),
        ("120.0", "12.0"),
    ),
    Program(
        "softmax by hand",
        HEAD
        + """
scores = Tensor([[1000.0, 0.0]], requires_grad=True)
p = scores.exp() / scores.exp().sum(axis=1, keepdims=True)
loss = (p * p).sum()
loss.backward()
""",
        "loss",
        ("exp(1000) = inf", "Write `scores.softmax(axis=1)`"),
    ),
    Program(
        "variance of a gaussian from its logarithm",
        HEAD
        + """
log_variance = Tensor([800.0, 0.0], requires_grad=True)
mean = Tensor([0.0, 0.0], requires_grad=True)
kl = 0.5 * (log_variance.exp() + mean ** 2 - 1.0 - log_variance).sum()
kl.backward()
""",
        "kl",
        ("exp(800) = inf at element [0]", "log_variance.clip(-50, 50).exp()"),
    ),
    Program(
        "angle between equal vectors",
        HEAD
        + """
a = Tensor([1.0, 0.0], requires_grad=True)
b = Tensor([1.0, 0.0])
angle = gw.acos((a * b).sum())
angle.backward()
""",
        "a",
        ("acos(1) = 0", "gw.acos((a * b).sum().clip(-1 + 1e-7, 1 - 1e-7))"),
    ),
    Program(
        "cosine above one",
        HEAD
        + """
c = Tensor([1.0000001, 0.5], requires_grad=True)
angle = c.acos().sum()
angle.backward()
""",
        "angle",
        ("acos(1) = nan", "c.clip(-1 + 1e-7, 1 - 1e-7).acos()"),
    ),
    Program(
        "atanh of one",
        HEAD
        + """
r = Tensor([1.0], requires_grad=True)
loss = r.atanh().sum()
""",
        "loss",
        ("atanh(1) = inf", "r.clip(-1 + 1e-7, 1 - 1e-7).atanh()"),
    ),
    Program(
        "a rate that turns negative",
        HEAD
        + """
rate = Tensor([0.2, -0.1], requires_grad=True)
loss = (rate.log() * 2.0).sum()
loss.backward()
""",
        "loss",
        ("log(-0.1) = nan at element [1]", "Look why rate is negative"),
        ("rate.log()", "rate.softplus().log()"),
    ),
    Program(
        "the root of a negative number",
        HEAD
        + """
x = Tensor([4.0, -1e-9], requires_grad=True)
loss = x.sqrt().sum()
loss.backward()
""",
        "loss",
        ("sqrt(-1e-09) = nan at element [1]", "x.clip(1e-12).sqrt()"),
    ),
    Program(
        "a power of a negative base",
        HEAD
        + """
x = Tensor([-2.0, 1.0], requires_grad=True)
loss = (x ** 1.5).sum()
""",
        "loss",
        ("pow(-2, 1.5) = nan at element [0]", "Look why x is negative"),
        ("x ** 1.5", "x.softplus() ** 1.5"),
    ),
    Program(
        "one over nothing",
        HEAD
        + """
counts = Tensor([2.0, 0.0], requires_grad=True)
weights = 1.0 / counts
loss = weights.sum()
""",
        "loss",
        ("1 / 0 = inf at element [1]", "1.0 / (counts + 1e-12)"),
    ),
    Program(
        "the mean of an empty selection",
        HEAD
        + """
x = Tensor([1.0, 2.0], requires_grad=True)
chosen = np.array([0.0, 0.0])
mean = (x * chosen).sum() / Tensor(chosen).sum()
""",
        "mean",
        ("0 / 0 = nan", "(Tensor(chosen).sum() + 1e-12)"),
    ),
    Program(
        "zero times infinity",
        HEAD
        + """
x = Tensor([0.0, 1.0], requires_grad=True)
gate = np.array([0.0, 1.0])
loss = (x.log() * gate).sum()
loss.backward()
""",
        "loss",
        ("log(0) = -inf at element [0]", "(x + 1e-12).log()"),
    ),
    Program(
        "entropy of a share that is zero",
        HEAD
        + """
share = Tensor([0.0, 1.0], requires_grad=True)
entropy = -(share * share.log()).sum()
""",
        "entropy",
        ("log(0) = -inf at element [0]", "(share + 1e-12).log()"),
    ),
    Program(
        "divergence to a share that is zero",
        HEAD
        + """
p = Tensor([0.5, 0.5], requires_grad=True)
q = Tensor([1.0, 0.0], requires_grad=True)
kl = (p * (p / q).log()).sum()
""",
        "kl",
        ("0.5 / 0 = inf at element [1]", "p / (q + 1e-12)"),
    ),
    Program(
        "a column of data without a number",
        HEAD
        + """
X = np.array([[1.0, 2.0], [3.0, np.nan]])
model = nn.Linear(2, 1, seed=0)
loss = (model(Tensor(X)) ** 2).mean()
loss.backward()
""",
        "loss",
        ("the constant nan", "numpy.argwhere(~numpy.isfinite("),
        ("model(Tensor(X))", "model(Tensor(np.nan_to_num(X)))"),
    ),
    Program(
        "the logarithm of zero in the data",
        HEAD
        + """
with np.errstate(all="ignore"):
    target = np.log(np.array([0.0, 1.0]))
w = Tensor([0.1, 0.2], requires_grad=True)
loss = ((w - target) ** 2).sum()
loss.backward()
""",
        "loss",
        ("the constant -inf", "target", "a logarithm of 0"),
        ("np.array([0.0, 1.0])", "np.array([1e-6, 1.0])"),
    ),
    Program(
        "a learning rate that is far too large",
        HEAD
        + """
w = Tensor([1.0], requires_grad=True)
optimizer = optim.SGD([w], lr=1e150)
for _ in range(4):
    optimizer.zero_grad()
    loss = ((w * 3.0 - 1.0) ** 2).sum()
    loss.backward()
    optimizer.step()
""",
        "loss",
        ("w[0] is -inf itself", "lr=1e+150", "Write `lr=0.01` instead of `lr=1e150`"),
    ),
    Program(
        "a recurrence that explodes",
        HEAD
        + """
h, w = Tensor([1.0, 1.0]), Tensor([[9.0, 1.0], [0.0, 9.0]], requires_grad=True)
for _ in range(400):
    h = h @ w
loss = h.sum()
""",
        "loss",
        ("matmul", "overflow"),
        ("h @ w", "(h @ w).tanh()"),
    ),
    Program(
        "the NaN of an earlier step",
        HEAD
        + """
model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh(), nn.Linear(3, 1, seed=1))
optimizer = optim.Adam(model.parameters(), lr=0.1)
x = Tensor([[0.0, 1.0], [1.0, 0.0]])
for step in range(3):
    optimizer.zero_grad()
    error = (model(x) - model(x)).sum()
    loss = (error ** 2).sqrt() + (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
""",
        "model",
        ("sqrt(0) = 0", "(error ** 2 + 1e-12).sqrt()"),
    ),
    Program(
        "logarithm of one minus one",
        HEAD
        + """
p = Tensor([1.0, 0.5], requires_grad=True)
loss = -gw.log1p(-p).sum()
""",
        "loss",
        ("log1p(-1) = -inf at element [0]", "gw.log1p((-p).clip(-1 + 1e-7))"),
    ),
    Program(
        "half precision",
        HEAD
        + """
x = Tensor(np.array([12.0, 1.0], np.float16), requires_grad=True)
loss = x.exp().sum()
""",
        "loss",
        ("exp(12) = inf at element [0]", "float16 numbers end"),
        ("np.float16", "np.float32"),
    ),
    Program(
        "a sum in half precision",
        HEAD
        + """
x = Tensor(np.full(3000, 60.0, np.float16), requires_grad=True)
loss = x.sum()
""",
        "loss",
        ("sum = inf", "an overflow in float16", 'x.astype("float32").sum()'),
    ),
    Program(
        "squares in half precision",
        HEAD
        + """
x = Tensor(np.array([300.0, 1.0], np.float16), requires_grad=True)
loss = ((x - 1.0) ** 2).mean()
loss.backward()
""",
        "loss",
        ("square(299) = inf at element [0]", '(x - 1.0).astype("float32") ** 2'),
    ),
    Program(
        "the spread of one number",
        HEAD
        + """
x = Tensor([[1.0], [2.0]], requires_grad=True)
loss = x.std(axis=1, correction=1).sum()
loss.backward()
""",
        "loss",
        ("std = nan at element [0]", "the spread of one number is 0/0"),
        ("correction=1", "correction=0"),
    ),
    Program(
        "an infinite target",
        HEAD
        + """
y = np.array([1.0, np.inf])
w = Tensor([1.0, 2.0], requires_grad=True)
loss = F.mse_loss(w, y)
loss.backward()
""",
        "loss",
        ("the constant inf in 2 - inf at element [1], which is y", "numpy.isfinite(y)"),
        ("np.inf", "3.0"),
    ),
    Program(
        "the scale of a gaussian that starts at zero",
        HEAD
        + """
from gradwalk.inspect import lines
with lines():
    mu, sigma = Value(0.0), Value(0.0)
    nll = ((1.3 - mu) / sigma) ** 2 / 2.0 + gw.log(sigma)
    nll.backward()
""",
        "nll",
        ("1.3 / 0 = inf", "(1.3 - mu) / (sigma + 1e-5)"),
    ),
    Program(
        "a logarithm that a training reaches",
        HEAD
        + """
w = Tensor([1.0, 1.0], requires_grad=True)
optimizer = optim.Adam([w], lr=0.1)
for _ in range(30):
    optimizer.zero_grad()
    loss = (w * (w - 0.5).log()).sum()
    loss.backward()
    optimizer.step()
""",
        "w",
        ("log(-0.0515785) = nan", "Look why the operand is negative"),
        ("(w - 0.5).log()", "(w - 0.5).softplus().log()"),
    ),
    Program(
        "a geometric mean with a zero",
        HEAD
        + """
x = Tensor([1.0, 0.0, 2.0], requires_grad=True)
loss = x.prod() ** (1 / 3)
loss.backward()
""",
        "x",
        ("pow(0, 0.333333)", "(x.prod() + 1e-12) ** (1 / 3)"),
    ),
    Program(
        "a saturated sigmoid",
        HEAD
        + """
w = Tensor([[1.0, -1.0]], requires_grad=True)
loss = (w * 1e6).sigmoid().sum()
loss.backward()
""",
        "w",
        ("w.grad = 0", "sigmoid of 2 numbers from -1e+06 to 1e+06", "no gradient passes there"),
        ("w * 1e6", "w * 1.0"),
    ),
    Program(
        "an overflow that makes a gradient 0",
        HEAD
        + """
w = Tensor([1.0, 2.0], requires_grad=True)
x = Tensor(np.array([300.0, 300.0], np.float16))
h = x * w.astype("float16")
n = h / (h * h).sum().sqrt()
loss = (n * n).sum()
loss.backward()
""",
        "w",
        ("mul made inf", "the gradients behind it are 0"),
        ("[300.0, 300.0]", "[3.0, 4.0]"),
    ),
    Program(
        "a cut under another name",
        HEAD
        + """
from gradwalk import round as rounded
w = Tensor([1.2, 2.7], requires_grad=True)
code = rounded(w)
loss = (code * 1.0).sum()
try:
    loss.backward()
except Exception as error:
    loss = error
""",
        "w if isinstance(loss, Tensor) else [w]",
        ("",),
        ("rounded(w)", "w * 1.0"),
    ),
    Program(
        "dead units",
        HEAD
        + """
w = Tensor([-1.0, -2.0], requires_grad=True)
loss = w.relu().sum()
loss.backward()
""",
        "w",
        ("relu of 2 numbers from -2 to -1", "leaky_relu"),
        ("w.relu()", "gw.leaky_relu(w)"),
    ),
    Program(
        "a parameter that the loss does not use",
        HEAD
        + """
w = Tensor([1.0], requires_grad=True)
v = Tensor([1.0], requires_grad=True)
loss = (v * 2.0).sum()
loss.backward()
""",
        "w",
        ("no path leads from loss to w",),
        ("v * 2.0", "v * w"),
    ),
    Program(
        "a factor of zeros",
        HEAD
        + """
w = Tensor([1.0, 2.0], requires_grad=True)
gate = Tensor([0.0, 0.0], requires_grad=True)
loss = ((w * gate) ** 3 + gate).sum()
loss.backward()
""",
        "w",
        ("w.grad = 0", "no gradient passes there"),
        ("gate = Tensor([0.0, 0.0]", "gate = Tensor([0.5, 0.5]"),
    ),
    # --- numbers that no graph has recorded ---
    Program(
        "the logarithm of data, without a graph",
        HEAD
        + """
x = Tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 0.0]])
y = x.log()
w = Tensor(np.ones((2, 3)), requires_grad=True)
loss = (w * y).sum()
loss.backward()
""",
        "loss",
        (
            "which is y: NumPy has warned of it: divide by zero encountered in log",
            "y = x.log()   (",
            "Write `(x + 1e-12).log()`",
        ),
    ),
    Program(
        "a constant column that a function standardises",
        HEAD
        + """
def normalise(data):
    mean, std = data.mean(axis=0), data.std(axis=0)
    return (data - mean) / std

rng = np.random.default_rng(0)
raw = rng.normal(size=(20, 3))
raw[:, 1] = 2.0
X = normalise(raw)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
inputs = Tensor(X)
for _ in range(2):
    loss = (model(inputs) ** 2).mean()
    model.zero_grad()
    loss.backward()
""",
        "loss",
        ("which is X", "line   return (data - mean) / std", "(std + 1e-5)"),
    ),
    Program(
        "the root of data, in a method",
        HEAD
        + """
class Net(nn.Module):
    def __init__(self, counts):
        super().__init__()
        self.w = Tensor(np.ones((4, 4)), requires_grad=True)
        self.scale = np.sqrt(counts)

    def forward(self, x):
        h = x @ self.w
        return (h * self.scale.reshape(-1, 1)).sum()

net = Net(np.array([1.0, 2.0, -1.0, 3.0]))
loss = net(Tensor(np.ones((4, 4))))
""",
        "loss",
        ("line   self.scale = np.sqrt(counts)", "invalid value", "root of a negative number"),
        ("-1.0, 3.0", "1.0, 3.0"),
    ),
    Program(
        "an entry of the data that is missing, through statistics",
        HEAD
        + """
ages = np.array([22.0, 38.0, np.nan, 35.0])
fare = np.array([7.25, 71.3, 7.9, 53.1])
X = np.stack([ages, fare], axis=1)
X = (X - X.mean(0)) / X.std(0)
w = Tensor(np.zeros(2), requires_grad=True)
loss = -(Tensor(X) @ w).sigmoid().log().mean()
loss.backward()
""",
        "loss",
        ("which is X: the data of ages have it", "numpy.isfinite(ages)", "line   ages ="),
        ("np.nan", "30.0"),
    ),
    Program(
        "a weight of a loop, overflowing",
        HEAD
        + """
w = Tensor(np.ones(3), requires_grad=True)
ages = np.array([1.0, 20.0, 900.0])
total = 0.0
for age in [ages, ages]:
    weight = np.exp(age)
    total = total + (w * weight).sum()
loss = total
""",
        "loss",
        ("which is weight", "overflow encountered in exp", "line   weight = np.exp(age)"),
        ("900.0", "30.0"),
    ),
    Program(
        "a Value times a logarithm of NumPy",
        HEAD
        + """
p = np.float64(0.0)
surprise = np.log(p)
w = Value(2.0)
loss = w * surprise
""",
        "loss",
        ("the constant -inf", "line   surprise = np.log(p)", "np.log(p + 1e-12)"),
    ),
    Program(
        "an intermediate of another function",
        HEAD
        + """
def inverse(counts):
    return counts ** -1.0

def total(w, counts):
    weights = Tensor(inverse(counts))
    return (w * weights).sum()

w = Tensor(np.ones(3), requires_grad=True)
loss = total(w, np.array([1.0, 0.0, 3.0]))
""",
        "loss",
        ("divide by zero encountered in", "line   return counts ** -1.0"),
    ),
    # --- formulas that lose numbers on the way ---
    Program(
        "a probability that rounds to 1 in another function",
        HEAD
        + """
def predict(x, w):
    return 1.0 / (1.0 + gw.exp(-(x @ w)))

def loss_of(p, t):
    return -(t * gw.log(p) + (1 - t) * gw.log(1 - p)).mean()

w = Tensor([9.0, 8.0], requires_grad=True)
loss = loss_of(predict(Tensor([[3.0, 4.0], [0.1, 0.2]]), w), np.array([1.0, 0.0]))
loss.backward()
""",
        "loss",
        ("log(0) = -inf", "1 + 2.38", "= 1 at element [0]", "from the exponent"),
        (
            "loss_of(predict(Tensor([[3.0, 4.0], [0.1, 0.2]]), w), ",
            "F.binary_cross_entropy_with_logits(Tensor([[3.0, 4.0], [0.1, 0.2]]) @ w, ",
        ),
    ),
    Program(
        "a density that underflows",
        HEAD
        + """
means = Tensor([0.0, 1.0], requires_grad=True)
x = np.array([[0.5], [60.0]])
density = gw.exp(-0.5 * (x - means) ** 2)
loss = -gw.log((0.5 * density).sum(axis=1)).mean()
loss.backward()
""",
        "loss",
        ("log(0) = -inf at element [1]", "exp(-1800) = 0", "logsumexp of the exponents"),
        (
            "density = gw.exp(-0.5 * (x - means) ** 2)\n"
            "loss = -gw.log((0.5 * density).sum(axis=1)).mean()",
            "loss = -(gw.logsumexp(-0.5 * (x - means) ** 2, axis=1) + np.log(0.5)).mean()",
        ),
    ),
    Program(
        "a variance behind relu",
        HEAD
        + """
h = Tensor([[-0.5, 2.0]], requires_grad=True)
variance = h.relu()
loss = (gw.log(variance) + 1.0 / variance).mean()
loss.backward()
""",
        "loss",
        ("relu(-0.5) = 0", "for all numbers below 0", "Write `h.softplus()`"),
    ),
    Program(
        "a logarithm of one plus an exponential",
        HEAD
        + """
z = Tensor([900.0, -3.0], requires_grad=True)
loss = gw.log(1.0 + gw.exp(z)).sum()
loss.backward()
""",
        "loss",
        ("exp(900) = inf", "Write `z.softplus()`"),
    ),
    Program(
        "logsumexp by hand, in two lines",
        HEAD
        + """
z = Tensor([[900.0, -3.0]], requires_grad=True)
e = z.exp()
loss = e.sum(axis=1).log().sum()
loss.backward()
""",
        "loss",
        ("exp(900) = inf", "Write `z.logsumexp(axis=1)`"),
    ),
    Program(
        "the log-likelihood of a choice",
        HEAD
        + """
logits = Tensor([[800.0, 1.0]], requires_grad=True)
policy = F.softmax(logits, dim=1)
chosen = policy[np.arange(1), [1]]
loss = -(gw.log(chosen) * 2.0).sum()
loss.backward()
""",
        "loss",
        ("log(0) = -inf", "Write `logits.log_softmax(dim=1)[np.arange(1), [1]]`"),
    ),
    Program(
        "a variance as a difference of squares",
        HEAD
        + """
x = Tensor([1e9, 1e9 + 1.0, 1e9 + 3.0], requires_grad=True)
variance = (x ** 2).mean() - x.mean() ** 2
loss = gw.log(variance)
loss.backward()
""",
        "loss",
        ("log(", "Write `x.var(correction=0)`"),
    ),
    Program(
        "distances of all pairs, with the sum in a line of its own",
        HEAD
        + """
points = Tensor([[0.0, 1.0], [2.0, 3.0]], requires_grad=True)
gaps = points[:, None] - points[None]
squares = (gaps * gaps).sum(axis=-1)
loss = squares.sqrt().mean()
loss.backward()
""",
        "points",
        ("sqrt(0) = 0", "Write `gaps.norm(axis=-1)`"),
    ),
    Program(
        "sin(u) over u",
        HEAD
        + """
u = Tensor([0.0, 1.0], requires_grad=True)
loss = (gw.sin(u) / u).sum()
loss.backward()
""",
        "loss",
        ("0 / 0 = nan", ".sinc()`"),
    ),
    # --- numbers that grow ---
    Program(
        "an Euler method with a large step",
        HEAD
        + """
from gradwalk.inspect import lines
rate = Value(1.1)
with lines():
    prey, hunters = Value(10.0), Value(5.0)
    for _ in range(40):
        change = rate * prey - 0.4 * prey * hunters
        hunters = hunters + 2.0 * (0.1 * prey * hunters - 0.4 * hunters)
        prey = prey + 2.0 * change
    loss = prey ** 2
""",
        "loss",
        ("an overflow", "Make the step or the factor of the loop smaller"),
        ("range(40)", "range(4)"),
    ),
    Program(
        "a learning rate for data that were not scaled",
        HEAD
        + """
X = Tensor(np.random.default_rng(0).uniform(40.0, 250.0, (30, 2)))
y = Tensor(X.data @ np.array([1.5, -2.0]))
w = Tensor(np.zeros(2), requires_grad=True)
rate = 0.01
for step in range(300):
    loss = ((X @ w - y) ** 2).mean()
    w.grad = None
    loss.backward()
    with gw.no_grad():
        w -= rate * w.grad
""",
        "loss",
        ("Lower the learning rate",),
        ("rate = 0.01", "rate = 0.00001"),
    ),
    # --- gradients of zeros ---
    Program(
        "weights that all start at 0",
        HEAD
        + """
model = nn.Sequential(nn.Linear(2, 4, seed=0), nn.Tanh(), nn.Linear(4, 1, seed=1))
first, last = model[0].weight, model[2].weight
with gw.no_grad():
    last[...] = 0.0
loss = ((model(Tensor([[1.0, 2.0]])) - 3.0) ** 2).mean()
loss.backward()
""",
        "first",
        ("last: all numbers are 0", "Start last from random numbers"),
        ("last[...] = 0.0", "last[...] = 0.1"),
    ),
    Program(
        "a mask that is inverted",
        HEAD
        + """
logits = Tensor([1.0, 2.0, 3.0], requires_grad=True)
def masked(losses, tokens):
    mask = (tokens == 0).astype(float)
    return (losses * mask).sum()
loss = masked(logits ** 2, np.array([4, 5, 6]))
loss.backward()
""",
        "logits",
        ("mask: all numbers are 0", "it may be inverted"),
        ("tokens == 0", "tokens != 0"),
    ),
    Program(
        "probabilities by clip",
        HEAD
        + """
w = Tensor([3.0, 2.0], requires_grad=True)
p = (np.array([10.0, 20.0]) * w).clip(0.01, 0.99)
loss = -gw.log(p).sum()
loss.backward()
""",
        "w",
        ("clip of 2 numbers from 30 to 40", "sigmoid for probabilities"),
        (".clip(0.01, 0.99)", " / 100.0"),
    ),
    Program(
        "a saturated unit whose gradient is as good as 0",
        HEAD
        + """
w = Value(1.0)
loss = (w * 113.0).tanh()
loss.backward()
""",
        "w",
        ("w.grad = ", "as good as 0", "tanh(113)", "Make the inputs smaller"),
        ("w * 113.0", "w * 1.13"),
    ),
    # --- cuts ---
    Program(
        "numbers that are collected in a list",
        HEAD
        + """
w = Tensor([1.0, 2.0], requires_grad=True)
bias = Tensor(0.0, requires_grad=True)
outputs = []
for x in ([1.0, 0.0], [0.0, 1.0]):
    outputs.append((Tensor(x) @ w).item())
loss = (Tensor(outputs) + bias).sum()
loss.backward()
""",
        "w",
        ("cut by item", "outputs.append(", "gradwalk.stack"),
        (
            "(Tensor(x) @ w).item())\nloss = (Tensor(outputs)",
            "Tensor(x) @ w)\nloss = (gw.stack(outputs)",
        ),
    ),
    Program(
        "a number in a wrapper",
        HEAD
        + """
w = Tensor([1.0, 2.0], requires_grad=True)
bias = Tensor(0.0, requires_grad=True)
h = w * 2.0
h = Tensor(h.data / np.linalg.norm(h.data))
loss = (h + bias).sum()
loss.backward()
""",
        "w",
        ("cut by .data", "without Tensor(...) around it", "gradwalk's functions"),
        ("Tensor(h.data / np.linalg.norm(h.data))", "h / gw.linalg.norm(h)"),
    ),
    Program(
        "a threshold that only chooses a branch",
        HEAD
        + """
threshold, low, high = Value(0.3), Value(0.2), Value(0.5)
loss = Value(0.0)
for x in (0.1, 0.9):
    loss = loss + (high if x > threshold.data else low) ** 2
loss.backward()
""",
        "threshold",
        ("threshold probably only chooses a branch", "s = sigmoid(k * (a - threshold))"),
        (
            "(high if x > threshold.data else low)",
            "(low + (high - low) * ((x - threshold) * 9.0).sigmoid())",
        ),
    ),
    Program(
        "a gate that nothing reads",
        HEAD
        + """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(2, 2, seed=0)
        self.fc = nn.Linear(2, 2, seed=1)

    def forward(self, x):
        g = self.gate(x).sigmoid()
        return self.fc(x)

block = Block()
loss = block(Tensor([[1.0, 2.0]])).sum()
loss.backward()
""",
        "block.gate.weight",
        ("g is computed by gate, and no line reads it", "Use g"),
        ("return self.fc(x)", "return self.fc(x) * g"),
    ),
    Program(
        "a leaf that its update makes anew",
        HEAD
        + """
w = Tensor(np.ones(3), requires_grad=True)
for _ in range(2):
    loss = ((w - 2.0) ** 2).sum()
    if loss.requires_grad:
        loss.backward()
        w = Tensor(w.data - 0.1 * w.grad)
""",
        "w",
        ("has become a result or a constant", "with no_grad(): w -= lr * w.grad"),
        ("w = Tensor(w.data - 0.1 * w.grad)", "w.data -= 0.1 * w.grad"),
    ),
]
