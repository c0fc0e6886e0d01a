"""Explain wrong gradients: which mistakes, together, reproduce the numbers that were observed.

The local derivatives come first, from the programs with one operation. What remains is explained
by switches of `simulate`: one at a time, the one that explains most, then the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from .cases import Case
from .graph import Graph, close, local
from .search import Found, fitting
from .simulate import RIGHT, Model, Rule, simulate
from .source import Source
from .switches import Switch, of_rule, switches
from .wording import DERIVATIVES, Words, called, noun, operand, rule_words, variants

__all__ = ["Explanation", "OwnMistake", "explain"]


@dataclass(frozen=True)
class OwnMistake:
    """A wrong derivative that a teacher names: the operation, its operand, the formula, words."""

    op: str
    k: int
    derivative: str
    words: Words


@dataclass
class Explanation:
    """The mistakes that were found, what each explains, and the cases that remain."""

    found: list[tuple[Switch, list[Case], list[Switch]]] = field(default_factory=list)
    unexplained: list[Case] = field(default_factory=list)
    model: Model = RIGHT


def rule_of(found: Found) -> Rule:
    """Return a formula of the search as a rule of a model."""

    def rule(values: tuple[float, ...], y: float) -> float:
        a, b = values[0], values[-1]
        return found.evaluate({"a": a, "b": b, "n": b, "y": y})

    return rule


def _single(case: Case) -> tuple[str, Graph] | None:
    """Return the one operation of the graph that the learner's class built, if it is one."""
    graph = case.seen
    if graph is None or not case.ran_backward or not case.once:
        return None
    inner = [node for node in graph.nodes if node.op]
    if len(inner) != 1 or graph.nodes[graph.root] is not inner[0]:
        return None
    return inner[0].op, graph


@dataclass(frozen=True)
class _Point:
    """One program of one operation: where it was, the derivative found there, the right one."""

    case: Case
    got: float
    values: tuple[float, ...]
    y: float
    right: float
    numbered: bool

    @property
    def wrong(self) -> bool:
        return not close(self.got, self.right, 1e-7)


def _points(cases: list[Case], start: float) -> dict[tuple[str, int], list[_Point]]:
    """Return what each operand got in the programs that have one operation only."""
    rows: dict[tuple[str, int], list[_Point]] = {}
    for case in cases:
        single = _single(case)
        if single is None or case.wrong_data or not case.finite():
            continue
        op, graph = single
        node = graph.nodes[graph.root]
        names = {index: name for name, index in graph.names.items()}
        if len(set(node.operands)) < len(node.operands):
            continue
        values, numbered = graph.values(node), op != "pow" and len(node.operands) < len(node.args)
        for k, ref in enumerate(node.args):
            if isinstance(ref, int) and ref in names and (op, k) in DERIVATIVES:
                got = (case.grad(names[ref]) or 0.0) - start
                right = local(op, k, node.data, values)
                point = _Point(case, got, values, node.data, right, numbered)
                rows.setdefault((op, k), []).append(point)
    return rows


def _rules(
    cases: list[Case], start: float, own: Sequence[OwnMistake]
) -> Iterator[tuple[Switch, list[Case]]]:
    """Wrong local derivatives, from the programs that have one operation only."""
    for (op, k), points in _points(cases, start).items():
        values = [p for p in points if not p.numbered]
        numbers = [p for p in points if p.numbered]
        wrong = [p.case for p in points if p.wrong]
        if not wrong:
            continue
        if all(any(p.wrong for p in part) for part in (values, numbers) if part):
            switch = _named_rule(op, k, points, own)
            if switch.prior == 1.0 or not values or not numbers:
                yield switch, wrong
                continue
        if any(p.wrong for p in values):
            right = {(f"{op}#", k): _right_rule(op, k)} if numbers else {}
            switch = _named_rule(op, k, values, own)
            change = {"rules": {**switch.change["rules"], **right}}  # type: ignore[dict-item]
            yield replace(switch, change=change), [p.case for p in values if p.wrong]
        if any(p.wrong for p in numbers):
            yield (
                _with_number(_named_rule(op, k, numbers, own)),
                [p.case for p in numbers if p.wrong],
            )


def _right_rule(op: str, k: int) -> Rule:
    return lambda values, y: local(op, k, y, values)


def _with_number(switch: Switch) -> Switch:
    """Return a wrong rule as one for a plain number as the other operand."""
    op, words = switch.op, switch.words
    how = f"{called(op).replace('a', '3').replace('b', 'a')}" if switch.k else (
        called(op).replace("b", "3")
    )  # fmt: skip
    ((_, rule),) = switch.change["rules"].items()  # type: ignore[attr-defined]
    title = f"{words.title} (in `{how}`, where the other operand is a number)"
    return replace(
        switch,
        words=replace(words, id=f"{words.id}_of_number", title=title),
        change={"rules": {(f"{op}#", switch.k): rule}},
    )


def _named_rule(op: str, k: int, points: list[_Point], own: Sequence[OwnMistake]) -> Switch:
    """Name a wrong local derivative: a usual formula, one that is searched, or its place."""
    wanted = [p.got for p in points]
    names = [{"a": p.values[0], "b": p.values[-1], "n": p.values[-1], "y": p.y} for p in points]
    phase = 2
    for row in own:
        candidate = Found(row.derivative, 1, 1)
        if (row.op, row.k) == (op, k) and all(
            close(candidate.evaluate(n), w, 1e-6) for n, w in zip(names, wanted, strict=True)
        ):
            return Switch(row.words, phase, {"rules": {(op, k): rule_of(candidate)}}, op, k)
    for kind in variants(op, k):
        candidate = Found(kind[1], 1, 1)
        if all(close(candidate.evaluate(n), w, 1e-6) for n, w in zip(names, wanted, strict=True)):
            words = rule_words(op, k, kind[1], kind)
            return Switch(words, phase, {"rules": {(op, k): rule_of(candidate)}}, op, k)
    keys = ("a", "y") if op not in ("add", "sub", "mul", "div", "pow") else ("a", "b", "y")
    columns = {
        ("n" if key == "b" and op == "pow" else key): tuple(n[key] for n in names) for key in keys
    }
    found = fitting(columns, wanted)
    if found is not None and found.size < len(wanted) + 6:
        words = rule_words(op, k, found.text, None)
        return Switch(words, phase, {"rules": {(op, k): rule_of(found)}}, op, k)
    return Switch(
        _placed(op, k, points), phase, {"rules": {(op, k): _table(points)}}, op, k, prior=0.1
    )


def _table(points: list[_Point]) -> Rule:
    seen = {p.values: p.got for p in points}
    return lambda values, y: seen.get(values, float("nan"))


def _placed(op: str, k: int, points: list[_Point]) -> Words:
    x, right = operand(op, k), DERIVATIVES[op, k]
    rows = []
    for p in points:
        if not close(p.got, p.right):
            at = ", ".join(f"{n} = {v:g}" for n, v in zip(("a", "b"), p.values, strict=False))
            rows.append(f"at {at} yours is {p.got:.6g}, right is {p.right:.6g}")
    return Words(
        f"{op}_{'right' if k else 'left'}_wrong",
        f"the derivative of {noun(op)} with respect to {x} is wrong",
        f"It must be `{right}`; {'; '.join(rows[:3])}.",
        (
            f"Change {x} a little at these points. How much does the result change?",
            f"Right is `{right}`, with the result y.",
            f"Look at the rule of {noun(op)}.",
        ),
    )


SHARE = 0.3
"""How much of the wrong programs with its operation a mistake must explain: less is chance."""

PAIRS = 1200
"""Pairs of mistakes that are tried: about half a second."""


def _explains(case: Case, model: Model) -> bool:
    graph = case.seen
    return graph is not None and any(
        case.matches(simulate(graph, model, flipped)) for flipped in (False, True)
    )


def _writes_agree(cases: list[Case], model: Model) -> int:
    return sum(
        any(case.same_writes(simulate(case.seen, model, f)) for f in (False, True))
        for case in cases
        if case.seen is not None
    )


def explain(
    cases: list[Case],
    source: Source,
    empty: float | None = None,
    own: Sequence[OwnMistake] = (),
) -> Explanation:
    """Return the mistakes that reproduce the wrong gradients of ``cases``.

    ``empty`` is the gradient of a new number, and ``own`` are the mistakes that a teacher names.
    """
    usable = [c for c in cases if c.once and c.ran_backward and not c.wrong_data and c.finite()]
    wrong = [c for c in usable if c.wrong_grads]
    result = Explanation()
    if not wrong:
        return result
    probes = [c for c in usable if c.seen is not None]
    if empty:
        begun = _begun(empty)
        gained = [c for c in wrong if _explains(c, begun.applied(RIGHT))]
        if len(gained) > len(wrong) / 3:
            result.model = begun.applied(RIGHT)
            result.found.append((begun, gained, []))
    written = {line for c in usable for line, _, _, _ in c.writes if line}
    assigns = not all("+=" in source.line(line) for line in written)
    rules = list(_rules(usable, result.model.start, own))
    unknown = {sw.op for sw, _ in rules if sw.prior < 1.0}
    echoes = _echoes(rules, usable)
    unknown |= echoes
    rules = [row for row in rules if row[0].op not in echoes]
    if not any(_all_singles(sw, rules) for sw in switches(())):
        for op in dict.fromkeys(sw.op for sw, _ in rules):
            for row in _of_operation(op, [r for r in rules if r[0].op == op], result.model, probes):
                result.model = row[0].applied(result.model)
                result.found.append(row)
    ops = sorted({op for c in probes for op in (c.seen.ops if c.seen else ())})
    known = [sw for sw in switches(ops) if assigns or "=" not in _pushes(sw)]
    # of an unknown derivative only single points are known: other programs cannot be judged
    probes = [c for c in probes if not (c.seen and c.seen.ops & unknown)]
    left = [c for c in probes if not _explains(c, result.model)]
    for _ in range(6):
        if not left:
            break
        best = _best(known, result.model, left, probes, source)
        if best is None:
            best = _best_pair(known, result.model, left, probes)
        if best is None:
            break
        chosen, explained, others = best
        result.model = chosen.applied(result.model)
        result.found.append((chosen, explained, others))
        left = [c for c in probes if not _explains(c, result.model)]
    if not any(sw.words.id == "by_value" for sw, _, _ in result.found):
        result.found += list(_not_stored(wrong))
    cut = {c for _, group, _ in result.found for c in group}
    silent = [c for c in wrong if c.seen is None or (_explains(c, RIGHT) and c not in cut)]
    covered = {op for sw, _, _ in result.found for op in [sw.op] if op}
    result.unexplained = [c for c in left if c.wrong_grads]
    result.unexplained += [c for c in silent if not (covered & c.right.ops)]
    return result


def _echoes(rules: list[tuple[Switch, list[Case]]], cases: list[Case]) -> set[str]:
    """Return the operations whose derivatives are wrong because they call another wrong one."""
    wrong = {switch.op for switch, _ in rules}
    return {
        op for op in wrong if any(c.nested & wrong - {op} for c in cases if c.formula.single == op)
    }


def _pushes(switch: Switch) -> set[object]:
    """Return how a mistake puts contributions into gradients, if that is what it is about."""
    push = switch.change.get("push")
    return {switch.change.get("every_push"), *(push.values() if isinstance(push, dict) else ())}


def _begun(empty: float) -> Switch:
    words = Words(
        "grad_begins",
        f"grad begins at {empty:g} instead of 0",
        "Contributions are added to what grad is at the start, so it must start as 0 (zero).",
        (
            f"Make a new number. What is its gradient? Yours is {empty:g}.",
            "Nothing has arrived yet at a new number: its gradient is 0.",
            "`self.grad = 0.0`",
        ),
    )
    return Switch(words, 4, {"start": empty}, where="begin")


def _explained_by(chosen: tuple[Switch, ...], model: Model, cases: list[Case]) -> int:
    for switch in chosen:
        model = switch.applied(model)
    return sum(_explains(c, model) for c in cases)


def _of_operation(
    op: str, rules: list[tuple[Switch, list[Case]]], model: Model, probes: list[Case]
) -> list[tuple[Switch, list[Case], list[Switch]]]:
    """Return the wrong derivatives of one operation, or a mistake of its rule that explains more.

    Mistakes that explain as much are the others, which cannot be told apart.
    """
    mine = [c for c in probes if _has(c, op)]

    def count(*chosen: Switch) -> int:
        """Return how many programs these explain, as they are or beside a mistake of order."""
        return max(_explained_by((*chosen, *beside), model, mine) for beside in contexts)

    contexts: list[tuple[Switch, ...]] = [()]
    ours = tuple(sw for sw, _ in rules)
    if _explained_by(ours, model, mine) < 0.75 * len(mine):
        orders = [sw for sw in switches(()) if "order" in sw.change]
        contexts.append((max(orders, key=lambda sw: _explained_by((*ours, sw), model, mine)),))
    best = count(*(sw for sw, _ in rules))
    found: list[tuple[Switch, list[Case], list[Switch]]] = [(sw, cs, []) for sw, cs in rules]
    for other in of_rule(op):
        ((_, value),) = other.change.items()
        ks = {k for _, k in value} if isinstance(value, dict) else set()
        kept = [(sw, cs) for sw, cs in rules if sw.k not in ks]
        gone = [c for sw, cs in rules if sw.k in ks for c in cs]
        if not gone:
            continue
        alone = other.applied(model)
        if not all(_explains(c, alone) for c in gone):
            continue
        gained = count(other, *(sw for sw, _ in kept))
        if gained > best:
            best = gained
            found = [(other, gone, []), *((sw, cs, []) for sw, cs in kept)]
        elif gained == best and len(ks) >= len(found) - len(kept):
            found[0][2].append(other)
    return found


def _not_stored(wrong: list[Case]) -> Iterator[tuple[Switch, list[Case], list[Switch]]]:
    """Operations whose nodes do not store all operands, so that the graph is cut there."""
    rows: dict[tuple[str, int], list[Case]] = {}
    for case in wrong:
        if case.seen is None or not _explains(case, RIGHT):
            continue
        for node in case.seen.nodes:
            for k, ref in enumerate(node.args if node.stored is not None else ()):
                if isinstance(ref, int) and ref not in (node.stored or ()):
                    rows.setdefault((node.op, k), []).append(case)
    for (op, k), group in rows.items():
        x = operand(op, k)
        words = Words(
            f"{op}_operand_not_stored",
            f"{noun(op)} does not store its operand {x}: it is missing among the parents (_prev)",
            f"backward never reaches what {x} was computed from: the graph is cut "
            "there (children).",
            (
                f"y = {called(op)}: which nodes must y know?",
                f"The operand {x} is not passed on to the new node.",
                "`Value(..., (self, other))`",
            ),
        )
        yield Switch(words, 3, {}, op, k), group, []


def _all_singles(switch: Switch, rules: list[tuple[Switch, list[Case]]]) -> bool:
    """Whether one mistake of the pass explains all wrong derivatives at once."""
    if len(rules) < 3:
        return False
    model = switch.applied(RIGHT)
    return all(_explains(case, model) for _, cases in rules for case in cases)


def _score(
    switch: Switch, model: Model, left: list[Case], right: list[Case]
) -> tuple[int, int, list[Case]]:
    """Return how many of ``left`` a mistake explains, and how many of ``right`` it spoils."""
    changed = switch.applied(model)
    if switch.op:  # nothing else changes where the operation is not used
        left = [c for c in left if _has(c, switch.op)]
        right = [c for c in right if _has(c, switch.op)]
    explained = [c for c in left if _explains(c, changed)]
    broken = 0
    for case in right if explained else ():
        broken += not _explains(case, changed)
        if broken >= len(explained):
            break
    return len(explained), broken, explained


def _has(case: Case, op: str) -> bool:
    return case.seen is not None and op in case.seen.ops


def _evidence(switch: Switch, source: Source) -> float:
    """How likely the source makes a mistake: is ``reversed`` there, is ``visited``?"""
    order = switch.change.get("order")
    score = switch.prior
    turned = source.has("reversed", "reverse", "sort", "sorted", "heappop") or (
        "[::-1]" in source.text
    )
    if str(order).startswith("no_visited") and not source.may_revisit():
        score *= 0.4
    if order == "seed_late":
        score *= 2.0 if (source.before_loop() or 0) > (source.loop() or 0) else 0.1
    if order == "by_value" and source.start("__eq__", source.engine):
        score *= 1.5
    if order in ("root_only", "not_reversed", "created"):
        score *= 1.0 if (order == "root_only") != source.repeats() else 0.3
    if order in ("not_reversed", "created"):
        score *= 0.3 if turned else 1.5
    if order in ("levels", "levels_every_path"):
        score *= 1.5 if source.has("deque", "popleft") or "pop(0)" in source.text else 0.5
    if order in ("last_in", "last_in_every_path"):
        score *= 1.3 if source.has("pop") and "pop(0)" not in source.text else 0.5
    return score


def _best(
    switches: list[Switch], model: Model, left: list[Case], probes: list[Case], source: Source
) -> tuple[Switch, list[Case], list[Switch]] | None:
    rated = []
    right = [c for c in probes if c not in set(left)]
    for switch in switches:
        gained, broken, explained = _score(switch, model, left, right)
        meant = [c for c in left if not switch.op or _has(c, switch.op)]
        if gained > broken and gained >= SHARE * len(meant):
            rated.append((gained - 2 * broken, switch, explained))
    if not rated:
        return None
    top = max(score for score, _, _ in rated)
    if top <= 0:
        return None
    tied = [(sw, ex) for score, sw, ex in rated if score == top]
    ranked = sorted(
        tied,
        key=lambda row: (
            -_writes_agree(row[1][:12], row[0].applied(model)),
            -_evidence(row[0], source),
        ),
    )
    chosen, explained = ranked[0]
    same = _writes_agree(explained[:12], chosen.applied(model))
    others = [sw for sw, ex in ranked[1:] if _writes_agree(ex[:12], sw.applied(model)) == same]
    return chosen, explained, others


def _best_pair(
    switches: list[Switch], model: Model, left: list[Case], probes: list[Case]
) -> tuple[Switch, list[Case], list[Switch]] | None:
    """Return the first of two mistakes that explain only together."""
    best: tuple[int, Switch, list[Case]] | None = None
    hard = sorted(left, key=lambda c: c.size)[:6]
    ops = {op for c in hard[:2] for op in (c.seen.ops if c.seen else ())}
    switches = [sw for sw in switches if not sw.op or sw.op in ops]
    tried = 0
    for i, first in enumerate(switches):
        one = first.applied(model)
        for second in switches[i + 1 :]:
            tried += 1
            if tried > PAIRS:
                return None if best is None else (best[1], best[2], [])
            two = second.applied(one)
            if not all(_explains(c, two) for c in hard[:2]):
                continue
            explained = [c for c in left if _explains(c, two)]
            broken = sum(not _explains(c, two) for c in probes if c not in left)
            score = len(explained) - 2 * broken
            if score > 0 and (best is None or score > best[0]):
                best = score, first, explained
    return None if best is None else (best[1], best[2], [])
