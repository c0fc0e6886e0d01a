"""Explain wrong gradients: which mistakes, together, reproduce the numbers that were observed.

The local derivatives come first, from the programs with one operation. What remains is explained
by switches of `simulate`: one at a time, the one that explains most, then the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .cases import Case
from .graph import Graph, close, local
from .search import Found, fitting
from .simulate import ORDERS, RIGHT, Model, Rule, simulate
from .source import Source
from .wording import DERIVATIVES, ORDER_WORDS, Words, called, noun, operand, rule_words, variants

__all__ = ["Explanation", "explain"]


@dataclass
class Switch:
    """One mistake as a change of a model: its words, and where to look for its line."""

    words: Words
    phase: int
    change: dict[str, object]
    op: str = ""
    k: int = 0
    prior: float = 1.0
    where: str = "rule"

    def applied(self, model: Model) -> Model:
        """Return the model with this mistake, beside those that it has."""
        changes = {key: _joined(getattr(model, key), value) for key, value in self.change.items()}
        return model.but(**changes)


def _joined(old: object, new: object) -> object:
    """Return a field of a model with one more switch in it."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **new}
    if isinstance(old, frozenset) and isinstance(new, frozenset):
        return old | new
    return new


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


def _rules(cases: list[Case]) -> Iterator[tuple[Switch, list[Case]]]:
    """Wrong local derivatives, from the programs that have one operation only."""
    rows: dict[tuple[str, int], list[tuple[Case, float, tuple[float, ...], float]]] = {}
    for case in cases:
        single = _single(case)
        if single is None or case.wrong_data or not case.finite():
            continue
        op, graph = single
        node = graph.nodes[graph.root]
        names = {index: name for name, index in graph.names.items()}
        if len(set(node.operands)) < len(node.operands):
            continue
        for k, ref in enumerate(node.args):
            if isinstance(ref, int) and ref in names:
                got = case.grad(names[ref])
                point = case, got if got is not None else 0.0, graph.values(node), node.data
                rows.setdefault((op, k), []).append(point)
    for (op, k), points in rows.items():
        wrong = [
            case
            for case, got, values, _ in points
            if (op, k) in DERIVATIVES and not close(got, case_right(case, op, k, values), 1e-7)
        ]
        if wrong:
            yield _named_rule(op, k, points), wrong


def case_right(case: Case, op: str, k: int, values: tuple[float, ...]) -> float:
    """Return the right local derivative at these arguments."""
    graph = case.seen
    assert graph is not None
    return local(op, k, graph.nodes[graph.root].data, values)


def _named_rule(
    op: str, k: int, points: list[tuple[Case, float, tuple[float, ...], float]]
) -> Switch:
    """Name a wrong local derivative: a usual formula, one that is searched, or its place."""
    wanted = [got for _, got, _, _ in points]
    names = [
        {"a": values[0], "b": values[-1], "n": values[-1], "y": y} for _, _, values, y in points
    ]
    phase = 2
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


def _table(points: list[tuple[Case, float, tuple[float, ...], float]]) -> Rule:
    seen = {values: got for _, got, values, _ in points}
    return lambda values, y: seen.get(values, float("nan"))


def _placed(op: str, k: int, points: list[tuple[Case, float, tuple[float, ...], float]]) -> Words:
    x, right = operand(op, k), DERIVATIVES[op, k]
    rows = []
    for case, got, values, _ in points:
        want = case_right(case, op, k, values)
        if not close(got, want):
            at = ", ".join(f"{n} = {v:g}" for n, v in zip(("a", "b"), values, strict=False))
            rows.append(f"at {at} yours is {got:.6g}, right is {want:.6g}")
    return Words(
        f"{op}_{'right' if k else 'left'}_wrong",
        f"the derivative of {noun(op)} with respect to {x} is wrong",
        f"It must be `{right}`; {'; '.join(rows[:3])}.",
        (
            f"Change {x} a little at these points. How much does the result change?",
            f"Right is `{right}`, with the result y.",
            f"Look at the rule of {noun(op)}.",
        ),
        "paths",
    )


# --- switches -------------------------------------------------------------------------------------


def _words(id: str, title: str, says: str, *hints: str, lesson: str = "order") -> Words:
    return Words(id, title, says, (hints[0], hints[1], hints[2]), lesson)


def _switches(ops: Iterable[str]) -> Iterator[Switch]:
    """All mistakes of the pass, and those of each operation in ``ops``."""
    yield Switch(
        _words(
            "assign_everywhere",
            "+= is missing: gradients are overwritten, not accumulated",
            "A contribution is assigned (=) to grad, which erases those before it; they must add "
            "up (+=).",
            "Use a twice in one formula. How many contributions must arrive?",
            "The second contribution erases the first.",
            "`p.grad += g`",
        ),
        4,
        {"every_push": "="},
        prior=1.2,
        where="write",
    )
    yield Switch(
        _words(
            "subtract_everywhere",
            "contributions are subtracted from grad instead of added",
            "grad -= must be grad +=: the sign of every second step is wrong.",
            "y = a: what is dy/da?",
            "The contribution is subtracted.",
            "`p.grad += g`",
        ),
        4,
        {"every_push": "-="},
        where="write",
    )
    yield Switch(
        _words(
            "chain_missing",
            "the chain rule is missing: no operation multiplies by out.grad",
            "Local derivatives are passed on without the incoming gradient of the result "
            "(upstream).",
            "Is the gradient the same if the result is multiplied by 3 afterwards?",
            "What arrives at out must be passed on: a factor is missing.",
            "`... * out.grad`",
        ),
        3,
        {"every_incoming": "none"},
        where="write",
    )
    yield Switch(
        _words(
            "seed_missing",
            "the gradient of the result is not set to 1 before the pass: the start (seed) is "
            "missing",
            "Everything is multiplied by the result's gradient, which is still 0, so all gradients "
            "are 0.",
            "All gradients are 0. Which is the first that is not?",
            "The result's gradient with respect to itself is 1.",
            "`self.grad = 1.0` before the loop",
        ),
        3,
        {"seed": 0.0},
        prior=1.3,
        where="seed",
    )
    for seed in (2.0, -1.0, 0.5, 10.0, 0.1):
        yield Switch(
            _words(
                "seed_wrong",
                f"the gradient of the result starts at {seed:g} instead of 1 (the seed)",
                f"All gradients are {seed:g} times what they must be.",
                "What is dy/dy?",
                "The result's gradient with respect to itself is 1.",
                "`self.grad = 1.0`",
            ),
            3,
            {"seed": seed},
            where="seed",
        )
    yield Switch(
        _words(
            "seed_is_data",
            "the gradient of the result starts as its data (value) instead of 1 (the seed)",
            "All gradients are multiplied by the result's own number; they must begin with 1.",
            "What is dy/dy?",
            "The result's gradient with respect to itself is 1.",
            "`self.grad = 1.0`",
        ),
        3,
        {"seed": None},
        where="seed",
    )
    yield Switch(
        _words(
            "chain_added",
            "the incoming gradient is added to the local derivative instead of multiplied (chain)",
            "By the chain rule, out.grad is a factor (*): the product, and not the sum (+).",
            "y changes twice as fast as t, and t three times as fast as a. How fast is y?",
            "The local derivative and out.grad are added.",
            "`... * out.grad`",
        ),
        3,
        {"every_incoming": "sum"},
        where="write",
    )
    yield Switch(
        _words(
            "reseeded",
            "every node is given the gradient 1 (the seed) when it is processed, not only the "
            "result",
            "backward is called on each operand, or sets grad = 1 inside the loop, and erases what "
            "arrived: "
            "only the result starts with 1.",
            "Which node's gradient is 1 at the start?",
            "Inner nodes get 1 again.",
            "set `self.grad = 1.0` once, before the loop",
        ),
        3,
        {"reseed": True},
        where="collect",
    )
    yield Switch(
        _words(
            "reseeded_paths",
            "backward is called on each operand and starts every one with 1 again (the seed), "
            "along every path",
            "The recursion sets grad = 1 at each node, and so erases what arrived: only the result "
            "starts with 1.",
            "Which node's gradient is 1 at the start?",
            "Inner nodes get 1 again.",
            "set `self.grad = 1.0` once, and go through the nodes in topological order",
        ),
        3,
        {"reseed": True, "order": "every_path"},
        where="collect",
    )
    yield Switch(
        _words(
            "equal_operands_once",
            "a + a counts once: equal operands are merged (a set has no duplicates)",
            "When both operands are the same node, only one contribution is passed on; each use "
            "must add its own.",
            "a + a: how often is a used?",
            "The operands are kept in a set, or the second is skipped.",
            "keep the operands in a tuple",
        ),
        4,
        {"merged": frozenset(("every",))},
        where="write",
        prior=0.9,
    )
    for order, (title, says, *hints) in ORDER_WORDS.items():
        where = (
            "collect" if "visited" in order or "path" in order or order == "by_value" else "loop"
        )
        if order in ORDERS:
            yield Switch(
                _words(order, title, says, *hints),
                3,
                {"order": order},
                where=where,
                prior=_PRIOR.get(order, 0.8),
            )
    for op in ops:
        both = tuple(k for k in (0, 1) if (op, k) in DERIVATIVES)
        sets = [both] if len(both) == 1 or op == "pow" else [both, (0,), (1,)]
        for ks in sets:
            where = "" if len(ks) == len(both) else f", for {operand(op, ks[0])}"
            phase = 3
            args = op, ks[0]
            yield Switch(
                _words(
                    f"{op}_chain_missing",
                    f"{noun(op)} does not multiply by out.grad: the chain rule is missing{where}",
                    f"The rule of {noun(op)} passes on its local derivative without the "
                    "incoming gradient "
                    "(upstream).",
                    f"Is the gradient the same if the result of {op} is multiplied by 3 "
                    "afterwards?",
                    "What arrives at out must be passed on: a factor is missing.",
                    f"`... * out.grad` in the rule of {op}",
                ),
                phase,
                {"incoming": {(op, k): "none" for k in ks}},
                *args,
                prior=1.1,
            )
            yield Switch(
                _words(
                    f"{op}_own_grad",
                    f"{noun(op)} multiplies by self.grad, the operand's own gradient, instead of "
                    f"out.grad{where}",
                    f"The rule of {noun(op)} must multiply by the gradient of the result "
                    "(out.grad, the "
                    "incoming gradient of the chain rule).",
                    "Whose gradient is known when the rule runs?",
                    "It reads the gradient that it is about to write.",
                    "`... * out.grad`",
                ),
                phase,
                {"incoming": {(op, k): "own" for k in ks}},
                *args,
                prior=0.9,
            )
            yield Switch(
                _words(
                    f"{op}_grad_squared",
                    f"{noun(op)} multiplies by out.grad twice{where}",
                    "The incoming gradient (out.grad, chain rule) must be a factor once.",
                    "If the incoming gradient doubles, how much more is passed on?",
                    "The factor out.grad is there twice.",
                    "`... * out.grad`",
                ),
                phase,
                {"incoming": {(op, k): "square" for k in ks}},
                *args,
                prior=0.7,
            )
            yield Switch(
                _words(
                    f"{op}_out_data",
                    f"{noun(op)} multiplies by out.data instead of out.grad{where}",
                    "The chain rule needs the incoming gradient of the result (out.grad), "
                    "not its number "
                    "(out.data).",
                    "What does the chain rule multiply by?",
                    "It multiplies by the value of the result.",
                    "`... * out.grad`",
                ),
                phase,
                {"incoming": {(op, k): "data" for k in ks}},
                *args,
                prior=0.7,
            )
            yield Switch(
                _words(
                    f"{op}_assign",
                    f"{noun(op)} overwrites the gradient (= instead of +=){where}",
                    f"The rule of {noun(op)} assigns its contribution, which erases those "
                    "before it; it "
                    "must add up (accumulate, +=).",
                    f"Use a in {op} and somewhere else. How many contributions must arrive?",
                    "The later contribution erases the earlier.",
                    "`self.grad += ...`",
                ),
                4,
                {"push": {(op, k): "=" for k in ks}},
                *args,
                prior=1.1,
            )
            yield Switch(
                _words(
                    f"{op}_chain_added",
                    f"{noun(op)} adds out.grad to its local derivative instead of "
                    f"multiplying{where}",
                    "By the chain rule, the incoming gradient is a factor (*), and not a "
                    "summand (+).",
                    "y changes twice as fast as t, and t three times as fast as a. How fast is y?",
                    "The local derivative and out.grad are added.",
                    f"`... * out.grad` in the rule of {op}",
                ),
                phase,
                {"incoming": {(op, k): "sum" for k in ks}},
                *args,
                prior=0.8,
            )
            yield Switch(
                _words(
                    f"{op}_equal_operands_once",
                    f"{called(op).replace('b', 'a')} counts once: equal operands of "
                    f"{noun(op)} are merged",
                    "If both operands are the same node (itself twice), each use must add its own "
                    "contribution; a dict or set keeps only one, without duplicates.",
                    f"{called(op).replace('b', 'a')}: how often is a used?",
                    "The two contributions become one.",
                    "keep operands and derivatives in a list or tuple",
                ),
                4,
                {"merged": frozenset((op,))},
                *args,
                prior=0.8,
            )
            yield Switch(
                _words(
                    f"{op}_subtract",
                    f"{noun(op)} subtracts its contribution (-= instead of +=){where}",
                    "Contributions must be added to the gradient: the sign is wrong.",
                    "Which sign has the contribution?",
                    "It is subtracted.",
                    "`self.grad += ...`",
                ),
                4,
                {"push": {(op, k): "-=" for k in ks}},
                *args,
                prior=0.7,
            )


_PRIOR = {
    "not_reversed": 1.2,
    "no_visited": 1.1,
    "root_first": 1.0,
    "every_path": 1.05,
    "levels": 0.9,
}


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


def explain(cases: list[Case], source: Source) -> Explanation:
    """Return the mistakes that reproduce the wrong gradients of ``cases``."""
    usable = [c for c in cases if c.once and c.ran_backward and not c.wrong_data and c.finite()]
    wrong = [c for c in usable if c.wrong_grads]
    result = Explanation()
    if not wrong:
        return result
    probes = [c for c in usable if c.seen is not None]
    rules = list(_rules(usable))
    plain = [sw for sw in _switches(()) if _all_singles(sw, rules)]
    if not plain:
        for switch, explained in rules:
            result.model = switch.applied(result.model)
            result.found.append((switch, explained, []))
    ops = sorted({op for c in probes for op in (c.seen.ops if c.seen else ())})
    switches = list(_switches(ops))
    left = [c for c in probes if not _explains(c, result.model)]
    for _ in range(6):
        if not left:
            break
        best = _best(switches, result.model, left, probes, source)
        if best is None:
            best = _best_pair(switches, result.model, left, probes, source)
        if best is None:
            break
        chosen, explained, others = best
        result.model = chosen.applied(result.model)
        result.found.append((chosen, explained, others))
        left = [c for c in probes if not _explains(c, result.model)]
    result.found += list(_not_stored(wrong))
    cut = [c for _, group, _ in result.found for c in group]
    silent = [c for c in wrong if c.seen is None or (_explains(c, RIGHT) and c not in cut)]
    covered = {op for sw, _, _ in result.found for op in [sw.op] if op}
    result.unexplained = [c for c in left if c.wrong_grads]
    result.unexplained += [c for c in silent if not (covered & c.right.ops)]
    return result


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
        words = _words(
            f"{op}_operand_not_stored",
            f"{noun(op)} does not store its operand {x}: it is missing among the parents (_prev)",
            f"backward never reaches what {x} was computed from: the graph is cut "
            "there (children).",
            f"y = {called(op)}: which nodes must y know?",
            f"The operand {x} is not passed on to the new node.",
            "`Value(..., (self, other))`",
        )
        yield Switch(words, 3, {}, op, k), group, []


def _all_singles(switch: Switch, rules: list[tuple[Switch, list[Case]]]) -> bool:
    """Whether one mistake of the pass explains all wrong derivatives at once."""
    if len(rules) < 3:
        return False
    model = switch.applied(RIGHT)
    return all(_explains(case, model) for _, cases in rules for case in cases)


def _score(
    switch: Switch, model: Model, left: list[Case], probes: list[Case]
) -> tuple[int, int, list[Case]]:
    changed = switch.applied(model)
    ops = {switch.op} if switch.op else None
    explained = [c for c in left if _explains(c, changed)]
    kept = [c for c in probes if c not in left and (ops is None or _has(c, switch.op))]
    broken = sum(not _explains(c, changed) for c in kept)
    return len(explained), broken, explained


def _has(case: Case, op: str) -> bool:
    return case.seen is not None and op in case.seen.ops


def _evidence(switch: Switch, source: Source) -> float:
    """How likely the source makes a mistake: is ``reversed`` there, is ``visited``?"""
    order = switch.change.get("order")
    score = switch.prior
    turned = source.has("reversed", "reverse", "sort", "sorted", "pop", "heappop") or (
        "[::-1]" in source.text
    )
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
    for switch in switches:
        gained, broken, explained = _score(switch, model, left, probes)
        if gained > broken:
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
    switches: list[Switch], model: Model, left: list[Case], probes: list[Case], source: Source
) -> tuple[Switch, list[Case], list[Switch]] | None:
    """Return the first of two mistakes that explain only together."""
    best: tuple[int, Switch, list[Case]] | None = None
    hard = sorted(left, key=lambda c: c.size)[:6]
    ops = {op for c in hard[:2] for op in (c.seen.ops if c.seen else ())}
    switches = [sw for sw in switches if not sw.op or sw.op in ops]
    for i, first in enumerate(switches):
        one = first.applied(model)
        for second in switches[i + 1 :]:
            two = second.applied(one)
            if not all(_explains(c, two) for c in hard[:2]):
                continue
            explained = [c for c in left if _explains(c, two)]
            broken = sum(not _explains(c, two) for c in probes if c not in left)
            score = len(explained) - 2 * broken
            if score > 0 and (best is None or score > best[0]):
                best = score, first, explained
    return None if best is None else (best[1], best[2], [])
