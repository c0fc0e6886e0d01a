"""The grammar of formulas: operator precedence over the tokens of one statement.

The parser keeps operands and pending operators on two lists and does not recurse, so that deep
formulas need no deep stack. It also accepts parts of Python's grammar that a formula does not have,
such as ``a and b`` or ``x[0]``. The reader refuses these nodes, and its error can show all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import normalize

from ..errors import ExpressionError
from .language import ASSIGNMENTS, BINARY, CLOSING, MAX_BRACKETS, NUMERAL, PREFIX
from .messages import error_at
from .tokens import NOTHING, Token

__all__ = ["COMPLETE", "Node", "parse_statement"]

COMPLETE = re.compile(NUMERAL)
CONSTANTS = ("True", "False", "None")
CLOSED = {closing: opening for opening, closing in CLOSING.items()}
NAMED = 6
"""How tightly ``min=`` binds the value of an argument."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula, from ``start`` to ``end`` of the text.

    ``kind``   number, name, constant, operator, named, call, index, attribute, "(", "[" or "{"
    ``text``   the number, name or operator
    ``at``     the offset of the operator or bracket
    ``parts``  operands; of a call the function and the arguments
    """

    kind: str
    text: str
    start: int
    end: int
    at: int = 0
    parts: tuple[Node, ...] = ()

    @property
    def bare(self) -> Node:
        """The node without round brackets around it."""
        node = self
        while node.kind == node.text == "(" and node.parts:
            (node,) = node.parts
        return node

    @property
    def operator(self) -> str:
        """The sign of an operator between two operands, or ""."""
        return self.text if self.kind == "operator" and len(self.parts) == 2 else ""


@dataclass(frozen=True, slots=True)
class _Pending:
    """An operator that waits for its right operand, or a bracket that is not closed yet."""

    kind: str
    token: Token
    right: int = -1
    operands: int = 0


def parse_statement(text: str, tokens: list[Token], first: int) -> Node:
    """Return the tree of the statement that begins with a token."""
    return _Parser(text, tokens, first).statement()


class _Parser:
    def __init__(self, text: str, tokens: list[Token], first: int) -> None:
        self.text, self.tokens, self.at = text, tokens, first
        self.nodes: list[Node] = []
        self.pending = [_Pending("statement", NOTHING)]
        self.due = True  # an operand comes next, not an operator
        self.brackets = 0

    def statement(self) -> Node:
        while not (token := self.tokens[self.at]).ends:
            self.at += 1
            if token.text in CLOSED:
                self._close(token)
            elif self.due:
                self._operand(token)
            else:
                self._operator(token)
        self._complete(token)
        if self.due or len(self.pending) > 1:
            raise self._unexpected(token)
        return self.nodes.pop()

    def _operand(self, token: Token) -> None:
        text = token.text
        if self._is_named(token):
            self._wait("named", token, NAMED, 1)
            self.at += token.kind == "name"
        elif token.kind == "name":
            self._push(Node("name", normalize("NFKC", text), token.start, token.end))
        elif text in CONSTANTS or COMPLETE.fullmatch(text):
            kind = "constant" if text in CONSTANTS else "number"
            self._push(Node(kind, text, token.start, token.end))
        elif text in PREFIX and PREFIX[text] >= self.pending[-1].right:
            self._wait("operator", token, PREFIX[text], 1)
        elif text in ("(", "["):
            self._open(text, token)
        elif text == "{":
            self._push(self._skipped("{", token))
        else:
            raise self._unexpected(token)

    def _operator(self, token: Token) -> None:
        text, following = token.text, self.tokens[self.at]
        if text in BINARY and (token.inside < 0 or text not in ASSIGNMENTS):
            self._binary(token)
        elif text == "(":
            self._open("call", token)
        elif text == "[":
            self._push(self._skipped("index", token, self.nodes.pop()))
        elif text == "." and following.kind == "name":
            self.at += 1
            start = self.nodes.pop().start
            self._push(Node("attribute", ".", start, following.end))
        else:
            raise self._unexpected(following if text == "." else token)

    def _binary(self, token: Token) -> None:
        left, right = BINARY[token.text]
        self._reduce(left)
        if token.text == "else" and self.nodes[-1].operator != "if":
            raise self._unexpected(token)
        self._wait("," if token.text == "," else "operator", token, right, 2)

    def _is_named(self, token: Token) -> bool:
        """Return whether ``name=`` or ``**`` begins an argument of a call."""
        last = self.pending[-1]
        bracket = self.pending[-2] if last.token.text == "," else last
        named = token.kind == "name" and self.tokens[self.at].text == "="
        return bracket.kind == "call" and (named or token.text == "**")

    # --- the two lists ----------------------------------------------------------------------------
    def _push(self, node: Node) -> None:
        self.nodes.append(node)
        self.due = False

    def _wait(self, kind: str, token: Token, right: int, operands: int) -> None:
        self.pending.append(_Pending(kind, token, right, operands))
        self.due = True

    def _reduce(self, left: int) -> None:
        """Apply the pending operators that bind more tightly than one that binds so tightly."""
        while self.pending[-1].right >= left:
            operator = self.pending.pop()
            self._apply(operator, operator.operands)

    def _apply(self, operator: _Pending, operands: int) -> None:
        token, text = operator.token, operator.token.text
        parts = tuple(self.nodes[-operands:])
        del self.nodes[-operands:]
        start = min(token.start, parts[0].start)
        end = max(token.end, parts[-1].end)
        if operator.kind == parts[0].kind == ",":
            parts = *parts[0].parts, *parts[1:]  # one node for a list of any length
        self._push(Node(operator.kind, text, start, end, token.start, parts))

    # --- brackets ---------------------------------------------------------------------------------
    def _open(self, kind: str, token: Token) -> None:
        self.brackets += 1
        if self.brackets > MAX_BRACKETS:
            raise error_at(self.text, token, "nested")
        self._wait(kind, token, -1, 0)

    def _close(self, token: Token) -> None:
        self._check_pair(token)
        self._complete(token)
        self.brackets -= 1
        bracket, inside = self.pending.pop(), () if self.due else (self.nodes.pop(),)
        opening, callee = bracket.token, (self.nodes.pop(),) if bracket.kind == "call" else ()
        many = inside[0].parts if inside and inside[0].kind == "," else ()
        text = "," if bracket.kind == "(" and many else opening.text
        parts = inside if bracket.kind == "(" else (*callee, *(many or inside))
        start = callee[0].start if callee else opening.start
        self._push(Node(bracket.kind, text, start, token.end, opening.start, parts))

    def _skipped(self, kind: str, token: Token, *parts: Node) -> Node:
        """Return a node for brackets whose contents are not read."""
        if token.partner < 0:
            raise error_at(self.text, token, "unclosed", partner=CLOSING[token.text])
        closing = self.tokens[token.partner]
        self._check_pair(closing)
        self.at = token.partner + 1
        start = parts[0].start if parts else token.start
        return Node(kind, "[]" if parts else token.text, start, closing.end, token.start)

    def _complete(self, token: Token) -> None:
        """Apply all operators since the last open bracket; a comma may stand at the end."""
        last = self.pending[-1]
        if self.due and last.kind == ",":
            self._apply(self.pending.pop(), 1)
        elif self.due and last.right >= 0:
            raise self._unexpected(token)
        self._reduce(0)

    # --- errors -----------------------------------------------------------------------------------
    def _check_pair(self, token: Token) -> None:
        """Raise an error if a closing bracket has no partner of its kind."""
        opening = self.tokens[token.partner]
        if token.partner < 0:
            raise error_at(self.text, token, "unopened", partner=CLOSED[token.text])
        if opening.text != CLOSED[token.text]:
            partner = CLOSING[opening.text]
            raise error_at(self.text, token, "mismatch", opening=opening.text, partner=partner)

    def _unexpected(self, token: Token) -> ExpressionError:
        ended = token.kind == "line"
        unclosed = [one.token for one in self.pending[1:] if one.right < 0 > one.token.partner]
        if unclosed and (ended or not self.due):
            opening = unclosed[-1]
            return error_at(self.text, opening, "unclosed", partner=CLOSING[opening.text])
        return error_at(self.text, token, "end" if ended else "token")
