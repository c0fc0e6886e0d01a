"""Signatures that `inspect`, `help` and the reference show: they name what is passed."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradwalk

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.engine

VARIADIC = {
    "one argument for each argument of a function of the user": """
        gradwalk.divergence gradwalk.export gradwalk.fixed_point gradwalk.hvp gradwalk.laplacian
        gradwalk.gradient_and_hessian_diagonal gradwalk.linearize gradwalk.sparse_hessian
        gradwalk.sparse_jacobian gradwalk.sparsity gradwalk.vhp gradwalk.vjp gradwalk.check.kinks
        gradwalk.adopt gradwalk.apply_along_axis gradwalk.piecewise gradwalk.nn.Module.forward
        gradwalk.parallel.Executor.map gradwalk.parallel.Here.map gradwalk.parallel.Pool.map
        gradwalk.parallel.Processes.map gradwalk.distributed.DaskExecutor.map""",
    "any number of arrays, modules, rules or results": """
        gradwalk.broadcast_arrays gradwalk.einsum gradwalk.gradient gradwalk.meshgrid
        gradwalk.pointwise gradwalk.program_of gradwalk.result_type gradwalk.nn.Sequential
        gradwalk.data.TensorDataset""",
    "the lengths or the numbers of axes": """
        gradwalk.Tensor.reshape gradwalk.Tensor.transpose gradwalk.Tensor.expand
        gradwalk.Tensor.flip gradwalk.Tensor.permute gradwalk.Tensor.tile gradwalk.Tensor.view
        gradwalk.Tensor.new_zeros gradwalk.Tensor.new_ones gradwalk.empty gradwalk.ones
        gradwalk.reshape gradwalk.transpose gradwalk.zeros""",
    "PyTorch's forms of one function: a dtype, a device, or both": """
        gradwalk.Tensor.to gradwalk.nn.Module.to gradwalk.nn.Module.astype""",
    "arguments that PyTorch's class ignores as well": "gradwalk.nn.Identity",
    "the parameters of a distribution, which the signature of each distribution names": """
        gradwalk.stats.Distribution.logpdf gradwalk.stats.Distribution.pdf
        gradwalk.stats.Distribution.logpmf gradwalk.stats.Distribution.pmf
        gradwalk.stats.Distribution.cdf gradwalk.stats.Distribution.sf
        gradwalk.stats.Distribution.logcdf gradwalk.stats.Distribution.logsf
        gradwalk.stats.Distribution.ppf gradwalk.stats.Distribution.sample""",
    "options of a function that is called": """
        gradwalk.training.History.plot gradwalk.parallel.multistart""",
    "facts of one kind of kink": "gradwalk.check.Kink",
    "a Protocol, which is not called": "gradwalk.parallel.Executor",
}
"""What takes any number of arguments, by the reason."""

WITHOUT = {"gradwalk.nn.init.Initialiser"}
"""Types of functions, which are not functions."""


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    from docs import reference

    for module in reference.MODULES:
        for name in reference.names(module):
            path = f"{module}.{name}"
            if reference.home(module, name) == path:
                thing = reference.found(path)
                parts = reference.methods(path) if inspect.isclass(thing) else []
                for where in (path, *(f"{path}.{part}" for part in parts)):
                    if callable(reference.found(where)):
                        yield where, reference.found(where)


def test_what_takes_any_arguments_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    found, without = set(), set()
    for path, thing in callables():
        try:
            parameters = inspect.signature(thing).parameters.values()
        except (TypeError, ValueError):
            without.add(path)
            continue
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
            found.add(path)
    assert without == WITHOUT
    assert found == {path for paths in VARIADIC.values() for path in paths.split()}


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        (gradwalk.exp, "exp(x: 'Value | Tensor | Array | Number')"),
        (gradwalk.elu, "alpha: 'Value | Tensor | Array | Number' = 1.0)"),
        (gradwalk.Value.exp, "exp(x: 'Value | Tensor | Array | Number')"),
        (gradwalk.Tensor.exp, "exp(self: 'Tensor') -> 'Tensor'"),
        (gradwalk.Tensor.clamp_, "min: 'ArrayLike | None' = None"),
        (gradwalk.Tensor.sum, "axis: 'Axes' = None"),
        (gradwalk.linalg.norm, "ord: 'float | str | None' = None"),
        (gradwalk.nn.Linear, "in_features: 'int', out_features: 'int', bias: 'bool' = True"),
    ],
)
def test_help_shows_the_parameters(function: Any, shown: str) -> None:
    text = pydoc.plain(pydoc.render_doc(function))
    line = " ".join(text.split()).replace("( ", "(").replace(", )", ")")  # 3.13 breaks long ones
    assert shown in line, text


def test_a_distribution_names_its_parameters() -> None:
    assert list(inspect.signature(gradwalk.stats.gamma).parameters) == ["a", "loc", "scale"]
    assert list(inspect.signature(gradwalk.stats.poisson).parameters) == ["mu", "loc"]


def test_functions_of_the_table_say_what_they_return() -> None:
    assert inspect.signature(gradwalk.exp).return_annotation == "Value | Tensor | Array | float"
