/** Numbers typed into a field, and their mistakes. */

import { ExpressionError, readValue } from "../../expression";
import { asMistake, type Mistake } from "./formula";

/** A number, or a mistake. */
export type Typed = { x: number; mistake: null } | { x: null; mistake: Mistake };

const SAMPLES = "Write 2, -0.5, 1e-3, 1/3, pi/2, inf or nan.";

/** Reads 2, -1e-3, nan, and constant formulas such as 1/3 and pi/2. */
export function typed(text: string): Typed {
  try {
    return { x: readValue(text), mistake: null };
  } catch (error) {
    return { x: null, mistake: mistakeOf(text, error) };
  }
}

/** Returns the mistake in a text; null if the text is a number. */
export function wrongIn(text: string): Mistake | null {
  return typed(text).mistake;
}

function mistakeOf(text: string, error: unknown): Mistake {
  if (!(error instanceof ExpressionError)) return asMistake(error);
  if (text.trim() === "") return { words: "Type a number.", excerpt: "" };
  const head = `“${shown(text)}” is not a number`;
  const name = /^the name '(.+)'$/u.exec(error.got)?.[1];
  if (name === text.trim()) return { words: `${head}. ${SAMPLES}`, excerpt: "" };
  const why = name ? `${name} has no value. ${SAMPLES}` : `got ${error.got}. ${error.fix}`;
  return { words: `${head}: ${why}`, excerpt: error.excerpt };
}

/** Shortens a long text to its beginning. */
function shown(text: string): string {
  const all = Array.from(text.trim());
  return all.length <= 40 ? all.join("") : `${all.slice(0, 40).join("")}…`;
}
