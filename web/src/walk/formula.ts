/** Formulas as this page uses them: what they need, what is wrong with them, the graph of one. */

import type { WalkDocument } from "../document";
import { documentOf, ExpressionError, parse } from "../expression";

/** A mistake in words, and the line of it with a caret below the character ("" if it is nowhere). */
export interface Mistake {
  words: string;
  excerpt: string;
}

/** What is wrong with a formula; null if it can be read. */
export function mistakeIn(source: string): Mistake | null {
  try {
    parse(source);
    return null;
  } catch (error) {
    return asMistake(error);
  }
}

/** An error of the reader in words; what is no such error is thrown on. */
export function asMistake(error: unknown): Mistake {
  if (!(error instanceof ExpressionError)) throw error;
  const { line, column, expected, got, fix, excerpt } = error;
  const where = line ? `Line ${line}, column ${column}: ` : "";
  return { words: `${where}expected ${expected}, got ${got}. ${fix}`.trim(), excerpt };
}

/** The variables of a sound formula. */
export function variablesOf(source: string): string[] {
  return parse(source).names;
}

/** The graph of a sound formula; values that it has no use for are left out. */
export function graphOf(source: string, values: Readonly<Record<string, number>>, title = ""): WalkDocument {
  const expression = parse(source);
  const wanted = new Set([...expression.names, ...expression.constants]);
  const given = Object.entries(values).filter(([name]) => wanted.has(name));
  const document = documentOf(expression, Object.fromEntries(given));
  return title ? { ...document, title } : document;
}
