"""The libraries that tests run with."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import pytest

from ..helpers.libraries import NAMES, Library


@pytest.fixture(params=NAMES)
def library(request: Any) -> Library:
    """Return one of the libraries; the test is skipped, and says so, where it is missing."""
    return Library(request.param)


@pytest.fixture(scope="session", autouse=True)
def awake(request: Any) -> None:
    """Let PyTorch's compiler set what it sets before a test looks, and start no threads."""
    names = [item.nodeid for item in request.session.items]
    if not any("inductor" in name or "torch" in name for name in names):
        return
    Library("torch")
    import gradwalk as gw

    x = gw.Tensor([1.0, 2.0]).to("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_module("torch._inductor.config").compile_threads = 1
        gw.compile(lambda x: (x * x).sum())(x)
