"""Networks of Tensors, as users write them."""

from typing import assert_type

import numpy as np

from gradwalk import Tensor, nn, optim
from gradwalk.nn import functional as F  # noqa: N812

model = nn.Sequential(nn.Linear(2, 16, seed=0), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
x = Tensor([[0.5, -1.0], [2.0, 0.0]])

logits = model(x)
assert_type(model, nn.Sequential)
assert_type(logits, Tensor)
assert_type(model(np.zeros((2, 2))), Tensor)
assert_type(model([[0.5, -1.0]]), Tensor)
assert_type(model[0], nn.Module)
assert_type(model[1:], nn.Sequential)
assert_type(model.train(), nn.Sequential)
assert_type(model.num_parameters(), int)

loss = nn.cross_entropy(logits, [0, 2], label_smoothing=0.1)
assert_type(loss, Tensor)
assert_type(nn.mse(logits, np.zeros((2, 3)), reduction="none"), Tensor)
assert_type(F.cross_entropy(logits, Tensor([0, 2])), Tensor)
assert_type(nn.CrossEntropyLoss(label_smoothing=0.1)(logits, Tensor([0, 2])), Tensor)
loss.backward()

optimizer = optim.AdamW(model.parameters(), lr=1e-3)
optimizer.step()
for name, buffer in model.named_buffers():
    assert_type(name, str)
    assert_type(buffer, Tensor)


class Residual(nn.Module):
    """A block of one's own: calls have the types of forward."""

    def __init__(self, width: int) -> None:
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, width)
        self.scale = Tensor(np.ones(width), requires_grad=True)

    def forward(self, x: Tensor, steps: int = 1) -> Tensor:
        for _ in range(steps):
            x = x + self.inner(self.norm(x)) * self.scale
        return x


block = Residual(2)
assert_type(block(x), Tensor)
assert_type(block(x, steps=2), Tensor)
assert_type(block.inner.weight, Tensor)
assert_type(block.inner.bias, Tensor | None)
assert_type(block.to("float32"), Residual)

y, (h, c) = nn.LSTM(2, 4, seed=0)(Tensor(np.zeros((5, 1, 2))))
assert_type(y, Tensor)
assert_type(h, Tensor)
assert_type(c, Tensor)
attended, weights = nn.MultiheadAttention(4, 2, seed=0)(y, y, y)
assert_type(attended, Tensor)
assert_type(weights, Tensor | None)

image = Tensor(np.zeros((1, 1, 8, 8)))
features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.MaxPool2d(2), nn.Flatten())
assert_type(features(image), Tensor)
assert_type(nn.Embedding(10, 3)([1, 2]), Tensor)
assert_type(nn.init.he_normal_(block.inner.weight, seed=0), Tensor)

report = block.load_state_dict(block.state_dict())
assert_type(report.missing_keys, list[str])
