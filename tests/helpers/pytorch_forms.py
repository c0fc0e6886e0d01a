"""Lines as users of PyTorch type them, and the same in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Form = tuple[Callable[[Any], Any], Callable[[Any], Any]]
MASK = np.arange(24).reshape(2, 3, 4) % 3 == 0
IDS = np.array([[[1, 0, 1]], [[0, 0, 1]]])

FORMS: dict[str, Form] = {
    "view": (lambda x: x.view(6, -1), lambda x: x.reshape(6, -1)),
    "view of a tuple": (lambda x: x.view((3, 8)), lambda x: x.reshape(3, 8)),
    "view_as": (lambda x: x.view_as(x.flatten(1)), lambda x: x.reshape(2, 12)),
    "flatten(1)": (lambda x: x.flatten(1), lambda x: x.reshape(2, 12)),
    "flatten(0, 1)": (lambda x: x.flatten(0, 1), lambda x: x.reshape(6, 4)),
    "flatten by name": (
        lambda x: x.flatten(start_dim=-2, end_dim=-1),
        lambda x: x.reshape(2, 12),
    ),
    "unsqueeze": (lambda x: x.unsqueeze(1), lambda x: x[:, None]),
    "unsqueeze(-1)": (lambda x: x.unsqueeze(-1), lambda x: x[..., None]),
    "squeeze": (lambda x: x.unsqueeze(1).squeeze(1), lambda x: x),
    "permute": (lambda x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1)),
    "permute of a tuple": (lambda x: x.permute((1, 0, 2)), lambda x: x.transpose(1, 0, 2)),
    "transpose": (lambda x: x.transpose(1, 2), lambda x: x.swapaxes(1, 2)),
    "transpose(-2, -1)": (lambda x: x.transpose(-2, -1), lambda x: x.swapaxes(1, 2)),
    "contiguous": (
        lambda x: x.transpose(1, 2).contiguous().view(2, 12),
        lambda x: x.swapaxes(1, 2).reshape(2, 12),
    ),
    "t": (lambda x: x[0].t(), lambda x: x[0].T),
    "expand": (lambda x: x[:, :1].expand(2, 5, 4), lambda x: x[:, :1].repeat(5, 1)),
    "expand(-1)": (lambda x: x[:, :1].expand(-1, 5, -1), lambda x: x[:, :1].repeat(5, 1)),
    "expand_as": (lambda x: x[:1].expand_as(x), lambda x: x[:1].repeat(2, 0)),
    "split": (lambda x: x.split(3, dim=2)[1], lambda x: x[:, :, 3:]),
    "split by sizes": (lambda x: x.split([1, 2], dim=1)[1], lambda x: x[:, 1:]),
    "chunk": (lambda x: x.chunk(2, dim=1)[0], lambda x: x[:, :2]),
    "unbind": (lambda x: x.unbind(1)[2], lambda x: x[:, 2]),
    "narrow": (lambda x: x.narrow(2, 1, 2), lambda x: x[:, :, 1:3]),
    "select": (lambda x: x.select(1, 2), lambda x: x[:, 2]),
    "flip": (lambda x: x.flip(0, 2), lambda x: x[::-1, :, ::-1]),
    "roll": (lambda x: x.roll(1, 2), lambda x: np.roll(x, 1, 2)),
    "tile": (lambda x: x.tile(1, 2, 1), lambda x: np.tile(x, (1, 2, 1))),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, dim=1), lambda x: x.repeat(2, 1)),
    "movedim": (lambda x: x.movedim(0, -1), lambda x: np.moveaxis(x, 0, -1)),
    "tril": (lambda x: x.tril(), np.tril),
    "masked_fill": (
        lambda x: x.masked_fill(x > 0, -1.0),
        lambda x: np.where(x > 0, -1.0, x),
    ),
    "clamp": (lambda x: x.clamp(-0.5, 0.5), lambda x: x.clip(-0.5, 0.5)),
    "clamp(min)": (lambda x: x.clamp(min=0.0), lambda x: np.maximum(x, 0.0)),
    "add": (lambda x: x.add(x, alpha=2.0), lambda x: x + 2 * x),
    "sub": (lambda x: x.sub(1.0), lambda x: x - 1),
    "mul": (lambda x: x.mul(x), lambda x: x * x),
    "div": (lambda x: x.div(3.0), lambda x: x / 3),
    "pow": (lambda x: x.pow(2), lambda x: x**2),
    "mm": (lambda x: x[0].mm(x[1].t()), lambda x: x[0] @ x[1].T),
    "bmm": (lambda x: x.bmm(x.transpose(1, 2)), lambda x: x @ x.swapaxes(1, 2)),
    "sum(dim)": (lambda x: x.sum(dim=1), lambda x: x.sum(1)),
    "sum(dims)": (
        lambda x: x.sum(dim=(0, 2), keepdim=True),
        lambda x: x.sum((0, 2), keepdims=True),
    ),
    "mean(keepdim)": (lambda x: x.mean(-1, keepdim=True), lambda x: x.mean(-1, keepdims=True)),
    "var(unbiased)": (lambda x: x.var(dim=1, unbiased=False), lambda x: x.var(1)),
    "std(unbiased)": (lambda x: x.std(dim=1, unbiased=True), lambda x: x.std(1, ddof=1)),
    "amax": (lambda x: x.amax(dim=1, keepdim=True), lambda x: x.max(1, keepdims=True)),
    "amin": (lambda x: x.amin(dim=(0, 1)), lambda x: x.min((0, 1))),
    "norm": (lambda x: x.norm(p=2, dim=1), lambda x: np.linalg.norm(x, axis=1)),
    "prod": (lambda x: x.prod(dim=2), lambda x: x.prod(2)),
    "cumsum": (lambda x: x.cumsum(dim=1), lambda x: x.cumsum(1)),
    "topk": (lambda x: x.topk(2, dim=2).values, lambda x: np.sort(x, 2)[..., :-3:-1]),
    "softmax": (lambda x: x.softmax(dim=1), lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    "logsumexp": (lambda x: x.logsumexp(dim=1), lambda x: np.log(np.exp(x).sum(1))),
    "size": (lambda x: x.view(x.size(0), -1) / x.size(-1), lambda x: x.reshape(2, 12) / 4),
    "numel": (lambda x: x.sum() / x.numel() * x.dim(), lambda x: x.mean() * 3),
    "type conversions": (lambda x: x.to("cpu").double().contiguous(), lambda x: x),
}
"""Functions of an array of shape (2, 3, 4)."""
