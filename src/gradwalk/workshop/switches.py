"""The known mistakes of the backward pass: each is a change of a model, with its words.

A row of `PASS` or `ORDER_WORDS` concerns the whole pass, and a row of `RULES` one operation. In
the words of a rule, ``{noun}``, ``{op}`` and ``{itself}`` stand for the operation, and ``{where}``
for its operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from .simulate import Model
from .wording import DERIVATIVES, Words, called, noun, operand

__all__ = ["Switch", "of_rule", "switches"]


@dataclass(frozen=True)
class Switch:
    """One mistake as a change of a model: its words, and where to look for its line."""

    words: Words
    phase: int
    change: Mapping[str, object]
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


_PLUS: Final = "`p.grad += g`"
_SEED: Final = "`self.grad = 1.0`"
_CHAIN: Final = "`... * out.grad`"

PASS: Final[tuple[tuple[str, int, Mapping[str, object], float, str, tuple[str, ...]], ...]] = (
    # id, phase, the change of the model, how usual it is, where its line is; title, sentence, hints
    ("assign_everywhere", 4, {"every_push": "="}, 1.2, "write", (
        "+= is missing: gradients are overwritten, not accumulated",
        "A contribution is assigned (=) to grad, which erases those before it; they must add up "
        "(+=).",
        "Use a twice in one formula. How many contributions must arrive?",
        "The second contribution erases the first.", _PLUS)),
    ("subtract_everywhere", 4, {"every_push": "-="}, 1.0, "write", (
        "contributions are subtracted from grad instead of added",
        "grad -= must be grad +=: the sign of every second step is wrong.",
        "y = a: what is dy/da?", "The contribution is subtracted.", _PLUS)),
    ("chain_missing", 3, {"every_incoming": "none"}, 1.0, "write", (
        "the chain rule is missing: no operation multiplies by out.grad",
        "Local derivatives are passed on without the incoming gradient of the result (upstream).",
        "Is the gradient the same if the result is multiplied by 3 afterwards?",
        "What arrives at out must be passed on: a factor is missing.", _CHAIN)),
    ("first_contribution", 4, {"every_push": "first"}, 0.8, "write", (
        "only the first contribution to a gradient counts: later ones are dropped",
        "A gradient that is not 0 is left as it is; each contribution must be added (accumulate, "
        "+=).",
        "Use a twice in one formula. How many contributions must arrive?",
        "The second contribution is lost.", _PLUS)),
    ("contributions_multiplied", 4, {"every_push": "*="}, 0.7, "write", (
        "contributions are multiplied with each other instead of added",
        "Each path gives a product, and the products of all paths are summed (+=).",
        "Two paths lead from y to a. What is done with their contributions?",
        "The second contribution is multiplied with the first.", _PLUS)),
    ("grad_squared", 3, {"every_incoming": "square"}, 0.8, "write", (
        "every operation multiplies by out.grad twice",
        "The incoming gradient (out.grad, chain rule) must be a factor once.",
        "If the incoming gradient doubles, how much more is passed on?",
        "The factor out.grad is there twice.", _CHAIN)),
    ("cleared_in_pass", 3, {"cleared": True}, 1.0, "cleared", (
        "each gradient is set to 0 during the pass, after its node has passed it on",
        "The leaves lose what has arrived, too: gradients must be kept until they are read.",
        "Print a.grad after each step of the loop. When is it lost?",
        "The loop sets grad to 0.", "delete the line that sets it to 0")),
    ("derivatives_swapped", 3, {"pairing": "swapped"}, 1.0, "write", (
        "every operation gives its first operand the derivative of the second, and the second "
        "that of the first",
        "Operands and derivatives are paired in opposite orders (swapped).",
        "y = a - b: which of the two gets -1?",
        "The two lists have opposite orders.",
        "`for operand, slope in zip(operands, slopes):`")),
    ("first_derivative_only", 3, {"pairing": "first"}, 1.0, "write", (
        "only the first operand of each operation gets a contribution",
        "The second operand is left out, in every operation.",
        "y = a * b: who gets a gradient?",
        "The loop ends after the first operand.",
        "`for operand, slope in zip(operands, slopes):`")),
    ("seed_missing", 3, {"seed": 0.0}, 1.3, "seed", (
        "the gradient of the result is not set to 1 before the pass: the start (seed) is missing",
        "Everything is multiplied by the result's gradient, which is still 0, so all gradients "
        "are 0.",
        "All gradients are 0. Which is the first that is not?",
        "The result's gradient with respect to itself is 1.",
        "`self.grad = 1.0` before the loop")),
    *(("seed_wrong", 3, {"seed": seed}, 1.0, "seed", (
        f"the gradient of the result starts at {seed:g} instead of 1 (the seed)",
        f"All gradients are {seed:g} times what they must be.",
        "What is dy/dy?", "The result's gradient with respect to itself is 1.", _SEED))
      for seed in (2.0, -1.0, 0.5, 10.0, 0.1)),
    ("seed_is_data", 3, {"seed": None}, 1.0, "seed", (
        "the gradient of the result starts as its data (value) instead of 1 (the seed)",
        "All gradients are multiplied by the result's own number; they must begin with 1.",
        "What is dy/dy?", "The result's gradient with respect to itself is 1.", _SEED)),
    ("chain_added", 3, {"every_incoming": "sum"}, 1.0, "write", (
        "the incoming gradient is added to the local derivative instead of multiplied (chain)",
        "By the chain rule, out.grad is a factor (*): the product, and not the sum (+).",
        "y changes twice as fast as t, and t three times as fast as a. How fast is y?",
        "The local derivative and out.grad are added.", _CHAIN)),
    ("reseeded", 3, {"reseed": True}, 1.0, "reseed", (
        "every node is given the gradient 1 (the seed) when it is processed, not only the result",
        "backward is called on each operand, or sets grad = 1 inside the loop, and erases what "
        "arrived: only the result starts with 1.",
        "Which node's gradient is 1 at the start?", "Inner nodes get 1 again.",
        "set `self.grad = 1.0` once, before the loop")),
    ("reseeded_paths", 3, {"reseed": True, "order": "every_path"}, 1.0, "reseed", (
        "backward is called on each operand and starts every one with 1 again (the seed), along "
        "every path",
        "The recursion sets grad = 1 at each node, and so erases what arrived: only the result "
        "starts with 1.",
        "Which node's gradient is 1 at the start?", "Inner nodes get 1 again.",
        "set `self.grad = 1.0` once, and go through the nodes in topological order")),
    ("equal_operands_once", 4, {"merged": frozenset(("every",))}, 0.9, "merged", (
        "a + a counts once: equal operands are merged (a set has no duplicates)",
        "When both operands are the same node, only one contribution is passed on; each use must "
        "add its own.",
        "a + a: how often is a used?",
        "The operands are kept in a set, or the second is skipped.",
        "keep the operands in a tuple")),
)  # fmt: skip

RULES: Final[tuple[tuple[str, int, str, object, float, tuple[str, ...]], ...]] = (
    # id, phase, the field of the model and its value, how usual it is; title, sentence, hints
    ("chain_missing", 3, "incoming", "none", 1.1, (
        "{noun} does not multiply by out.grad: the chain rule is missing{where}",
        "The rule of {noun} passes on its local derivative without the incoming gradient "
        "(upstream).",
        "Is the gradient the same if the result of {op} is multiplied by 3 afterwards?",
        "What arrives at out must be passed on: a factor is missing.",
        "`... * out.grad` in the rule of {op}")),
    ("own_grad", 3, "incoming", "own", 0.9, (
        "{noun} multiplies by self.grad, the operand's own gradient, instead of out.grad{where}",
        "The rule of {noun} must multiply by the gradient of the result (out.grad, the incoming "
        "gradient of the chain rule).",
        "Whose gradient is known when the rule runs?",
        "It reads the gradient that it is about to write.", _CHAIN)),
    ("grad_squared", 3, "incoming", "square", 0.7, (
        "{noun} multiplies by out.grad twice{where}",
        "The incoming gradient (out.grad, chain rule) must be a factor once.",
        "If the incoming gradient doubles, how much more is passed on?",
        "The factor out.grad is there twice.", _CHAIN)),
    ("out_data", 3, "incoming", "data", 0.7, (
        "{noun} multiplies by out.data instead of out.grad{where}",
        "The chain rule needs the incoming gradient of the result (out.grad), not its number "
        "(out.data).",
        "What does the chain rule multiply by?",
        "It multiplies by the value of the result.", _CHAIN)),
    ("assign", 4, "push", "=", 1.1, (
        "{noun} overwrites the gradient (= instead of +=){where}",
        "The rule of {noun} assigns its contribution, which erases those before it; it must add "
        "up (accumulate, +=).",
        "Use a in {op} and somewhere else. How many contributions must arrive?",
        "The later contribution erases the earlier.", "`self.grad += ...`")),
    ("chain_added", 3, "incoming", "sum", 0.8, (
        "{noun} adds out.grad to its local derivative instead of multiplying{where}",
        "By the chain rule, the incoming gradient is a factor (*), and not a summand (+).",
        "y changes twice as fast as t, and t three times as fast as a. How fast is y?",
        "The local derivative and out.grad are added.",
        "`... * out.grad` in the rule of {op}")),
    ("equal_operands_once", 4, "merged", None, 0.8, (
        "{itself} counts once: equal operands of {noun} are merged",
        "If both operands are the same node (itself twice), each use must add its own "
        "contribution; a dict or set keeps only one, without duplicates.",
        "{itself}: how often is a used?", "The two contributions become one.",
        "keep operands and derivatives in a list or tuple")),
    ("subtract", 4, "push", "-=", 0.7, (
        "{noun} subtracts its contribution (-= instead of +=){where}",
        "Contributions must be added to the gradient: the sign is wrong.",
        "Which sign has the contribution?", "It is subtracted.", "`self.grad += ...`")),
)  # fmt: skip

ORDER_WORDS: Final[dict[str, tuple[str, ...]]] = {
    # order: title, sentence, hints
    "not_reversed": (
        "backward goes through the nodes in the forward order: reversed is missing",
        "It begins with the inputs, and must begin with the result (reverse topological order).",
        "Which node can pass something on first?",
        "The list begins with the leaves; backward begins with the result.",
        "`for v in reversed(topo):`",
    ),
    "created": (
        "backward goes through the nodes in the forward order: reversed is missing",
        "It begins with the inputs, and must begin with the result (reverse order).",
        "Which node can pass something on first?",
        "The list begins with the leaves; backward begins with the result.",
        "`for v in reversed(nodes):`",
    ),
    "no_visited": (
        "a node that is used twice is visited twice: visited is missing",
        "It passes its gradient on more than once, again for each path.",
        "A node t is used twice. How often may it pass its gradient on?",
        "It is in the list once per path: what is asked (in) and what is added must be the same.",
        "`if v not in visited:` and `visited.add(v)`",
    ),
    "no_visited_not_reversed": (
        "nodes are visited several times, and in the forward order",
        "visited is missing, and so is reversed: the pass must begin with the result and take "
        "each node once.",
        "Which node can pass something on first, and how often?",
        "The list begins with the leaves, and has a node once per path.",
        "`if v not in visited:`, then `for v in reversed(topo):`",
    ),
    "root_first": (
        "a node passes its gradient on before all of its consumers have: no topological order",
        "The nodes are taken depth first from the result; a shared node is processed too "
        "early, before its gradient is complete.",
        "t is used by two nodes. When is its gradient complete?",
        "A node must wait for all nodes that use it (topological order).",
        "append v after its operands, then `for v in reversed(topo):`",
    ),
    "every_path": (
        "each path passes the gradient on at once: a shared node passes on again what it has "
        "passed before",
        "The recursion follows every path, and a node that is used twice counts some "
        "contributions more than once; it needs a topological order.",
        "A node is reached by two paths. What does it pass on the second time?",
        "The second visit passes on the sum of both contributions, again.",
        "collect the nodes in topological order first, then take each once",
    ),
    "levels": (
        "a node passes its gradient on before all of its consumers have: level by level is not "
        "a topological order",
        "The nodes are taken breadth first (a queue); a shared node is processed too early.",
        "One path to t is longer than the other. Which arrives first?",
        "A node must wait for all nodes that use it (topological order).",
        "sort topologically, or count the users of each node",
    ),
    "levels_every_path": (
        "a shared node is processed once per path, level by level",
        "The queue has a node several times, so it passes on again what it has passed before; "
        "visited and a topological order are missing.",
        "How often is t in the queue?",
        "A node must be processed once, when all nodes that use it are done.",
        "count the users of each node",
    ),
    "last_in": (
        "a node passes its gradient on before all of its consumers have: a stack is not a "
        "topological order",
        "A shared node is processed too early, before its gradient is complete.",
        "t is used by two nodes. When is its gradient complete?",
        "A node must wait for all nodes that use it.",
        "sort topologically, or count the users of each node",
    ),
    "last_in_every_path": (
        "a shared node is processed once per path",
        "The stack has a node several times, so it passes on again what it has passed before; "
        "visited and a topological order are missing.",
        "How often is t on the stack?",
        "A node must be processed once, when all nodes that use it are done.",
        "count the users of each node",
    ),
    "requeued": (
        "a node that has passed its gradient on is queued again, and passes it on once more",
        "Whether a node waits is all that is asked; it must also wait until all nodes that use it "
        "are done (topological order), and then pass on once.",
        "t is used by two nodes. How often does it pass its gradient on?",
        "A node comes back into the queue after it was taken out.",
        "count the users of each node, and queue it when none is left",
    ),
    "requeued_last_in": (
        "a node that has passed its gradient on is put on the stack again, and passes it on once "
        "more",
        "Whether a node waits is all that is asked; it must also wait until all nodes that use it "
        "are done (topological order), and then pass on once.",
        "t is used by two nodes. How often does it pass its gradient on?",
        "A node comes back onto the stack after it was taken out.",
        "count the users of each node, and queue it when none is left",
    ),
    "root_first_reversed": (
        "the order of the backward pass is wrong: it begins at the wrong end",
        "The nodes were collected from the result on, and then reversed: the inputs come first.",
        "Which node can pass something on first?",
        "The list begins with the leaves; backward begins with the result.",
        "append v after its operands, then `for v in reversed(topo):`",
    ),
    "by_operation": (
        "nodes with the same operation are taken for the same node",
        "visited compares the operation: two different nodes with equal signs count as one, and "
        "the second is skipped.",
        "y = (a + b) + c: are both + the same node?",
        "Compare nodes by identity.",
        "`visited.add(v)`, with the node itself",
    ),
    "appended_in_loop": (
        "a node is put into the order once for each of its operands, and a leaf never",
        "The line that appends the node stands inside the loop over its operands; it must come "
        "after it.",
        "How often is y = a + b in the list?",
        "A node with two operands is in it twice (visited twice).",
        "one level to the left: `topo.append(v)` after the loop",
    ),
    "seed_late": (
        "the gradient of the result is set to 1 after the pass: the start (seed) comes too late",
        "While the loop runs, the result's gradient is still 0, so nothing is passed on.",
        "All gradients are 0. What is the result's gradient when the loop begins?",
        "It is set to 1 after the loop.",
        "`self.grad = 1.0` before the loop",
    ),
    "by_value": (
        "nodes with the same value are taken for the same node",
        "What was seen before (visited) is compared by its data: two different nodes with equal "
        "numbers count as one, and the second is skipped.",
        "Two nodes have the same number. Are they the same node?",
        "The nodes already seen must be kept themselves, and not their numbers.",
        "`if v not in visited:` and `visited.add(v)`, both with the node itself",
    ),
    "root_only": (
        "backward stops after the result: its operands never pass anything on",
        "Only the last operation's rule is applied; the pass must go through all nodes of the "
        "graph.",
        "y = (a * b) * 3: who tells a?",
        "The operands' own rules are never called.",
        "`for v in reversed(topo): v._backward()`",
    ),
    "two_levels": (
        "backward stops after two levels",
        "Only the result and its direct operands pass on; deeper nodes are never reached.",
        "How deep does your backward go?",
        "The operands of operands are never processed.",
        "`for v in reversed(topo): v._backward()`",
    ),
    "not_the_root": (
        "the result itself is skipped in the backward pass",
        "Its rule is never applied, so nothing is passed on to its operands.",
        "Who passes on the first 1?",
        "The loop leaves the result out.",
        "`for v in reversed(topo):`, with the result in topo",
    ),
    "nothing": (
        "backward applies no rule: nothing is passed on",
        "The gradient of the result is set, and no operand gets a contribution.",
        "Who calls the rule of each node?",
        "No rule is applied.",
        "`for v in reversed(topo): v._backward()`",
    ),
    "leaves_only": (
        "backward calls the rules of the leaves only",
        "The operations' own rules are never applied.",
        "Which nodes have a rule?",
        "Only leaves are processed.",
        "`for v in reversed(topo): v._backward()`",
    ),
    "first_operand": (
        "backward follows only the first operand of each operation",
        "The second operand's own graph is never visited.",
        "y = a + b * c: who tells b?",
        "Go through all operands.",
        "`for child in v._prev:`",
    ),
    "last_operand": (
        "backward follows only the last operand of each operation",
        "The first operand's own graph is never visited.",
        "y = a * b + c: who tells a?",
        "Go through all operands.",
        "`for child in v._prev:`",
    ),
    "not_the_last": (
        "one node is left out at the end of the backward pass",
        "The last node of the order is never processed.",
        "How many nodes does the loop take?",
        "The loop ends one too early.",
        "`for v in reversed(topo):`",
    ),
}

PRIOR: Final = {
    "not_reversed": 1.2, "no_visited": 1.1, "root_first": 1.0, "every_path": 1.05, "levels": 0.9,
}  # fmt: skip
"""How usual an order is; 0.8 for the others."""


def _place(order: str) -> str:
    """Return which line of ``backward`` decides an order."""
    if order in ("not_reversed", "created", "root_first_reversed"):
        return "turning"
    if order == "by_value":
        return "compared"
    if order == "seed_late":
        return "seed"
    if "visited" in order or order == "by_operation":
        return "collecting"
    return "queueing" if order not in ("root_only", "nothing") else "loop"


def _written(id: str, texts: tuple[str, ...]) -> Words:
    title, says, *hints = texts
    return Words(id, title, says, (hints[0], hints[1], hints[2]))


def switches(ops: Iterable[str]) -> Iterator[Switch]:
    """Yield all mistakes of the pass, and those of each operation in ``ops``."""
    for id, phase, change, prior, where, texts in PASS:
        yield Switch(_written(id, texts), phase, change, prior=prior, where=where)
    for order in ORDER_WORDS:
        prior, words = PRIOR.get(order, 0.8), _written(order, ORDER_WORDS[order])
        yield Switch(words, 3, {"order": order}, prior=prior, where=_place(order))
    for op in ops:
        yield from of_rule(op)


def of_rule(op: str) -> Iterator[Switch]:
    """Yield the mistakes of one operation: of all its operands, and of one."""
    both = tuple(k for k in (0, 1) if (op, k) in DERIVATIVES)
    for ks in [both] if len(both) == 1 or op == "pow" else [both, (0,), (1,)]:
        names = {
            "noun": noun(op),
            "op": op,
            "itself": called(op).replace("b", "a"),
            "where": "" if len(ks) == len(both) else f", for {operand(op, ks[0])}",
        }
        for id, phase, key, value, prior, texts in RULES:
            words = _written(f"{op}_{id}", tuple(text.format(**names) for text in texts))
            one = frozenset((op,)) if value is None else {(op, k): value for k in ks}
            yield Switch(words, phase, {key: one}, op, ks[0], prior)
