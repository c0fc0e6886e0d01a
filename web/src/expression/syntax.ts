import { Formulas } from "./formulas";
import { ONE_NAME } from "./advice";
import { Mistake } from "./tree";
import type { Statement, Tree } from "./tree";

const STATEMENTS = new Set([
  ..."import from del global nonlocal pass break continue return raise assert if for while".split(" "),
  ..."with try def class async elif else except finally".split(" "),
]);
const AUGMENTED = /^(?:\*\*|\/\/|<<|>>|[-+*/%@&|^])=$/;

/** The statements of a text. Nothing in here computes anything. */
export function statements(source: string): Statement[] {
  return new Statements(source).read();
}

class Statements extends Formulas {
  read(): Statement[] {
    const found: Statement[] = [];
    while (this.peek.kind !== "end") {
      if (this.peek.kind === "newline") this.at += 1;
      else this.line(found);
    }
    return found;
  }

  /** Statements up to the end of the line, `;` between them. */
  private line(found: Statement[]): void {
    for (;;) {
      found.push(this.statement());
      const more = this.accept(";");
      if (this.peek.kind === "newline") return;
      if (!more) throw this.unexpected();
    }
  }

  // --- statements ---------------------------------------------------------------------------------

  private statement(): Statement {
    const start = this.peek.start;
    if (this.peek.kind === "keyword" && STATEMENTS.has(this.peek.text)) return this.skipped(start, false);
    const value = this.several(true);
    if (AUGMENTED.test(this.peek.text)) return this.skipped(start, true);
    if (this.is(":")) return this.skipped(start, false);
    if (!this.is("=")) return { kind: "formula", value, start, end: this.end };
    return this.assignment(value, start);
  }

  private assignment(target: Tree, start: number): Statement {
    checkTarget(target, start);
    this.at += 1;
    const first = this.peek.start;
    const value = this.several(true);
    if (this.is("=")) {
      checkTarget(value, first);
      return this.skipped(start, false);
    }
    const end = this.end;
    if (target.kind !== "name") return { kind: "other", augmented: false, start, end };
    return { kind: "assign", name: target.name, value, start, end };
  }

  private skipped(start: number, augmented: boolean): Statement {
    while (this.peek.kind !== "newline" && !this.is(";")) this.at += 1;
    return { kind: "other", augmented, start, end: this.end };
  }
}

function checkTarget(target: Tree, start: number): void {
  if (target.kind === "name" || target.kind === "list" || target.kind === "foreign") return;
  throw new Mistake(start, "something that is no name before '='", ONE_NAME);
}
