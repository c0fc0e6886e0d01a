/** Formulas of the table in other letters: the names of a graph, or letters that it does not use. */

import type { CheckedGraph, GraphNode } from "./node";
import type { Formula, Primitive } from "./primitive";

/** The general rule of an operation, in letters that no node of the graph has as its name. */
export interface Rule {
  /** The letter of the result. */
  result: string;
  /** One letter per operand. */
  letters: string[];
  /** The operation: `u v`. */
  operation: Formula;
  /** Its local derivative; null: the operation itself is described, or it has no short derivative. */
  slope: Formula | null;
  /** The operation in words; "" if they are about letters that the graph uses. */
  summary: string;
}

const WORD = /[\p{L}_][\p{L}\p{Nd}_]*/gu;
const SPARE = [..."uvwpqrsmnkabcdfghxyz", ..."αβγδζηθκλμνξρστφχψω"];

/** The local derivative of a node with respect to an operand in the graph's own names, `1 - h1²`; "" if it
 * has no short formula, or one that is only a number. */
export function ownSlope(graph: CheckedGraph, node: GraphNode, position: number): string {
  const { primitive } = node;
  const formula = primitive?.slopes[position]?.text;
  if (!primitive || !formula) return "";
  const names = new Map(primitive.params.map((letter, at) => [letter, called(graph, node.inputs[at]!)]));
  names.set(resultOf(primitive), node.name);
  const own = renamed(formula, (word) => names.get(word));
  return /\p{L}/u.test(own) ? own : "";
}

/** The rule of an operation, or of its derivative with respect to one operand. */
export function generalRule(graph: CheckedGraph, node: GraphNode, position: number | null): Rule | null {
  const { primitive } = node;
  if (!primitive) return null;
  const letters = lettersOf(graph, primitive);
  const as = ({ text, mathml }: Formula): Formula => ({
    text: renamed(text, (word) => letters.get(word)),
    mathml: inMathml(mathml, letters),
  });
  const call = `${primitive.name}(${primitive.params.join(", ")})`;
  const slope = position === null ? null : primitive.slopes[position];
  return {
    result: letters.get(resultOf(primitive))!,
    letters: primitive.params.map((letter) => letters.get(letter)!),
    operation: as({ text: call, mathml: primitive.mathml }),
    slope: slope ? as(slope) : null,
    summary: [...letters].every(([from, to]) => from === to) ? primitive.summary : "",
  };
}

/** The letter that the table's formulas have for the result. */
function resultOf({ params }: Primitive): string {
  return params.includes("y") ? "z" : "y";
}

/** Letters for the result and the parameters: those of the table, if no node has one of them as its name. */
function lettersOf(graph: CheckedGraph, primitive: Primitive): Map<string, string> {
  const taken = namesOf(graph);
  const result = resultOf(primitive);
  const free = SPARE.filter((letter) => !taken.has(letter) && letter !== result);
  const next = (letter: string) => free.shift() ?? `${letter}′`;
  const clear = !primitive.params.some((letter) => taken.has(letter));
  const letters = new Map(primitive.params.map((letter) => [letter, clear ? letter : next(letter)]));
  return letters.set(result, taken.has(result) ? next(result) : result);
}

/** Collected once for each graph: a step must stay quick in large ones. */
function namesOf(graph: CheckedGraph): ReadonlySet<string> {
  const found = collected.get(graph) ?? new Set(graph.nodes.map(({ name }) => name));
  collected.set(graph, found);
  return found;
}

const collected = new WeakMap<CheckedGraph, ReadonlySet<string>>();

/** A node in a formula: its name, or the value of a constant. */
function called(graph: CheckedGraph, index: number): string {
  const { name, constant } = graph.nodes[index]!;
  return constant && name.startsWith("-") ? `(${name})` : name;
}

function renamed(formula: string, nameOf: (word: string) => string | undefined): string {
  return formula.replace(WORD, (word) => nameOf(word) ?? word);
}

/** The same letters in MathML; "" where a word is spelled letter by letter, because its letters would be
 * taken for parameters. */
function inMathml(mathml: string, letters: ReadonlyMap<string, string>): string {
  if ([...letters].every(([from, to]) => from === to)) return mathml;
  if (SPELLED.test(mathml) || ![...letters.keys()].every((letter) => letter.length === 1)) return "";
  return mathml.replace(/<mi>(\p{L})<\/mi>/gu, (all, letter: string) => {
    const other = letters.get(letter);
    return other ? `<mi>${other}</mi>` : all;
  });
}

const SPELLED = /(<mi>[a-z]<\/mi>){3}/u;
