"""The manual knows the library: every public name is on a page, every name on a page exists.

The manual page of every function is made from the facts of its row, and its example runs.
"""

from __future__ import annotations

import builtins
import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gradwalk
from gradwalk.core.unicode_math import plain
from gradwalk.engine import functions
from gradwalk.engine.operators import manual
from gradwalk.ops import TABLE
from gradwalk.ops.array import TABLE as ARRAY_TABLE

from ..helpers.pages import MANUAL, ROOT, fences, spans

COMPOSED = ("gelu", "softmax", "log_softmax", "logsumexp")  # with pages of their own
NAMES = [name for name in functions.__all__ if name in TABLE and name not in COMPOSED]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_manual_page_runs(name):
    function, primitive = getattr(gradwalk, name), TABLE[name]
    assert function.__doc__ == manual(primitive)
    assert f"    y = {plain(primitive.tex)}\n" in function.__doc__
    assert "\\" not in function.__doc__
    test = doctest.DocTestParser().get_doctest(function.__doc__, {}, name, None, None)
    assert len(test.examples) == 3
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_a_manual_page_says_what_a_reader_needs():
    page = gradwalk.leaky_relu.__doc__
    assert page.startswith("x if it is positive, else a small multiple of x.\n\n    y = max(x, 0)")
    assert "Where the derivative jumps: the negative slope at 0." in page
    assert "no derivative" in gradwalk.floor.__doc__
    assert "in (0, inf)" in gradwalk.log.__doc__


# --- the pages ------------------------------------------------------------------------------------

ON_NO_PAGE: dict[str, str] = {}
"""Public names that the manual leaves out, and why."""

FOREIGN = {
    "of autograd": "elementwise_grad make_vjp make_hvp defvjp",
    "of micrograd": "draw_dot",
    "of PyTorch": "checkpoint_sequential make_fx",
    "of scikit-learn": "LinearRegression ConvergenceWarning train_test_split partial_fit log_loss "
    "mean_squared_error model_",
    "of SciPy": "LinearConstraint NonlinearConstraint approx_fprime",
    "of Dask": "persist",
    "of Julia": "SparseDiffTools",
    "of the array API": "array_api_strict",
    "functions of a file of C": "loss_gradient loss_jacobian loss_sparse_jacobian "
    "loss_sparse_hessian loss_hessian loss_sparse_jacobian_rows double_",
    "functions of the user": "f model residual run callback",
    "an entry of a file": "gradwalk_crc32",
    "of a module that a page imports": "Builder restricted",
}
"""Names on pages that look like names of gradwalk, and are others."""

PACKAGES = ("nn", "optim", "linalg", "random", "special", "stats", "data", "training", "inspect")
PACKAGES += ("check", "transforms", "errors", "parallel", "distributed", "sklearn", "gradwalk")

DOTTED = re.compile(rf"((?:{'|'.join(PACKAGES)})(?:\.[A-Za-z_]\w*)+)")
"""``nn.Linear``: a name behind that of a package."""
PLAIN = re.compile(
    r"([A-Za-z_]\w*)\(.*\)|([A-Z][a-z]\w*)|([a-z][a-z0-9]*(?:_[a-z0-9]+)+_?|[a-z]+_)(?:=.*)?"
)
"""``relu(x)``, ``Linear``, ``clip_grad_norm_``, ``batch_size=32``."""


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module that lists the public names for the pages of the reference."""
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("docs.reference")


def named(pages: list[str]) -> set[str]:
    """Return the words in the code of pages, in sentences and in blocks."""
    text = "\n".join(pages)
    code = [block for _, block in fences(text)] + re.findall(r"`([^`\n]+)`", text)
    return {word for part in code for word in re.findall(r"\w+", part)}


def test_every_public_name_is_on_a_page(reference: Any) -> None:
    known = named([page.read_text("utf-8") for page in MANUAL])
    public = {name for module in reference.MODULES for name in reference.names(module)}
    assert len(public) > 600
    assert sorted(public - known - ON_NO_PAGE.keys()) == []
    assert set(ON_NO_PAGE) <= public - known, "a page has it: take it off the list"


def test_a_name_on_no_page_is_found() -> None:
    assert "Conv3d" not in named(["Conv3d is in the text", "```text\nConv2d\n```"])
    assert {"Conv2d", "Conv3d"} <= named(["`nn.Conv3d(1, 2)`", "```text\nConv2d\n```"])


def resolved(path: str) -> Any:
    """Return what is at a path such as ``nn.Linear``; raise AttributeError if nothing is."""
    thing: Any = gradwalk
    for part in path.removeprefix("gradwalk.").split("."):
        thing = getattr(thing, part)
    return thing


def public_things(reference: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public names with what they name, and the attributes of the classes."""
    for module in reference.MODULES:
        for name in reference.names(module):
            thing = getattr(reference.found(module), name)
            yield name, thing
            if isinstance(thing, type):
                yield from ((a, inspect.getattr_static(thing, a)) for a in dir(thing))
                yield from ((field, None) for field in getattr(thing, "__annotations__", {}))


@cache
def vocabulary(reference: Any) -> frozenset[str]:
    """Return all names that a page may use: public ones, their attributes, their parameters.

    The names of operations are among them, which trees and pictures show.
    """
    words = {*dir(builtins), *PACKAGES, *TABLE, *ARRAY_TABLE}
    words |= {word for part in FOREIGN.values() for word in part.split()}
    for name, thing in public_things(reference):
        words.add(name)
        if callable(thing):
            try:
                words |= {*inspect.signature(thing).parameters}
            except ValueError:  # a function of C without a signature
                continue
    return frozenset(words)


def unknown(span: str, words: frozenset[str], code: str) -> bool:
    """Return whether a code span has the form of a name of gradwalk, and is none."""
    if dotted := DOTTED.match(span):
        try:
            resolved(dotted[1])
        except AttributeError:
            return True
        return False
    plain = PLAIN.fullmatch(span)
    name = plain and (plain[1] or plain[2] or plain[3])
    return bool(name) and name not in words and not re.search(rf"\b{name}\b", code)


@pytest.mark.parametrize("page", MANUAL, ids=lambda path: path.name)
def test_every_name_on_a_page_exists(page: Path, reference: Any) -> None:
    words = vocabulary(reference)
    code = "".join(block for _, block in fences(page.read_text("utf-8")))
    assert [span for span in spans(page) if unknown(span, words, code)] == []


def test_names_that_do_not_exist_are_found(reference: Any) -> None:
    words = vocabulary(reference)
    for span in (
        "nn.save",
        "gradwalk.nn.init.hi_uniform_",
        "Conv4d",
        "clip_grad_nrom_(p)",
        "adamm(x)",
    ):
        assert unknown(span, words, ""), span
    for span in ("nn.Conv2d(1, 2)", "optim.lr_scheduler.StepLR", "clip_grad_norm_", "y.backward()"):
        assert not unknown(span, words, ""), span
    assert not unknown("mine(x)", words, "def mine(x): ...")
