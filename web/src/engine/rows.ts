import { fromJson } from "../document";
import type { JsonNumber, UserProgram, UserRow, WalkDocument } from "../document";
import { DocumentError } from "./errors";
import type { Row } from "./row";

/** Primitives by name. */
export type Table = Readonly<Record<string, Row>>;

type Operation = (...x: number[]) => number | null;
type Atom = JsonNumber | { at: number };

const GATES: Record<string, Operation> = {
  pass_if: (condition, t) => (condition ? t! : null),
  mask_if: (condition, t) => (condition ? null : t!),
};

/** Finds the primitives of a document: in the table, or among its custom operations. */
export class Rows {
  private readonly made = new Map<string, Row>();
  private readonly making = new Set<string>();

  constructor(
    private readonly document: WalkDocument,
    private readonly table: Table,
  ) {}

  /** The primitive of this name, or null. */
  find(name: string): Row | null {
    if (Object.hasOwn(this.document.rows ?? {}, name)) return this.ofUser(name);
    return Object.hasOwn(this.table, name) ? this.table[name]! : null;
  }

  private ofUser(name: string): Row {
    const made = this.made.get(name);
    if (made) return made;
    if (this.making.has(name)) {
      throw new DocumentError(`row ${name}`, "a program of other rows", "one that uses itself", "Remove it.");
    }
    this.making.add(name);
    const row = this.make(name, this.document.rows![name]!);
    this.making.delete(name);
    this.made.set(name, row);
    return row;
  }

  private make(name: string, user: UserRow): Row {
    const forward = this.compiled(name, user.forward);
    return {
      name,
      params: user.params,
      defaults: [],
      infix: "",
      summary: "",
      kinks: "",
      tex: user.tex,
      mathml: "",
      forward: (...x) => forward(...x) ?? NaN,
      rules: user.rules.map((rule) => rule && this.compiled(name, rule)),
      slopes: user.params.map(() => null),
    };
  }

  /** A program as a function. It is interpreted: evaluating text as code would let a document run anything. */
  private compiled(name: string, program: UserProgram): Operation {
    const count = program.parameters.length;
    const steps = program.instructions.slice(count).map(([op, ...atoms], i) => {
      for (const atom of atoms) this.check(name, atom, count + i);
      return { apply: this.operation(name, op), atoms };
    });
    this.check(name, program.result ?? 0, count + steps.length);
    return (...x) => run(steps, program.result, x.slice(0, count));
  }

  private check(name: string, atom: Atom, soFar: number): void {
    if (typeof atom !== "object" || (Number.isInteger(atom.at) && atom.at >= 0 && atom.at < soFar)) return;
    const fix = "Save the document again.";
    throw new DocumentError(`row ${name}`, "operands before their consumers", `at ${atom.at}`, fix);
  }

  private operation(name: string, op: string): Operation {
    if (Object.hasOwn(GATES, op)) return GATES[op]!;
    const row = this.find(op);
    if (row) return row.forward;
    const fix = "Save the document again.";
    throw new DocumentError(`row ${name}`, "a program of known rows", `one with ${op}`, fix);
  }
}

interface Instruction {
  apply: Operation;
  atoms: Atom[];
}

function run(steps: Instruction[], result: Atom | null, given: number[]): number | null {
  const results: (number | null)[] = given;
  const valueOf = (atom: Atom) => (typeof atom === "object" ? results[atom.at] ?? null : fromJson(atom));
  for (const { apply, atoms } of steps) {
    const args = atoms.map(valueOf);
    // a blocked gradient stays blocked, whatever a rule computes from it
    results.push(args.includes(null) ? null : apply(...(args as number[])));
  }
  const y = result === null ? null : valueOf(result);
  return y === null ? null : Number(y);
}
