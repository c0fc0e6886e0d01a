"""The learner's source: which line does what. It is read as a syntax tree and never run here."""

from __future__ import annotations

import ast

__all__ = ["Source"]


class Source:
    """The text of a file, and questions about its lines."""

    def __init__(self, text: str, engine: str | None = None) -> None:
        self.text: str = text
        self.lines: list[str] = text.split("\n")
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
