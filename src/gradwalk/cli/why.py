"""``gradwalk why``: run a script of PyTorch up to the first backward pass that is not finite."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer
from rich.text import Text

from ..core.places import HOME, short_file
from ..errors import FileError, MissingExtraError, OptionError
from ..inspect import why as cause_of
from .terminal import INTERRUPTED, console

if TYPE_CHECKING:
    from ..check.doctor import Diagnosis

__all__ = ["doctor", "why"]

FOUND: Final = 1
"""Exit code if a number is not finite."""


def why(script: Path, words: Sequence[str]) -> None:
    """Run a script; exit 0 if all is finite, 1 with a cause, 2 if there is nothing to examine."""
    _expect_file(script)
    watch = _module("watching").Watch()
    error = _run(script, words, watch)
    out = console()
    if watch.found is not None:
        if error is not None and not isinstance(error, SystemExit):
            _told(error, script)
        out.print(Text(f"\n{_title(script, watch, error)}", style="bold"), soft_wrap=True)
        out.print(_explained(watch), soft_wrap=True)
        raise typer.Exit(FOUND)
    if error is not None and not isinstance(error, SystemExit):
        _told(error, script)
        out.print(f"\n{script.name} ended with this error. {_finite(watch)}", soft_wrap=True)
        raise typer.Exit(INTERRUPTED if isinstance(error, KeyboardInterrupt) else FOUND)
    if not watch.passes:
        raise OptionError(
            where="SCRIPT",
            expected="a script with a backward pass of PyTorch in its main thread",
            got=f"{script.name}, which ran to its end without one",
            fix="Pass the script that calls loss.backward().",
        )
    out.print(f"\n{_finite(watch)}", soft_wrap=True)
    raise typer.Exit(_code(error))


def doctor(script: Path, words: Sequence[str]) -> NoReturn:
    """Run the first steps of a script; exit 0 if its training is well, 1 with what is wrong."""
    _expect_file(script)
    seen = _module("training").Training()
    error = _run(script, words, seen)
    out = console()
    if error is not None and not isinstance(error, SystemExit):
        _told(error, script)
        out.print(f"\n{script.name} ended with this error in step {seen.steps + 1:,}.")
        raise typer.Exit(INTERRUPTED if isinstance(error, KeyboardInterrupt) else FOUND)
    if seen.model is None:
        raise OptionError(
            where="SCRIPT",
            expected="a script that trains a module of PyTorch with an optimizer of PyTorch",
            got=f"{script.name}, in which no step of an optimizer follows a call of its module",
            fix="Pass the script that calls optimizer.step().",
        )
    found = _examined(seen)
    title = f"{script.name}, {seen.steps:,} steps: {found}"
    out.print(Text(f"\n{title}"), soft_wrap=True)
    raise typer.Exit(0 if found else FOUND)


def _examined(seen: Any) -> Diagnosis:
    """Return what experiments and the steps themselves say."""
    from ..check.doctor import Diagnosis, training
    from ..check.trials import Finding

    findings, tried = list[Finding](), list[str]()
    if seen.batches:
        found = training(seen.model, seen.loss, seen.optimizer, seen.batches)
        findings, tried = found.findings, [*found.tried]
    else:
        tried.append("the steps alone, as no loss of an output and a target was seen")
    if len(seen.left_over) > 1:
        first, last = seen.left_over[0], seen.left_over[-1]
        findings.append(Finding(
            "the gradients are added to those of the steps before",
            f"{len(seen.left_over)} of {seen.steps} backward passes began with gradients that a "
            f"step had used already, of norms from {first:.4g} to {last:.4g}",
            "Call optimizer.zero_grad() before loss.backward().",
        ))  # fmt: skip
    if seen.spread is not None:
        a, b = seen.spread
        findings.append(Finding(
            "the loss compares every output with every target",
            f"the difference of shapes {a} and {b} has {max(a)} rows and as many columns",
            "Give both the same shape: output.squeeze(1), or target[:, None].",
        ))  # fmt: skip
    distinct = {x.what: x for x in reversed(findings)}
    return Diagnosis([*distinct.values()][::-1], tried)


def _expect_file(script: Path) -> None:
    if not script.is_file():
        what = "is a folder" if script.exists() else "does not exist"
        raise FileError(
            where="SCRIPT",
            expected="a Python file that trains with PyTorch",
            got=f"{script}, which {what}",
            fix="Pass the file that you run with python.",
        )


def _module(name: str) -> Any:
    """Return a module of the room of PyTorch. Raise `MissingExtraError` without PyTorch."""
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")  # torch.compile would hide the operations
    try:
        import_module("torch")
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            where="gradwalk why",
            expected="PyTorch, with which the script computes",
            got="no torch",
            fix="Install gradwalk where the script runs: pip install gradwalk, beside torch.",
        ) from error
    return import_module(f"..foreign.torch.{name}", __package__)


def _run(script: Path, words: Sequence[str], watch: Any) -> BaseException | None:
    """Run a script as Python does, and return the error that has ended it."""
    before = sys.argv, [*sys.path]
    sys.argv = [str(script), *words]
    sys.path[0] = str(script.resolve().parent)
    try:
        with watch:
            runpy.run_path(str(script), run_name="__main__")
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # of the script
        return error
    finally:
        sys.argv, sys.path[:] = before
    return None


def _title(script: Path, watch: Any, error: BaseException | None) -> str:
    count = watch.passes
    if error is None or watch.ended:
        return f"{script.name}: backward pass {count:,} is not finite: {watch.titles[0]}."
    what = f"{type(error).__name__}: {error}".splitlines()[0].rstrip(".")
    return f"{script.name} ended with {what}. After {_passes(count)}, {watch.titles[0]}."


def _explained(watch: Any) -> str:
    """Return the cause, and what was not seen into or differs from PyTorch."""
    found = watch.found
    lines = [str(cause_of(found))]
    if found.opaque:
        names = ", ".join(found.opaque)
        lines.append(f"  unseen   {names}: PyTorch's own derivatives, which are not seen into")
    lines += [f"  note     {note}" for note in found.notes]
    lines += [f"  differs  {text}" for text in found.agreement.differences]
    lines += [f"  step     {text}" for text in [watch.step()] if text]
    lines += [f"  losses   {text}" for text in [watch.growth()] if text]
    return "\n".join(lines)


def _finite(watch: Any) -> str:
    if not watch.passes:
        return "There was no backward pass before, and no number that is not finite."
    tail = f" {watch.scaled:,} were skipped by the GradScaler." if watch.scaled else ""
    return f"{_passes(watch.passes)}: all losses and gradients are finite.{tail}"


def _passes(count: int) -> str:
    return f"{count:,} backward pass{'es' * (count != 1)}"


def _told(error: BaseException, script: Path) -> None:
    """Print the traceback of the script without the frames that run it."""
    trace = error.__traceback__
    while trace is not None and (
        trace.tb_frame.f_code.co_filename.startswith((HOME, "<frozen"))
        or short_file(trace.tb_frame.f_code.co_filename) == "runpy.py"
    ):
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def _code(error: BaseException | None) -> int:
    """Return the code with which ``sys.exit`` has ended the script."""
    code = error.code if isinstance(error, SystemExit) else 0
    if isinstance(code, str):
        print(code, file=sys.stderr)
        return FOUND
    return code or 0
