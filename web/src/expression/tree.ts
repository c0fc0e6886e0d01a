/** The syntax tree of a formula. Offsets are into the source that the reader was given. */
interface Place {
  start: number;
  end: number;
}

export type Tree = Place &
  (
    | { kind: "number"; value: number }
    | { kind: "name"; name: string }
    | { kind: "unary"; op: "+" | "-"; operand: Tree }
    | { kind: "binary"; op: string; left: Tree; right: Tree }
    | { kind: "compare"; left: Tree; ops: string[]; rights: Tree[] }
    | { kind: "call"; callee: Tree; args: Tree[]; named: { name: string; value: Tree }[] }
    | { kind: "list"; members: Tree[] }
    | { kind: "foreign"; what: Foreign }
  );

/** What Python knows and a formula does not. */
export type Foreign =
  "attribute" | "braces" | "choice" | "commas" | "logic" | "subscript" | "whole number" | "other";

export type Statement = Place &
  (
    | { kind: "assign"; name: string; value: Tree }
    | { kind: "formula"; value: Tree }
    | { kind: "other"; augmented: boolean }
  );

/** A place at which the text is no formula of any kind. */
export class Mistake extends Error {
  constructor(
    readonly offset: number,
    readonly got: string,
    readonly fix: string,
  ) {
    super(got);
  }
}

/** More levels than the reader follows. */
export class TooDeep extends Error {}
