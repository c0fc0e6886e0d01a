"""The learner's source: which line does what. It is read as a syntax tree and never run here."""

from __future__ import annotations

import ast
import re
import threading

__all__ = ["Source"]


_MUTABLE = ("set", "list", "dict")

_PARSING = threading.Lock()
"""Held while a tree is made: in CPython 3.11, two threads that make trees at the same time get a
SystemError (recursion depth mismatch). Four files may be judged at once."""


class Source:
    """The text of a file, and questions about its lines."""

    def __init__(self, text: str, engine: str | None = None) -> None:
        self.text: str = text
        self.lines: list[str] = text.split("\n")
        with _PARSING:
            self.tree: ast.Module = ast.parse(text)
        self.engine: str | None = engine

    def line(self, number: int | None) -> str:
        """Return the text of a line, without its indentation."""
        return self.lines[number - 1].strip() if number and number <= len(self.lines) else ""

    def classes(self, name: str) -> ast.ClassDef | None:
        """Return the class of that name, at any depth."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node.name == name:
                return node
        return None

    def function(self, name: str, inside: str | None = None) -> ast.FunctionDef | None:
        """Return a function or method; with ``inside``, that of this class."""
        root: ast.AST | None = self.classes(inside) if inside else self.tree
        for node in ast.walk(root) if root else ():
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
        return None

    def backward(self) -> ast.FunctionDef | None:
        """Return the method that runs the backward pass."""
        return self.function("backward", self.engine)

    def loop(self) -> int | None:
        """Return the line of the loop in ``backward`` that applies the rules: its last one."""
        method = self.backward()
        if method is None:
            return None
        inner = {
            x
            for node in ast.walk(method)
            if node is not method and isinstance(node, ast.FunctionDef)
            for x in ast.walk(node)
        }
        loops = [n for n in ast.walk(method) if isinstance(n, (ast.For, ast.While))]
        own = [n for n in loops if n not in inner] or loops
        top = [n for n in own if not any(n is not m and n in ast.walk(m) for m in own)]
        return max((n.lineno for n in top), default=None) or self._first(method)

    def before_loop(self) -> int | None:
        """Return the line at which, or before which, the result's gradient is set."""
        line = self.loop()
        method = self.backward()
        if method is None or line is None:
            return line
        for node in ast.walk(method):
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                held = isinstance(target, ast.Attribute) and "grad" in target.attr
                owner = getattr(target, "value", None)
                if held and isinstance(owner, ast.Name) and owner.id == "self":
                    return node.lineno
        return line

    def collecting(self) -> int | None:
        """Return the line that collects the nodes: where a node is skipped that was seen before."""
        method = self.backward()
        if method is None:
            return None
        for node in ast.walk(method):
            test = node.test if isinstance(node, ast.If) else None
            operators = test.ops if isinstance(test, ast.Compare) else []
            if test is not None and any(isinstance(op, (ast.In, ast.NotIn)) for op in operators):
                return test.lineno
        inner = [n for n in ast.walk(method) if isinstance(n, ast.FunctionDef) and n is not method]
        if inner:
            return inner[0].body[0].lineno
        calls = [
            n.lineno
            for n in ast.walk(method)
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr == "backward"
        ]
        loops = [n.lineno for n in ast.walk(method) if isinstance(n, (ast.For, ast.While))]
        return min(calls or loops, default=self._first(method))

    def turning(self) -> int | None:
        """Return the line of ``backward`` that sorts or reverses the nodes, or else its loop."""
        method = self.backward()
        for node in ast.walk(method) if method else ():
            name = getattr(getattr(node, "func", None), "id", None)
            name = name or getattr(getattr(node, "func", None), "attr", None)
            if name in ("reversed", "reverse", "sort", "sorted"):
                return int(node.lineno)  # type: ignore[attr-defined]
        return self.loop()

    def queueing(self) -> int | None:
        """Return the line of ``backward`` that puts a node into the list, the queue or the stack:
        the last one, as the first may be that of the result."""
        method = self.backward()
        rows = [
            node.lineno
            for node in (ast.walk(method) if method else ())
            if isinstance(node, ast.Call)
            and isinstance(node.func, (ast.Attribute, ast.Name))
            and getattr(node.func, "attr", getattr(node.func, "id", ""))
            in ("append", "appendleft", "push", "extend", "heappush", "insert")
        ]
        return max(rows, default=None) or self.collecting()

    def kept_default(self, init: bool = False) -> int | None:
        """Return the line of a method whose default is a list or a set: it is made once, and kept
        between calls. ``init`` asks for the constructor, else for the other methods."""
        for node in ast.walk(self.classes(self.engine or "") or self.tree):
            if isinstance(node, ast.FunctionDef) and (node.name == "__init__") == init:
                for value in node.args.defaults:
                    made = isinstance(value, ast.Call) and getattr(value.func, "id", "") in _MUTABLE
                    if made or isinstance(value, (ast.List, ast.Dict)):
                        return node.lineno
        return None

    def marks(self) -> int | None:
        """Return the line that marks a node as seen, if nothing takes the marks away again."""
        rows: dict[str, list[tuple[int, object]]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and isinstance(node.value.value, bool):
                        rows.setdefault(target.attr, []).append((node.lineno, node.value.value))
        for found in rows.values():
            kind = self.function("__init__", self.engine)
            first = range(kind.lineno, (kind.end_lineno or 0) + 1) if kind else range(0)
            later = [(line, value) for line, value in found if line not in first]
            if later and all(value is True for _, value in later):
                return later[0][0]
        return None

    def class_gradient(self) -> int | None:
        """Return the line that writes a gradient of the class itself instead of an object."""
        for node in ast.walk(self.tree):
            targets = node.targets if isinstance(node, ast.Assign) else ()
            if isinstance(node, ast.AugAssign):
                targets = [node.target]
            for target in targets:
                owner = getattr(getattr(target, "value", None), "id", None)
                if owner and owner == self.engine and "grad" in getattr(target, "attr", ""):
                    return int(target.lineno)
        return None

    def may_revisit(self) -> bool:
        """Whether ``backward`` searches the graph, and asks of no node if it was seen before."""
        method = self.backward()
        nodes = list(ast.walk(method)) if method else []
        filled = {
            getattr(node.func.value, "id", "")
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("add", "append", "update")
        }
        asks = any(
            isinstance(op, (ast.In, ast.NotIn)) and getattr(held, "id", "") in filled
            for node in nodes
            if isinstance(node, ast.Compare)
            for op, held in zip(node.ops, node.comparators, strict=True)
        )
        searches = any(
            isinstance(node, (ast.FunctionDef, ast.While)) and node is not method for node in nodes
        )
        calls = {
            getattr(node.func, "attr", getattr(node.func, "id", ""))
            for node in nodes
            if isinstance(node, ast.Call)
        }
        own = {n.name for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)}
        return not asks and (searches or bool(calls & own - {"backward"}) or "backward" in calls)

    def repeats(self) -> bool:
        """Whether ``backward`` has a loop, or calls itself or a function inside it."""
        method = self.backward()
        nodes = [n for n in ast.walk(method) if n is not method] if method else []
        called = [getattr(n.func, "attr", "") for n in nodes if isinstance(n, ast.Call)]
        return "backward" in called or any(
            isinstance(n, (ast.For, ast.While, ast.FunctionDef)) for n in nodes
        )

    def class_write(self, lines: set[int]) -> int | None:
        """Return the line, of some, that keeps a number as an attribute of a class."""
        kinds = {node.name for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)}
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Assign) or node.lineno not in lines:
                continue
            for target in node.targets:
                for one in target.elts if isinstance(target, ast.Tuple) else (target,):
                    if getattr(getattr(one, "value", None), "id", None) in kinds:
                        return node.lineno
        return None

    def compared(self) -> int | None:
        """Return the line that says which nodes are equal."""
        return self.start("__eq__", self.engine) or self.collecting()

    def recursive(self, inside: int | None) -> int | None:
        """Return the first line of the innermost function that calls itself and holds a line."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and inside is not None:
                calls = [getattr(n, "func", None) for n in ast.walk(node)]
                names = {getattr(f, "id", getattr(f, "attr", None)) for f in calls if f}
                if node.name in names and node.lineno <= inside <= (node.end_lineno or 0):
                    found.append(node.body[0].lineno)
        return max(found, default=None) or self.collecting()

    def made_of_set(self) -> int | None:
        """Return the line outside ``backward`` that makes a set, which merges what is equal."""
        kind, method = self.classes(self.engine or ""), self.backward()
        inner = set(ast.walk(method)) if method else set()
        for node in ast.walk(kind or self.tree):
            if node in inner or not isinstance(node, ast.expr):
                continue
            called = getattr(getattr(node, "func", None), "id", "")
            if isinstance(node, (ast.Set, ast.SetComp)) or called in ("set", "frozenset"):
                return node.lineno
        return None

    def called_at_once(self) -> tuple[int, str] | None:
        """Return the line that stores the result of a function which returns nothing."""
        for outer in ast.walk(self.tree):
            if not isinstance(outer, ast.FunctionDef):
                continue
            silent = {
                n.name
                for n in ast.walk(outer)
                if isinstance(n, ast.FunctionDef)
                and n is not outer
                and not any(isinstance(x, ast.Return) and x.value for x in ast.walk(n))
            }
            for node in ast.walk(outer):
                value = node.value if isinstance(node, ast.Assign) else None
                if isinstance(value, ast.Call) and getattr(value.func, "id", "") in silent:
                    return node.lineno, value.func.id  # type: ignore[attr-defined]
        return None

    def checked_kind(self) -> int | None:
        """Return the line that asks whether an operand is a plain number."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                names = {getattr(x, "id", "") for x in ast.walk(node)}
                if names & {"int", "float"} and not {"int", "float"} <= names:
                    return node.lineno
        return None

    def reflected(self, missing: str, inside: str) -> int | None:
        """Return the line where an operator for a number on the left would stand."""
        names = ["__radd__", "__rsub__", "__rmul__", "__rtruediv__"]
        at = names.index(missing)
        for name in reversed(names[:at]):
            node = self.function(name, inside)
            if node is not None:
                return (node.end_lineno or node.lineno) + 1
        rows = [line for name in names if (line := self.start(name, inside))]
        return min(rows, default=None)

    def refused(self, message: str) -> int | None:
        """Return the line of a method whose arguments Python has refused: its name is said."""
        found = re.match(r"(?:(\w+)\.)?(\w+)\(\) (?:takes|missing|got)", message)
        if found is None:
            return None
        return self.start(found[2], found[1]) if found[1] else self.start(found[2])

    def silent_rule(self, op: str) -> int | None:
        """Return the line of a method ``backward`` without return, in a class named as ``op``."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node.name.lower().startswith(op[:3]):
                method = self.function("backward", node.name)
                if method and not any(isinstance(x, ast.Return) for x in ast.walk(method)):
                    return method.body[-1].lineno
        return None

    def in_engine(self, number: int) -> bool:
        """Whether a line belongs to the class of numbers."""
        kind = self.classes(self.engine or "")
        return kind is not None and kind.lineno <= number <= (kind.end_lineno or 0)

    def within(self, number: int, name: str, inside: str | None = None) -> bool:
        """Whether a line belongs to a function."""
        node = self.function(name, inside)
        return node is not None and node.lineno <= number <= (node.end_lineno or node.lineno)

    def begins(self, word: str) -> int | None:
        """Return the line of the class of numbers where an attribute gets its first value."""
        init = self.mentions(f".{word} =", "__init__", self.engine)
        return init or self.mentions(word, "__init__", self.engine) or self.start(word, self.engine)

    def has(self, *words: str) -> bool:
        """Whether ``backward`` uses one of these words."""
        method = self.backward()
        names = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(method or self.tree)}
        return any(word in names for word in words)

    def returns(self, name: str, inside: str | None = None) -> int | None:
        """Return the line of the last ``return`` of a function, or of its end."""
        node = self.function(name, inside)
        if node is None:
            return None
        found = [n.lineno for n in ast.walk(node) if isinstance(n, ast.Return)]
        return max(found, default=node.body[-1].lineno)

    def start(self, name: str, inside: str | None = None) -> int | None:
        """Return the line of ``def``, or of the assignment that stands for it."""
        node = self.function(name, inside)
        if node is not None:
            return node.lineno
        for other in ast.walk(self.classes(inside) or self.tree if inside else self.tree):
            for target in other.targets if isinstance(other, ast.Assign) else ():
                if isinstance(target, ast.Name) and target.id == name:
                    return target.lineno
        return None

    def mentions(self, word: str, name: str, inside: str | None = None) -> int | None:
        """Return the first line of a function whose text has ``word``."""
        node = self.function(name, inside)
        if node is None:
            return None
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            if word in self.lines[number - 1]:
                return number
        return None

    @staticmethod
    def _first(method: ast.FunctionDef) -> int:
        return method.body[0].lineno
