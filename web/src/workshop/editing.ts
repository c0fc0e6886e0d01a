/** What keys do to a text of Python: indent, dedent, a new line. The page applies each change as one edit, so that the
 * browser can undo it. */

export interface Selected {
  text: string;
  /** The ends of the selection. */
  from: number;
  to: number;
}

/** A change: `text` replaces what is between `start` and `end`; then the selection is from `from` to `to`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  from: number;
  to: number;
}

const INDENT = "    ";

/** Tab: spaces up to the next stop, or all selected lines one level further in. */
export function indented({ text, from, to }: Selected): Edit {
  if (from === to) {
    const spaces = INDENT.slice((from - lineStart(text, from)) % INDENT.length);
    return { start: from, end: from, text: spaces, from: from + spaces.length, to: from + spaces.length };
  }
  return lines({ text, from, to }, (line) => (line ? INDENT + line : line));
}

/** Shift and Tab: all selected lines one level less far in. */
export function dedented(selected: Selected): Edit {
  return lines(selected, (line) => line.replace(/^ {1,4}|^\t/, ""));
}

/** Enter: the new line starts below the text of the line. After a colon it is one level further in, and after a
 * statement that ends a block one level less. */
export function broken({ text, from, to }: Selected): Edit {
  const line = text.slice(lineStart(text, from), from);
  const own = /^[ \t]*/.exec(line)![0];
  const code = line.replace(/#.*$/, "").trim();
  const deeper = code.endsWith(":") ? INDENT : "";
  const ends = /^(return|pass|break|continue|raise)\b/.test(code) && !/[([{,\\]$/.test(code);
  const added = `\n${ends ? own.replace(/ {4}$|\t$/, "") : own + deeper}`;
  return { start: from, end: to, text: added, from: from + added.length, to: from + added.length };
}

/** Backspace in an indent: one level less. Null where it removes one letter as usual. */
export function unindented({ text, from, to }: Selected): Edit | null {
  const before = text.slice(lineStart(text, from), from);
  if (from !== to || before === "" || before.trim() !== "" || before.includes("\t")) return null;
  const removed = before.length % INDENT.length || INDENT.length;
  return { start: from - removed, end: from, text: "", from: from - removed, to: from - removed };
}

/** Where a line begins and ends; lines count from 1. */
export function placeOf(text: string, line: number): { from: number; to: number } {
  const rows = text.split("\n");
  const at = Math.min(Math.max(line, 1), rows.length) - 1;
  const from = rows.slice(0, at).reduce((sum, row) => sum + row.length + 1, 0);
  return { from, to: from + rows[at]!.length };
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The selected lines, each one changed. */
function lines({ text, from, to }: Selected, change: (line: string) => string): Edit {
  const start = lineStart(text, from);
  const last = to > from && text[to - 1] === "\n" ? to - 1 : to; // the line after the selection is not in it
  const next = text.indexOf("\n", last);
  const end = next < 0 ? text.length : next;
  const old = text.slice(start, end).split("\n");
  const now = old.map(change);
  const moved = now[0]!.length - old[0]!.length;
  const added = now.join("\n");
  const grown = added.length - (end - start);
  return { start, end, text: added, from: Math.max(start, from + moved), to: Math.max(start, to + grown) };
}
