"""Optimizers and schedules, as users write them."""

from typing import assert_type

from gradwalk import Tensor, Value, optim
from gradwalk.optim.lr_scheduler import StepLR

x, w = Value(4.0), Tensor([1.0, 2.0], requires_grad=True)
optimizer = optim.Adam(
    [{"params": [x], "lr": 0.1}, {"params": [w], "weight_decay": 0.01}],
    betas=(0.9, 0.99),
)
scheduler = optim.SequentialLR(
    optimizer,
    [optim.LinearLR(optimizer, total_iters=2), optim.CosineAnnealingLR(optimizer, 10)],
    milestones=[2],
)
for _ in range(3):
    optimizer.zero_grad()
    (x * x).backward()
    assert_type(optim.clip_grad_norm_([x, w], max_norm=1.0), float)
    assert_type(optimizer.step(), None)
    scheduler.step()
assert_type(scheduler.get_last_lr(), list[float])


def closure() -> Value:
    """Compute the loss again."""
    optimizer.zero_grad()
    loss = x * x
    loss.backward()
    return loss


assert_type(optimizer.step(closure), Value)
optimizer.load_state_dict(optimizer.state_dict())
steps = StepLR(optim.SGD([x], lr=0.5, momentum=0.9), step_size=10)
assert_type(steps.lr_at(1.0, 25), float)
