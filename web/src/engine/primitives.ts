import { fromJson } from "../document";
import type { JsonNumber, UserProgram, CustomOperation, WalkDocument } from "../document";
import { DocumentError } from "./errors";
import type { Primitive } from "./primitive";

/** Primitives by name. */
export type Table = Readonly<Record<string, Primitive>>;

type Operation = (...x: number[]) => number | null;
type Atom = JsonNumber | { at: number };

const MASKS: Record<string, Operation> = {
  pass_if: (condition, t) => (condition ? t! : null),
  mask_if: (condition, t) => (condition ? null : t!),
};

/** Finds the primitives of a document: in the table, or among its custom operations. */
export class Primitives {
  private readonly made = new Map<string, Primitive>();
  private readonly making = new Set<string>();

  constructor(
    private readonly document: WalkDocument,
    private readonly table: Table,
  ) {}

  /** The primitive of this name, or null. */
  find(name: string): Primitive | null {
    if (Object.hasOwn(this.document.rows ?? {}, name)) return this.customOperation(name);
    return Object.hasOwn(this.table, name) ? this.table[name]! : null;
  }

  private customOperation(name: string): Primitive {
    const made = this.made.get(name);
    if (made) return made;
    if (this.making.has(name)) {
      throw new DocumentError(`operation ${name}`, "a program of other operations", "one that uses itself", "Remove it.");
    }
    this.making.add(name);
    const primitive = this.make(name, this.document.rows![name]!);
    this.making.delete(name);
    this.made.set(name, primitive);
    return primitive;
  }

  private make(name: string, user: CustomOperation): Primitive {
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
    throw new DocumentError(`operation ${name}`, "operands before their consumers", `at ${atom.at}`, fix);
  }

  private operation(name: string, op: string): Operation {
    if (Object.hasOwn(MASKS, op)) return MASKS[op]!;
    const primitive = this.find(op);
    if (primitive) return primitive.forward;
    const fix = "Save the document again.";
    throw new DocumentError(`operation ${name}`, "a program of known operations", `one with ${op}`, fix);
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
