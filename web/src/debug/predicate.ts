/** Conditions on nodes: `grad > 1 and layer = l1`. */

import type { Run } from "../engine";
import { isWrong, isWrongGradient } from "./wrong";

export type Predicate = (run: Run, index: number) => boolean;

/** A condition, or why a text is not a condition. Texts that look like names are neither. */
export type Parsed = { holds: Predicate } | { mistake: string } | null;

const WORDS: Readonly<Record<string, Predicate>> = {
  nan: (run, i) => Number.isNaN(run.data[i]) || Number.isNaN(run.gradients[i]) || counts(run, i, "nan") > 0,
  inf: (run, i) => isInfinite(run.data[i]) || isInfinite(run.gradients[i]) || counts(run, i, "inf") > 0,
  wrong: (run, i) => isWrong(run, i) || isWrongGradient(run, i),
  zero: (run, i) => !run.graph.nodes[i]!.constant && run.gradients[i] === 0,
  blocked: (run, i) => !run.graph.nodes[i]!.constant && (run.gradients[i] ?? null) === null,
  leaf: (run, i) => run.graph.nodes[i]!.leaf,
  constant: (run, i) => run.graph.nodes[i]!.constant,
};

const NUMBERS: Readonly<Record<string, (run: Run, index: number) => number | null>> = {
  grad: (run, i) => run.gradients[i] ?? null,
  data: (run, i) => run.data[i]!,
  uses: (run, i) => run.graph.nodes[i]!.consumers.length,
};

const TEXTS: Readonly<Record<string, (run: Run, index: number) => string>> = {
  name: (run, i) => run.graph.nodes[i]!.name,
  op: (run, i) => run.graph.nodes[i]!.op,
  layer: (run, i) => run.graph.nodes[i]!.group,
  line: (run, i) => {
    const { lines, nodes } = run.graph.document;
    return lines?.[nodes[i]!.line ?? -1]?.[0] ?? "";
  },
};

const SAME: Readonly<Record<string, string>> = { gradient: "grad", value: "data", group: "layer" };

const COMPARED: Readonly<Record<string, (x: number, y: number) => boolean>> = {
  "<": (x, y) => x < y,
  ">": (x, y) => x > y,
  "<=": (x, y) => x <= y,
  ">=": (x, y) => x >= y,
  "=": (x, y) => Object.is(x, y) || x === y,
  "!=": (x, y) => !(Object.is(x, y) || x === y),
};

/** What can be written, for the help beside a field. */
export const EXAMPLES = ["|grad| > 1", "grad = 0", "nan", "layer = l1", "op = relu and data < 0", "name ~ w"];

/** Reads a condition: terms with `and`, `or` and `not`. */
export function predicateOf(words: string): Parsed {
  const text = words.trim();
  if (!text) return null;
  const parsed = text.split(/\s+or\s+/i).map((part) => part.split(/\s+and\s+|,\s*/i).map(termOf));
  const terms = parsed.flat();
  if (terms.every((term) => term === null)) return null;
  const bad = terms.find((term) => term !== null && "mistake" in term);
  if (bad) return bad;
  if (terms.includes(null)) return { mistake: `Write a condition on each side, such as ${EXAMPLES[4]}.` };
  const groups = parsed as { holds: Predicate }[][];
  return { holds: (run, i) => groups.some((all) => all.every(({ holds }) => holds(run, i))) };
}

function termOf(text: string): Parsed {
  const not = /^not\s+(.*)$/i.exec(text.trim());
  if (not) {
    const inner = termOf(not[1]!);
    return inner && "holds" in inner ? { holds: (run, i) => !inner.holds(run, i) } : inner;
  }
  const word = text.trim().toLowerCase();
  if (Object.hasOwn(WORDS, word)) return { holds: WORDS[word]! };
  const found = /^(\|?)\s*([a-z]+)\s*(\|?)\s*(<=|>=|!=|==|=|<|>|~)\s*(.*)$/i.exec(text.trim());
  return found ? comparison(found as unknown as string[]) : null;
}

function comparison([, open, left, close, sign, right]: string[]): Parsed {
  const name = SAME[left!.toLowerCase()] ?? left!.toLowerCase();
  const operator = sign === "==" ? "=" : sign!;
  const wanted = right!.trim();
  if (!wanted) return { mistake: `Write what ${name} is compared with, such as ${name} ${operator} 1.` };
  if (Object.hasOwn(TEXTS, name) && open === close) return ofText(name, operator, wanted);
  if (!Object.hasOwn(NUMBERS, name) || open !== close) {
    const known = [...Object.keys(NUMBERS), ...Object.keys(TEXTS)].join(", ");
    return { mistake: `There is no ${open}${left}${close}. Compare ${known} or |grad|.` };
  }
  return ofNumber(name, operator, wanted, open === "|");
}

function ofText(name: string, operator: string, wanted: string): Parsed {
  const read = TEXTS[name]!;
  const lower = wanted.replace(/^["']|["']$/g, "").toLowerCase();
  if (operator === "~") return { holds: (run, i) => read(run, i).toLowerCase().includes(lower) };
  if (operator !== "=" && operator !== "!=") return { mistake: `Compare ${name} by =, != or ~ (contains).` };
  // a layer contains the layers inside it
  const same = (x: string) => x === lower || (name === "layer" && x.startsWith(`${lower}.`));
  return { holds: (run, i) => same(read(run, i).toLowerCase()) === (operator === "=") };
}

function ofNumber(name: string, operator: string, wanted: string, absolute: boolean): Parsed {
  const read = NUMBERS[name]!;
  const y = NAMED[wanted.toLowerCase()] ?? Number(wanted);
  const compare = COMPARED[operator];
  const number = Number.isFinite(y) || Object.hasOwn(NAMED, wanted.toLowerCase());
  if (!compare || !number) return { mistake: `Compare ${name} with a number, such as ${name} > 1e-3.` };
  return {
    holds: (run, i) => {
      const x = run.graph.nodes[i]!.constant && name === "grad" ? null : read(run, i);
      return x !== null && compare(absolute ? Math.abs(x) : x, y);
    },
  };
}

const NAMED: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, "-inf": -Infinity };

function isInfinite(x: number | null | undefined): boolean {
  return x === Infinity || x === -Infinity;
}

/** How many elements of an array or of its gradient are NaN or infinite. */
function counts(run: Run, index: number, what: "nan" | "inf"): number {
  const { array } = run.graph.document.nodes[index]!;
  return (array?.spread?.[what] ?? 0) + (array?.grad?.spread?.[what] ?? 0);
}
