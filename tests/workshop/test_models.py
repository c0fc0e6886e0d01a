"""Each mistake that `simulate` knows is written as an engine, and named by the judge."""

from __future__ import annotations

import pytest
from tests.helpers.engine_of_model import engine_of

from gradwalk.ops import TABLE
from gradwalk.workshop import check_text
from gradwalk.workshop.switches import Switch, switches

OPS = ("add", "sub", "mul", "div", "pow", "neg", "exp", "log", "tanh", "sigmoid", "relu")
SWITCHES = list(switches(OPS))


def called(switch: Switch) -> str:
    """Return a name of a switch for a test."""
    ks = sorted({k for field in switch.change.values() if isinstance(field, dict)
                 for _, k in field})  # fmt: skip
    which = "".join("ab"[k] for k in ks)
    seed = switch.change.get("seed", "")
    return "-".join(str(x) for x in (switch.words.id, which, seed) if x != "")


NONE = {f"{op}_equal_operands_once" for op in OPS if TABLE[op].arity == 1} | {
    "pow_equal_operands_once",
    "not_the_last",
}
"""Switches that change nothing: one operand has no equal, and the last node is an input."""
NAMED = {called(switch): switch for switch in SWITCHES if switch.words.id not in NONE}
AS_RULES = ("own_grad", "out_data", "chain_added", "subtract")
"""Mistakes that a program with one operation shows as a wrong derivative of that operation."""


def found(switch: Switch) -> bool:
    """Whether the engine with this mistake is judged to have it, or one like it."""
    first = check_text(engine_of(switch.change)).mistakes[0]
    if switch.op and switch.words.id.endswith(AS_RULES):
        return first.op == switch.op
    return first.id == switch.words.id or switch.words.title in first.others


def test_the_engine_without_a_mistake_is_right() -> None:
    assert check_text(engine_of({})).mistakes == ()


@pytest.mark.parametrize("name", list(NAMED)[::20])
def test_a_model_is_named_as_an_engine(name: str) -> None:
    assert found(NAMED[name])


@pytest.mark.long
@pytest.mark.parametrize("name", NAMED)
def test_every_model_is_named_as_an_engine(name: str) -> None:
    assert found(NAMED[name])
