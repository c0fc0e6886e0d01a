"""The tool for GradBench: its protocol end to end, and the answers of all evals."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CASES = json.loads((ROOT / "tests/expected/gradbench.json").read_text("utf-8"))
NAMES = {"hello", "det", "gmm", "ba", "ht", "kmeans", "llsq", "lse", "lstm", "ode", "particle"}
NAMES |= {"saddle"}

Message = dict[str, Any]


@pytest.fixture
def protocol(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module `benchmarks.gradbench.protocol`; benchmarks are no part of the package."""
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.gradbench import protocol

    return protocol


@pytest.fixture
def tool() -> Iterator[subprocess.Popen[str]]:
    """The tool in a process of its own, which has to end by itself with status 0."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "benchmarks.gradbench"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        _, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")


def asked(tool: subprocess.Popen[str], message: Message) -> Message:
    """The response, which has to come before another message is sent."""
    assert tool.stdin is not None
    assert tool.stdout is not None
    tool.stdin.write(json.dumps(message) + "\n")
    tool.stdin.flush()
    response: Message = json.loads(tool.stdout.readline())
    assert response["id"] == message["id"]
    return response


def close(a: Any, b: Any) -> bool:
    """Whether two outputs have one shape and agree in 11 digits of their largest number."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, list):
        if len(a) != len(b):
            return False
        if a and all(isinstance(x, float) for x in a):
            scale = max(map(abs, a))
            return all(math.isclose(x, y, rel_tol=1e-11, abs_tol=1e-11 * scale)
                       for x, y in zip(a, b, strict=True))  # fmt: skip
        return all(map(close, a, b))
    if isinstance(a, int):
        return a == b
    return math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-13)


# --- the evals -----------------------------------------------------------------------------------


def title(case: Message) -> str:
    return str(case["module"])


def test_every_eval_has_expected_values() -> None:
    assert {case["module"] for case in CASES} == NAMES


def slow(case: Message) -> bool:
    """Whether compiling takes seconds and another case shows the same."""
    return case["module"] == "particle" and case["input"]["w"] != 0.0


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=pytest.mark.prove) if slow(c) else c for c in CASES],
    ids=title,
)
def test_every_function_gives_the_expected_numbers(protocol: Any, case: Message) -> None:
    functions = protocol.functions_of(case["module"])
    assert functions.keys() == case["outputs"].keys()
    for number, (function, expected) in enumerate(case["outputs"].items()):
        message = {"id": number, "kind": "evaluate", "function": function, **case}
        text, last = protocol.answer(json.dumps(message))
        response = json.loads(text)
        assert not last
        assert response.get("success"), response
        assert close(expected, response["output"]), (expected, response["output"])


def test_the_comparison_notices_what_is_wrong() -> None:
    assert close([1.0, 0.0], [1.0 + 1e-12, 1e-12])
    for a, b in [(1.0, 1.0 + 1e-9), ([1.0], [1.0, 1.0]), ([1.0], [1.1]), (2, 3), ([[1.0]], [[2.0]]),
                 ({"a": 1.0}, {"b": 1.0}), ({"a": 1.0}, {"a": 1.1})]:  # fmt: skip
        assert not close(a, b)


# --- the protocol --------------------------------------------------------------------------------


def test_a_session_of_every_eval(tool: subprocess.Popen[str]) -> None:
    assert asked(tool, {"id": 0, "kind": "start", "eval": "hello"}) == {"id": 0, "tool": "gradwalk"}
    number = 0
    for name in sorted(NAMES):
        case = next(case for case in CASES if case["module"] == name)
        number += 1
        response = asked(tool, {"id": number, "kind": "define", "module": name})
        assert response == {"id": number, "success": True}
        function, expected = next(iter(case["outputs"].items()))
        number += 1
        message = {"id": number, "kind": "evaluate", "function": function, **case}
        response = asked(tool, message)
        assert response.keys() == {"id", "success", "output", "timings"}
        assert close(expected, response["output"])
        number += 1
        sent = {"id": number, "kind": "analysis", "of": number - 1, "valid": True}
        assert asked(tool, sent) == {"id": number}
    assert asked(tool, {"id": 99, "kind": "end"}) == {"id": 99}
    assert tool.wait(timeout=60) == 0  # although its input is still open


def test_a_session_without_end_ends_with_its_input(tool: subprocess.Popen[str]) -> None:
    assert asked(tool, {"id": 0, "kind": "start"})["tool"] == "gradwalk"


def test_an_eval_that_has_gone_is_no_error(tool: subprocess.Popen[str]) -> None:
    assert tool.stdin is not None
    assert tool.stdout is not None
    tool.stdout.close()
    tool.stdin.write('{"id": 0, "kind": "start"}\n{"id": 1, "kind": "start"}\n')
    tool.stdin.flush()
    tool.wait(timeout=60)
    tool.stdout = None


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        ("", None, "a JSON message"),
        ("{", None, "a JSON message"),
        ("hello", None, "got hello"),
        ("x" * 1000, None, "x..."),
        ("3", None, "an integer id"),
        ("[1, 2]", None, "an integer id"),
        ("{}", None, "an integer id"),
        ('{"id": "one", "kind": "start"}', None, "an integer id"),
        ('{"id": true, "kind": "start"}', None, "an integer id"),
        ('{"id": 1, "kind": "define"}', 1, "unknown module None"),
        ('{"id": 1, "kind": "define", "module": "fft"}', 1, "unknown module 'fft'"),
        ('{"id": 1, "kind": "define", "module": ["det"]}', 1, r"unknown module ['det']"),
        ('{"id": 1, "kind": "define", "module": "../os"}', 1, "unknown module '../os'"),
        ('{"id": 2, "kind": "evaluate", "module": "det"}', 2, "unknown function None"),
        ('{"id": 2, "kind": "evaluate", "module": "det", "function": "dir"}', 2,
         "primal, gradient"),
        ('{"id": 2, "kind": "evaluate", "module": "det", "function": {}}', 2,
         "unknown function {}"),
        ('{"id": 2, "kind": "evaluate", "module": "det", "function": "primal"}', 2, "Error"),
        ('{"id": 2, "kind": "evaluate", "module": "lse", "function": "primal", "input": {}}', 2,
         "KeyError: 'x'"),
        ('{"id": 2, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": []}}',
         2, "Error"),
        ('{"id": 2, "kind": "evaluate", "module": "hello", "function": "square", "input": 1e200}',
         2, "the output"),
        ('{"id": 2, "kind": "evaluate", "module": "lse", "function": "primal", '
         '"input": {"x": [1.0], "min_runs": "many"}}', 2, "min_runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(protocol: Any, line: str, number: Any, words: str) -> None:
    text, last = protocol.answer(line)
    response = json.loads(text)
    assert response.keys() == {"id", "success", "error"}
    assert (response["id"], response["success"], last) == (number, False, False)
    assert words in response["error"]


@pytest.mark.parametrize("kind", ["start", "analysis", "end", "other", None])
def test_every_other_kind_is_acknowledged(protocol: Any, kind: str | None) -> None:
    text, last = protocol.answer(json.dumps({"id": 7, "kind": kind}))
    assert json.loads(text) == {"id": 7} | ({"tool": "gradwalk"} if kind == "start" else {})
    assert last == (kind == "end")


def test_responses_are_strict_json_on_one_line_each(protocol: Any) -> None:
    class Pipe(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            assert self.getvalue().endswith("\n")
            self.flushed += 1

    out = Pipe()
    lines = ['{"id": 0, "kind": "start"}\n', "\n", "{\n", '{"id": 1, "kind": "end"}\n', "{}\n"]
    protocol.serve(lines, out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == [0, None, 1]
    assert out.flushed == 3


# --- times ---------------------------------------------------------------------------------------


@pytest.fixture
def counted(protocol: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runs of a function of `lse` that replaces the real one, each of 10 nanoseconds."""
    from benchmarks.gradbench import runs
    from benchmarks.gradbench.evals import lse

    clock, calls = iter(range(0, 1 << 40, 10)), []
    monkeypatch.setattr(runs, "perf_counter_ns", lambda: next(clock))
    job = runs.Job(lambda: calls.append(1) or len(calls))
    monkeypatch.setitem(lse.FUNCTIONS, "primal", lambda given: job)
    return calls


@pytest.mark.parametrize(
    ("wishes", "count"),
    [({}, 1), ({"min_runs": 3}, 3), ({"min_runs": 0}, 0), ({"min_runs": 1, "min_seconds": 5e-8}, 5),
     ({"min_runs": 7, "min_seconds": 5e-8}, 7), ({"min_runs": 0, "min_seconds": 1e-8}, 1)],
)  # fmt: skip
def test_runs_and_seconds_are_least_numbers(
    protocol: Any, counted: list[int], wishes: Message, count: int
) -> None:
    given = {"x": [1.0]} | wishes
    message = {"id": 0, "kind": "evaluate", "module": "lse", "function": "primal", "input": given}
    response = json.loads(protocol.answer(json.dumps(message))[0])
    assert response["output"] == len(counted) == 1 + count
    assert response["timings"] == [
        {"name": "first", "nanoseconds": 10},
        *[{"name": "evaluate", "nanoseconds": 10}] * count,
    ]
