/** Formulas on this page: their variables, their mistakes, their graphs. */

import type { WalkDocument } from "../../document";
import { documentOf, ExpressionError, parse } from "../../expression";

/** A message, and the line of the mistake with a caret below the character ("" if it has no place). */
export interface Mistake {
  words: string;
  excerpt: string;
}

/** Returns the mistake in a formula; null if it can be parsed. */
export function mistakeIn(source: string): Mistake | null {
  try {
    parse(source);
    return null;
  } catch (error) {
    return asMistake(error);
  }
}

/** Turns an error of the parser into a message. Other errors are thrown again. */
export function asMistake(error: unknown): Mistake {
  if (!(error instanceof ExpressionError)) throw error;
  const { line, column, expected, got, fix, excerpt } = error;
  const where = line ? `Line ${line}, column ${column}: ` : "";
  return { words: `${where}expected ${expected}, got ${got}. ${fix}`.trim(), excerpt };
}

/** Returns the variables of a formula without mistakes. */
export function variablesOf(source: string): string[] {
  return parse(source).names;
}

/** Returns the graph of a formula without mistakes. Values that the formula does not use are left out. */
export function graphOf(source: string, values: Readonly<Record<string, number>>, title = ""): WalkDocument {
  const expression = parse(source);
  const wanted = new Set([...expression.names, ...expression.constants]);
  const given = Object.entries(values).filter(([name]) => wanted.has(name));
  const document = documentOf(expression, Object.fromEntries(given));
  return title ? { ...document, title } : document;
}
