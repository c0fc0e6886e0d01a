/** The cell in which the engine is written. Below the text field, the same text has colours and line numbers. */

import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { broken, dedented, indented, placeOf, unindented, type Edit } from "./editing";
import { colouredLines } from "./python";

/** A request to bring a line into sight and to select it; each new object does so once. */
export interface Jump {
  line: number;
}

interface Props {
  text: string;
  label?: string;
  onText: (text: string) => void;
  onRun: () => void;
  /** The line with the mistake. */
  line: number | null;
  /** The line that the walk is at. */
  stepLine: number | null;
  jump: Jump | null;
}

export function Editor({ text, label = "Your engine, in Python", onText, onRun, line, stepLine, jump }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const leaving = useRef(false); // Esc was pressed: the next Tab leaves the field
  const rows = useMemo(() => colouredLines(text), [text]);
  useLayoutEffect(() => {
    if (jump) show(field.current!, jump.line);
  }, [jump]);
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    if (event.isComposing) return;
    const leave = leaving.current;
    leaving.current = event.key === "Escape" || (leave && event.key === "Shift");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onRun();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || (leave && event.key === "Tab")) return;
    const edit = editOf(event);
    if (!edit) return;
    event.preventDefault();
    apply(event.currentTarget, edit);
    onText(event.currentTarget.value);
  };
  return (
    <div class="code-editor">
      <div class="code-lines">
        {rows.map((tokens, at) => {
          const number = at + 1;
          const marks = `${number === line ? "wrong" : ""} ${number === stepLine ? "now" : ""}`.trim();
          return (
            <div key={number} class={marks ? `code-line ${marks}` : "code-line"} aria-hidden="true">
              <span class="code-number">{number === line ? "✗" : number}</span>
              <span class="code-text">
                {tokens.map(({ kind, text: piece }, k) =>
                  kind === "plain" ? piece : <span key={k} class={`py-${kind}`}>{piece}</span>,
                )}
                {"\n"}
              </span>
            </div>
          );
        })}
        <textarea
          ref={field}
          class="code-field"
          aria-label={label}
          aria-describedby={`${id}-help ${id}-line`}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={() => (leaving.current = false)}
        />
      </div>
      <p id={`${id}-line`} class="visually-hidden">
        {line === null ? "" : `The mistake is at line ${line}.`}
      </p>
      <p id={`${id}-help`} class="visually-hidden">
        Tab indents. Press Escape and then Tab to leave the field. Control and Enter runs the file.
      </p>
    </div>
  );
}

function editOf({ key, shiftKey, currentTarget }: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): Edit | null {
  const { value, selectionStart, selectionEnd } = currentTarget;
  const selected = { text: value, from: selectionStart, to: selectionEnd };
  if (key === "Tab") return shiftKey ? dedented(selected) : indented(selected);
  if (key === "Enter") return broken(selected);
  return key === "Backspace" ? unindented(selected) : null;
}

/** Changes the field as typing does, so that the browser can undo it. */
function apply(field: HTMLTextAreaElement, { start, end, text, from, to }: Edit): void {
  field.setSelectionRange(start, end);
  const typed = text ? document.execCommand?.("insertText", false, text) : document.execCommand?.("delete");
  if (!typed) field.setRangeText(text, start, end, "end");
  field.setSelectionRange(from, to);
}

/** Selects a line, and scrolls to it. */
function show(field: HTMLTextAreaElement, line: number): void {
  const { from, to } = placeOf(field.value, line);
  field.focus({ preventScroll: true });
  field.setSelectionRange(from, to);
  const row = field.parentElement!.children[line - 1];
  row?.scrollIntoView?.({ block: "center" });
}
