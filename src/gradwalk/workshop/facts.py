"""Facts: mistakes that need no model. Exceptions, results that are not Values, wrong numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from .cases import Case
from .graph import close, number
from .lines import METHODS, forward_line
from .report import Mistake
from .search import Found, fitting
from .source import Source
from .wording import called, noun

__all__ = ["forward_mistakes", "missing_operators"]

REFLECTED: Final = {
    "number_add": ("__radd__", "3 + a", "add", "a + 3"),
    "python_sum": ("__radd__", "sum([a, b])", "add", "a + 3"),
    "number_sub": ("__rsub__", "3 - a", "sub", "a - 3"),
    "number_sub_float": ("__rsub__", "0.5 - a", "sub", "a - 3"),
    "number_mul": ("__rmul__", "3 * a", "mul", "a * 3"),
    "number_div": ("__rtruediv__", "3 / a", "div", "a / 4"),
    "number_div_float": ("__rtruediv__", "0.5 / a", "div", "a / 4"),
}


INTEGERS: Final = {
    "add_float": "add_number",
    "sub_float": "sub_number",
    "mul_float": "mul_number",
    "div_float": "div_number",
}
"""Programs with a float, and the same with an integer."""


def missing_operators(cases: list[Case], engine: dict[str, Any]) -> list[str]:
    """Operations that the file does not have, as they are written."""
    known = set(engine["operators"])
    rows = [called(op) for op, method in METHODS.items() if method not in known]
    rows += [
        name
        for name in ("exp", "log", "tanh", "sigmoid", "relu")
        if name not in engine["functions"]
    ]
    return rows


def _strange(case: Case) -> bool:
    """Whether a result is no Value: then the exception after it is only the echo."""
    return any("is" in seen for row in case.lines for seen in row.values())


def _unwritten(case: Case, engine: dict[str, Any]) -> bool:
    """Whether a program fails because an operator is not written, which is no mistake."""
    error = case.error
    if (
        error is None
        or error["line"] is not None
        or error["type"] not in ("TypeError", "AttributeError")
    ):
        return False
    return "unsupported operand" in error["message"] or "bad operand" in error["message"]


def forward_mistakes(
    cases: list[Case], engine: dict[str, Any], source: Source
) -> Iterator[tuple[Mistake, list[Case]]]:
    """Yield mistakes in the forward pass, with the programs that each of them spoils."""
    done: set[str] = set()
    spoiled: set[str] = set()
    broken: set[str] = set()
    name = engine["engine"]
    begun = any(key.startswith("__r") for key in engine["operators"])
    errors: dict[tuple[str, Any, str], list[Case]] = {}
    lost = [c for c in cases if _loses_digits(c)]
    if any(c.formula.id == "one_node" for c in lost):
        yield _digits(lost[0], engine, source), lost
        cases = [c for c in cases if c not in lost and c.error is None]
    for case in cases:
        if _unwritten(case, engine):
            if case.formula.id in REFLECTED and case.formula.id not in done:
                method, text, op, _ = REFLECTED[case.formula.id]
                has = METHODS[op] in engine["operators"]
                if has and begun and method not in engine["operators"] and method not in done:
                    done.add(method)
                    level = "remark" if method == "__rtruediv__" else "wrong"
                    line = source.reflected(method, name) or source.start(METHODS[op], name)
                    yield (
                        _mistake(
                            case,
                            f"{method.strip('_')}_missing",
                            f"{text} does not work: {method} is missing",
                            f"Python asks the number first, and then the right operand's {method} "
                            "(reflected).",
                            (
                                f"Whom does Python ask in {text}?",
                                f"{method} is not written.",
                                f"`def {method}(self, other):`",
                            ),
                            op=op,
                            line=line,
                            level=level,
                        ),
                        [case],
                    )
            elif (works := INTEGERS.get(case.formula.id)) and any(
                c.formula.id == works and c.error is None for c in cases
            ):
                text = case.formula.text.split("\n")[0].removeprefix("y = ")
                calls = METHODS[next(iter(case.right.ops))]
                yield (
                    _mistake(
                        case,
                        "only_integers",
                        f"{text} does not work, and the same with an integer does: a plain float "
                        "is not wrapped",
                        "Only some kinds of numbers (int, float) are made Values (isinstance).",
                        (
                            "Which kinds of numbers does Python have?",
                            "An int is accepted, and a float is not.",
                            "`isinstance(other, (int, float))`",
                        ),
                        op=next(iter(case.right.ops)),
                        line=source.checked_kind() or source.start(calls, name),
                    ),
                    [case],
                )
            continue
        if case.error is not None and not _strange(case):
            message = re.sub(r"0x[0-9a-f]+|'(int|float)'", "…", case.error["message"])
            one = _NUMBER.match(message) or "unhashable" in message
            if _OF_NUMBER.match(message) and begun:
                continue  # the echo of a missing operator for a number on the left
            key = case.error["type"], None if one else case.error["line"], message
            errors.setdefault(key, []).append(case)
    for (kind, _, _), group in errors.items():
        case = min(group, key=lambda c: c.size)
        yield _raised(case, kind, _raised_at(case, group), group, source, name), group
    wrong_ops = {c.formula.single for c in cases if c.wrong_data and c.formula.single}
    for case in sorted(cases, key=lambda c: c.size):
        if not case.wrong_data or case.formula.forward == 10:
            continue
        if case.nested & wrong_ops - {case.formula.single}:
            continue  # the echo of an operation that it calls
        if case.error is not None and not _strange(case):
            continue
        op = case.formula.single
        subject = op or case.formula.id
        method = REFLECTED.get(case.formula.id, ("", "", "", ""))[0] or METHODS.get(op, op)
        used = {row["method"] for row in case.record.get("calls", ())}
        if (
            op in spoiled
            or subject in done
            or (not op and (case.right.ops & spoiled or used & broken))
        ):
            continue
        if method.startswith("__r"):
            broken.add(method)
        done.add(subject)
        if op:
            spoiled.add(op)
        group = [c for c in cases if c.wrong_data and (c is case or (op and op in c.right.ops))]
        if not method and case.record.get("calls"):
            method = case.record["calls"][0]["method"]
        line = _line(case, op, method, cases, source, name)
        yield _forward(case, op, method, line, group, cases), group


_NUMBER: Final = re.compile(r"(…|'(int|float)') object has no attribute")
"""What Python says if a plain number is used as a Value."""

_OF_NUMBER: Final = re.compile(r"unsupported operand type\(s\) for .+: (…|'(int|float)') and")


def _raised_at(case: Case, group: list[Case]) -> int | None:
    """Return the line of an exception; if several lines raise it, one that all of them have run."""
    lines: set[int | None] = {c.error["line"] for c in group if c.error}
    if len(lines) == 1:
        return next(iter(lines))
    ran = [{x for part in c.record.get("forward", ()) for x in part} for c in group]
    shared = set.intersection(*ran) if ran else set()
    if shared:
        return int(min(shared))
    line: int | None = (case.error or {}).get("line")
    return line


def _loses_digits(case: Case) -> bool:
    """Whether a leaf does not have its number after the first line."""
    first = case.lines[0] if case.lines else {}
    return any(
        name in first and not close(number(first[name].get("data")), value, 1e-9)
        for name, value in case.formula.values
    )


def _digits(case: Case, engine: dict[str, Any], source: Source) -> Mistake:
    name, value = next(
        (name, value)
        for name, value in case.formula.values
        if not close(number(case.lines[0][name].get("data")), value, 1e-9)
    )
    return _mistake(
        case,
        "data_changed",
        f"{engine['engine']}({value!r}) does not keep its number",
        f"data is {case.lines[0][name].get('data')}: the number is rounded, converted to int, or "
        "changed in __init__ (the constructor).",
        ("Print Value(0.1234567890123).data.", "Digits are lost.", "`self.data = data`"),
        line=source.begins(engine["data"]),
    )


def _line(
    case: Case, op: str, method: str, cases: list[Case], source: Source, engine: str
) -> int | None:
    """Return the line that computes a wrong result: one that only this operation has run."""
    found = (
        source.returns(method, engine)
        or source.returns(op, engine)
        or source.returns(op)
        or source.start(method, engine)
    )
    return (forward_line(op, method, cases, source, engine) if op else None) or found


def _mistake(case: Case, id: str, *words: Any, **more: Any) -> Mistake:
    """Return a mistake of the forward pass, or of ``backward`` if that has raised an exception."""
    ended, lines = len(case.lines), case.formula.text.split("\n")
    backward = case.error is not None and ended < len(lines) and ".backward()" in lines[ended]
    phase = max(3, case.formula.backward) if backward else case.formula.forward
    return case.mistake(id, phase, *words, again=True, **more)


def _raised(
    case: Case, kind: str, line: int | None, group: list[Case], source: Source, engine: str
) -> Mistake:
    """Name an exception: a number that was not wrapped, endless calls, or its own text."""
    assert case.error is not None
    program = case.formula.text.split("\n")
    message, text = case.error["message"], program[min(len(case.lines), len(program) - 1)]
    shown = source.line(line)
    if kind == "TooLongError":
        return _mistake(
            case,
            "never_ends",
            f"{text} never ends: an endless loop",
            f"After a second it was still in line {line}, `{shown}`.",
            (
                "What must change in each turn of the loop, so that it ends?",
                "The condition of a loop stays true.",
                f"Look at line {line}: `{shown}`.",
            ),
            line=line,
            explains=len(group),
        )
    if kind == "AttributeError" and re.match(r"'(int|float)' object has no attribute", message):
        op = next(iter(case.right.ops), "")
        return _mistake(
            case,
            "constants_not_wrapped",
            f"{text}: a plain number is not wrapped in a {engine}",
            "The operand is an int or float (a constant, a scalar) without data and grad: "
            f"{message}. "
            f"Make a {engine} of it unless isinstance(other, {engine}).",
            (
                "`a + 3`: what is `(3).data`?",
                f"Make a {engine} of everything that is not one.",
                f"`other = other if isinstance(other, {engine}) else {engine}(other)`",
            ),
            op=op,
            line=source.checked_kind() or line,
            explains=len(group),
        )
    if "unhashable" in message and source.start("__eq__", engine):
        return _mistake(
            case,
            "eq_without_hash",
            f"{engine} has __eq__ and no __hash__: it is unhashable, so no set can hold it",
            f"{text} raises {kind}: {message}. A class with an __eq__ of its own loses the "
            "__hash__ of object; and two nodes with equal numbers are not the same node.",
            (
                "Which methods does a set need of what it holds?",
                "__eq__ is written, and __hash__ is not.",
                "delete `__eq__`, so that nodes are compared by identity",
            ),
            line=source.start("__eq__", engine),
            explains=len(group),
        )
    backward = source.backward()
    if kind == "TypeError" and "NoneType" in message and line and len(case.right.ops) == 1:
        inside = backward and backward.lineno <= line <= (backward.end_lineno or 0)
        op = next(iter(case.right.ops))
        if inside and all(op in c.right.ops for c in group):
            return _mistake(
                case,
                f"{op}_rule_returns_nothing",
                f"the rule of {noun(op)} returns nothing (None): return is missing",
                f"{text} raises {kind} in `{shown}`: {message}. Only programs with {op} do, so "
                f"what its rule returns is None.",
                (
                    f"What does the rule of {op} return?",
                    "It returns None.",
                    f"`return ...` in the rule of {op}",
                ),
                op=op,
                line=source.silent_rule(op) or line,
                explains=len(group),
            )
    stored = source.called_at_once() if "'NoneType' object is not callable" in message else None
    if stored is not None:
        at, called_name = stored
        return _mistake(
            case,
            "called_at_once",
            f"`{called_name}()` is called at once, and its result, None, is stored",
            f"`{source.line(at)}` calls the function when the formula is computed (too early); "
            "store the function itself, without parentheses (), and let backward call it.",
            (
                f"What does `{called_name}()` return?",
                "It runs before backward, and returns None.",
                f"`{source.line(at).replace(called_name + '()', called_name)}`",
            ),
            line=at,
            explains=len(group),
        )
    if kind == "RecursionError":
        return _mistake(
            case,
            "calls_itself",
            f"{text} never ends: a method calls itself without end (recursion)",
            f"The methods call each other again and again: {shown or message}.",
            (
                "Which method is called first, and which does it call?",
                "They call each other without end.",
                f"Look at `{shown}`.",
            ),
            line=line,
            explains=len(group),
        )
    line = line or source.refused(message)
    shown = source.line(line)
    where = f" in line {line}, `{shown}`" if line else ""
    return _mistake(
        case,
        f"raises_{kind.lower()}",
        f"{text} raises {kind}: {message}",
        f"It ends with {kind}: {message}{where}. So nothing can be said of what comes after it.",
        (
            f"Run `{text}` by itself. What does the last line of the error say?",
            f"{kind}: {message}",
            f"Look at line {line}: `{shown}`." if line else "Look at the operator.",
        ),
        line=line,
        explains=len(group),
    )


def _forward(
    case: Case, op: str, method: str, line: int | None, group: list[Case], cases: list[Case]
) -> Mistake:
    """Name a wrong result: of another type, changed operands, another formula."""
    text = case.formula.text.split("\n")[0].removeprefix("y = ")
    name = case.wrong_data[0]
    leaves = dict(case.formula.values)
    what = f"{noun(op)}" if op else f"`{text}`"
    row = next(row for row in case.lines if name in row and _bad(case, row, name))
    seen = row[name]
    count = len(group)
    if "is" in seen:
        kind = seen["is"]
        words = "nothing (None): return is missing" if kind == "NoneType" else f"a {kind}"
        return _mistake(
            case,
            f"{op or 'result'}_returns_{kind.lower()}",
            f"{text} returns {words} instead of a new Value",
            f"The result of {what} must be a Value with data and grad, to be part of the graph; it "
            f"is {words}.",
            (f"What type has {text}?", f"It is {words}.", "`return Value(...)`, with its operands"),
            op=op,
            line=line,
            explains=count,
        )
    got = number(seen.get("data"))
    if name in leaves:
        return _mistake(
            case,
            f"{op or 'operand'}_changes_operand",
            f"{text} changes its operand {name}",
            f"{what} must leave its operands as they are and return a new Value; {name} was "
            f"{leaves[name]:g} and is {seen.get('data')} (mutated in place).",
            (
                f"Print {name} after {text}.",
                f"{name} is changed in place.",
                "`out = Value(...)`, a new one",
            ),
            op=op,
            line=line,
            explains=count,
        )
    want = case.right.nodes[case.right.names[name]].data
    formula = _found(op, cases) if op else _reflected(case)
    swapped = method in ("__rsub__", "__rtruediv__") and formula is not None
    if swapped and formula:
        return _mistake(
            case,
            f"{method.strip('_')}_swapped",
            f"{text}: {method} has its operands swapped: yours is {formula}",
            f"In {method} (reflected) the number stands on the left: other - self, not the other "
            "way "
            f"around. At {name} yours is {got}, right is {want:g}: order and sign are wrong.",
            (
                f"What is {text} for {leaves}? Yours is {got}.",
                f"In `{method}` other stands on the left.",
                "`return Value(other) - self`"
                if "sub" in method
                else "`return Value(other) / self`",
            ),
            op=op,
            line=line,
            explains=count,
        )
    yours = f": yours is {formula}" if formula else ""
    shown = "no number" if got is None else format(got, ".10g")
    at = ", ".join(f"{k} = {v:g}" for k, v in leaves.items())
    return _mistake(
        case,
        f"{op or 'number'}_forward",
        f"the result of {what} is wrong{yours or f': {text} at {at} gives {shown}'}",
        f"{text} at {at} is {want:.10g}; yours is {shown}"
        + (f", which is {formula} (swapped, or another operator)." if formula else "."),
        (
            f"For which numbers is your {text} right, and for which not?",
            f"At {at} it must be {want:.10g}.",
            f"Look at `{method}`.",
        ),
        op=op,
        line=line,
        explains=count,
        certainty="exact" if formula else "place",
    )


def _bad(case: Case, row: dict[str, Any], name: str) -> bool:
    seen = row[name]
    want = case.right.nodes[case.right.names[name]].data
    return "is" in seen or not close(number(seen.get("data")), want, 1e-9)


def _found(op: str, cases: list[Case]) -> str | None:
    """Return the formula that a learner's operation computes, from all programs with it alone."""
    rows: list[dict[str, float]] = []
    wanted: list[float] = []
    for case in cases:
        if case.formula.single != op or not case.lines or case.error:
            continue
        got = number(case.lines[0].get("y", {}).get("data"))
        if got is None:
            return None
        names = dict(case.formula.values)
        if op == "pow":
            node = case.right.nodes[-1]
            names["n"] = float(node.args[1])
        rows.append(names)
        wanted.append(got)
    return _text(rows, wanted)


def _reflected(case: Case) -> str | None:
    got = number(case.lines[0].get("y", {}).get("data")) if case.lines else None
    a = dict(case.formula.values).get("a")
    node = case.right.nodes[-1]
    if got is None or a is None or len(node.args) != 2:
        return None
    n = next((x for x in node.args if not isinstance(x, int)), None)
    if n is None:
        return None
    for text in (
        f"a - {n:g}",
        f"a / {n:g}",
        f"a + {n:g}",
        f"{n:g} * a",
        f"-(a + {n:g})",
        f"{n:g} - a",
        f"{n:g} / a",
        "a",
    ):
        if close(Found(text, 1, 1).evaluate({"a": a}), got):
            return text
    return None


def _text(rows: list[dict[str, float]], wanted: list[float]) -> str | None:
    if len(rows) < 2:
        return None
    found = fitting({key: [row[key] for row in rows] for key in rows[0]}, wanted)
    return found.text if found else None
