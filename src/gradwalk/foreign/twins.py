"""The door for foreign values: adoptions, tensors, arrays and modules, as Tensors of gradwalk."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..core.expect import describe
from ..errors import OptionError

__all__ = ["twin", "twins"]

PLAIN = (int, float, str, bytes, bool, type(None))
WHERE = "the adopted program"


def twin(x: Any) -> Any:
    """Return the Tensor that stands for a foreign value, and anything else unchanged.

    An adoption becomes its result, a module of PyTorch a dictionary of its parameters. Containers
    become containers of Tensors. A tensor of PyTorch that no adoption knows becomes what its
    ``grad_fn`` tells, a `Finding`.
    """
    if isinstance(x, PLAIN) or not _has_frameworks():
        return x
    adoption = sys.modules.get(f"{__package__}.adoption")
    if adoption is not None and isinstance(x, adoption.Adoption):
        return _result(x)
    return _found(x, adoption)


def twins(x: Any) -> Any:
    """Return Tensors that stand for what a result is differentiated by, as a list of several."""
    found = twin(x)
    if found is x:
        return x
    return list(_leaves(found)) if isinstance(found, (dict, list, tuple)) else found


def _has_frameworks() -> bool:
    return "torch" in sys.modules or "jax" in sys.modules


def _result(adoption: Any) -> Any:
    result = adoption.twin(adoption)
    result = adoption.result if result is None else result
    if result is not None:
        return result
    raise OptionError(
        where=WHERE,
        expected="a result with floating numbers",
        got="; ".join(adoption.notes) or "none",
        fix="Return the loss from the function, or call loss.backward() inside `with adopt():`.",
    )


def _found(x: Any, adoption: Any) -> Any:
    kind = type(x).__module__.partition(".")[0]
    if kind == "gradwalk":
        return x
    known = [] if adoption is None else sorted(adoption.adoptions, key=lambda a: -a.number)
    for a in known:
        found = a.twin(x)
        if found is not None:
            return found
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.nn.Module):
        return {name: _found(p, adoption) for name, p in x.named_parameters()}
    if torch is not None and isinstance(x, torch.Tensor):
        finding = import_module(".torch.grad_fn", __package__).after_the_fact(x)
        return {} if finding is None else finding
    if kind in ("jax", "jaxlib"):
        raise OptionError(
            where=WHERE,
            expected="an array that an adopted program has used",
            got=describe(x),
            fix="Keep run = gradwalk.adopt(f, *args), and pass run or one of the arrays in args.",
        )
    if type(x) in (list, tuple):
        members = [_found(member, adoption) for member in x]
        changed = any(a is not b for a, b in zip(members, x, strict=True))
        return type(x)(members) if changed else x
    if type(x) is dict:
        values = {key: _found(member, adoption) for key, member in x.items()}
        return values if any(values[key] is not x[key] for key in x) else x
    return x


def _leaves(x: Any) -> Iterable[Any]:
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, (list, tuple)):
        for member in x:
            yield from _leaves(member)
    else:
        yield x
