"""Solutions and steps are SciPy's; two kinds of gradients agree with each other and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, grad, hessian, jvp, nn, odeint, solve_ivp
from gradwalk.errors import ConvergenceError, GradwalkError, OptionError

scipy: Any = pytest.importorskip("scipy.integrate")

Case = tuple[Callable[..., Any], list[float], tuple[float, ...], float]
CASES: dict[str, Case] = {
    "decay": (lambda t, y, k: -k * y, [1.0, 3.0], (0.7,), 3.0),
    "prey": (
        lambda t, y, a, b: [a * y[0] - y[0] * y[1], y[0] * y[1] - b * y[1]],
        [10.0, 5.0],
        (1.5, 3.0),
        2.0,
    ),
    "pendulum": (lambda t, y, g: [y[1], -g * gw.sin(y[0])], [1.0, 0.0], (9.81,), 1.5),
    "forced": (
        lambda t, y, a: gw.stack([y[1], a * t - y[0]]),
        [0.5, 0.2],
        (0.3,),
        4.0,
    ),
    "constant": (lambda t, y, k: 0.0 * y, [2.0], (1.0,), 1.0),
}
NAMES = pytest.mark.parametrize("name", CASES)


def plain(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as SciPy takes it."""
    return lambda t, y, *args: np.asarray(
        [getattr(x, "data", x) for x in f(t, Tensor(y), *args)], float
    )


@NAMES
@pytest.mark.parametrize("method", ["RK45", "RK23"])
@pytest.mark.parametrize("backward", [False, True])
def test_steps_are_scipys(name: str, method: str, backward: bool) -> None:
    f, y0, args, end = CASES[name]
    span = (end, 0.0) if backward else (0.0, end)
    options: Any = {"method": method, "args": args, "dense_output": True, "rtol": 1e-5}
    ours = solve_ivp(f, span, y0, **options)
    theirs = scipy.solve_ivp(plain(f), span, y0, **options)
    assert (ours.nfev, ours.status, ours.message) == (theirs.nfev, theirs.status, theirs.message)
    np.testing.assert_allclose(ours.t, theirs.t, rtol=1e-9)
    np.testing.assert_allclose(ours.y, theirs.y, rtol=1e-9, atol=1e-12)
    for t in np.linspace(0.0, end, 5):
        np.testing.assert_allclose(ours.sol(t), theirs.sol(t), rtol=1e-9, atol=1e-12)
    times = np.linspace(*span, 4)
    evaluated = solve_ivp(f, span, y0, t_eval=times, method=method, args=args).y
    expected = scipy.solve_ivp(plain(f), span, y0, t_eval=times, method=method, args=args).y
    np.testing.assert_allclose(evaluated, expected, rtol=1e-9, atol=1e-12)


@NAMES
def test_odeint_has_scipys_values(name: str) -> None:
    f, y0, args, end = CASES[name]
    times = np.linspace(0.0, end, 5)
    ours = odeint(f, y0, times, args, tfirst=True)
    theirs = scipy.odeint(plain(f), y0, times, args, tfirst=True)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    swapped = odeint(lambda y, t, *args: f(t, y, *args), y0, times, args)
    np.testing.assert_array_equal(ours, swapped)


def loss_of(name: str, gradient: Any) -> Callable[..., Any]:
    f, _, _, end = CASES[name]

    def loss(y0: Any, args: Any, span: Any) -> Any:
        times = [span[0], 0.5 * end, span[1]]
        y = odeint(f, y0, times, args, tfirst=True, rtol=1e-11, atol=1e-11, gradient=gradient)
        return (y * y).sum() + y[-1, 0]

    return loss


@NAMES
@pytest.mark.parametrize("gradient", ["steps", "adjoint"])
def test_gradients_are_those_of_differences(name: str, gradient: str) -> None:
    _, y0, args, end = CASES[name]
    loss, at = loss_of(name, gradient), (np.array(y0), args, (0.0, end))
    found = grad(loss, argnums=(0, 1, 2))(*at)
    flat = np.concatenate([np.ravel(found[0]), found[1], found[2]])
    point = np.concatenate([y0, args, at[2]])

    def value(x: Any) -> float:
        n, m = len(y0), len(y0) + len(args)
        return float(loss(x[:n], tuple(map(float, x[n:m])), tuple(map(float, x[m:]))))

    h = 1e-4
    for i, slope in enumerate(flat):
        unit = h * (np.arange(len(point)) == i)
        steps = [value(point + s * unit) for s in (-2.0, -1.0, 1.0, 2.0)]
        expected = (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * h)
        np.testing.assert_allclose(slope, expected, rtol=2e-5, atol=2e-5)


@NAMES
def test_both_kinds_agree(name: str) -> None:
    _, y0, args, end = CASES[name]
    at = (np.array(y0), args, (0.0, end))
    steps, adjoint = (grad(loss_of(name, g), argnums=(0, 1))(*at) for g in ("steps", "adjoint"))
    for a, b in zip((steps[0], *steps[1]), (adjoint[0], *adjoint[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("gradient", ["steps", "adjoint"])
def test_second_derivatives_and_forward_mode(gradient: Any) -> None:
    def end(k: Any) -> Any:  # exp(-2 k)
        options: Any = {"rtol": 1e-11, "atol": 1e-11, "gradient": gradient}
        return odeint(lambda y, t, k: -k * y, 1.0, [0.0, 2.0], (k,), **options)[-1, 0]

    y = np.exp(-1.0)
    np.testing.assert_allclose(grad(end)(0.5), -2 * y, rtol=1e-9)
    np.testing.assert_allclose(grad(grad(end))(0.5), 4 * y, rtol=1e-8)
    np.testing.assert_allclose(hessian(end)(0.5), 4 * y, rtol=1e-8)
    np.testing.assert_allclose(jvp(end, (0.5,), (1.0,))[1], -2 * y, rtol=1e-9)


def test_parameters_may_be_tensors_modules_and_what_the_function_closes_over() -> None:
    net = nn.Sequential(nn.Linear(2, 4, seed=0), nn.Tanh(), nn.Linear(4, 2, seed=1))
    start = Tensor([1.0, 0.0], requires_grad=True)
    (odeint(lambda y, t: net(y[None])[0], start, [0.0, 1.0])[-1] ** 2).sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    weight = Tensor([0.5, 0.25], requires_grad=True)
    for gradient in ("steps", "adjoint"):
        weight.grad = None
        y = solve_ivp(
            lambda t, y, p: -p["w"] * y,
            (0.0, 1.0),
            [1.0, 2.0],
            args=({"w": weight},),
            rtol=1e-10,
            atol=1e-10,
            gradient=gradient,  # type: ignore[arg-type]
        ).y
        y[:, -1].sum().backward()
        np.testing.assert_allclose(weight.grad, [-np.exp(-0.5), -2 * np.exp(-0.25)], rtol=1e-7)


def test_the_adjoint_refuses_what_it_would_lose() -> None:
    def loss(k: Any) -> Any:
        return odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0], gradient="adjoint")[-1, 0]

    with pytest.raises(OptionError, match="closes over traced numbers"):
        grad(loss)(0.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda f: solve_ivp(f, (0.0, 1.0), [1.0], method="LSODA"),
        lambda f: solve_ivp(f, (0.0, 1.0), [[1.0]]),
        lambda f: solve_ivp(f, (0.0, 1.0), [1.0], events=lambda t, y: y[0]),  # type: ignore[arg-type]
        lambda f: solve_ivp(f, (0.0, 1.0), [1.0], t_eval=[0.0, 2.0]),
        lambda f: solve_ivp(f, (0.0, 1.0), [1.0], t_eval=[1.0, 0.0]),
        lambda f: solve_ivp(f, (0.0, 1.0), [1.0], atol=-1.0),
        lambda f: solve_ivp(f, (0.0, 1.0), [1.0], max_step=0.0),
        lambda f: solve_ivp(f, (0.0, 1.0), ["a"]),
        lambda f: solve_ivp(3, (0.0, 1.0), [1.0]),  # type: ignore[arg-type]
        lambda f: solve_ivp(f, (0.0, 1.0), [1.0], gradient="magic"),  # type: ignore[arg-type]
        lambda f: odeint(f, [1.0], [0.0, 2.0, 1.0]),
        lambda f: odeint(f, [1.0], []),
    ],
)
def test_mistakes_are_explained(call: Any) -> None:
    with pytest.raises(GradwalkError):
        call(lambda t, y: -y)


def test_what_does_not_reach_the_end_says_so() -> None:
    with np.errstate(all="ignore"):
        result = solve_ivp(lambda t, y: y * y, (0.0, 2.0), [1.0])  # y = 1 / (1 - t)
        assert not result.success
        assert "spacing between numbers" in result.message
        with pytest.raises(ConvergenceError, match="a solution until"):
            odeint(lambda y, t: y * y, [1.0], [0.0, 2.0])
