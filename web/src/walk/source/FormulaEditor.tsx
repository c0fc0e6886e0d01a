/** An editor for a formula of one or more lines and the values of its variables. It points at mistakes. */

import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WalkDocument } from "../../document";
import { CONSTANTS, SPELLED } from "../../expression";
import { asMistake, graphOf, mistakeIn, variablesOf, type Mistake } from "./formula";
import { MistakeShown } from "./MistakeShown";
import { PlainInput } from "../../ui/fields";
import { written } from "../../ui/numbers";
import type { Origin } from "../state/state";
import { typed, type Typed } from "./typed";
import { Button } from "../../ui/Button";

interface Props {
  origin: Origin | null;
  onGraph: (document: WalkDocument, origin: Origin) => void;
  /** Adds a button that closes the editor. */
  onClose?: () => void;
}

const EXAMPLE = "d = a * b\ntanh(d + c)";

export function FormulaEditor({ origin, onGraph, onClose }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const [source, setSource] = useState(origin?.source ?? EXAMPLE);
  const [texts, setTexts] = useState(() => asTexts(origin?.values ?? { a: 2, b: -3, c: 5 }));
  const [asked, setAsked] = useState(false);
  const mistake = useMemo(() => mistakeIn(source), [source]);
  const names = useMemo(() => (mistake ? [] : variablesOf(source)), [source, mistake]);
  const values = names.map((name): [string, Typed] => [name, typed(textOf(texts, name))]);
  const [refused, setRefused] = useState<Mistake | null>(null);
  const sound = !mistake && values.every(([, value]) => value.mistake === null);
  const silent = source.trim() === "" && !asked; // show no error before anything has been typed
  const build = () => {
    setAsked(true);
    if (!sound) return;
    const numbers = Object.fromEntries(values.map(([name, { x }]) => [name, x!]));
    try {
      onGraph(graphOf(source, numbers), { source, values: numbers });
    } catch (error) {
      setRefused(asMistake(error));
    }
  };
  return (
    <form
      class="formula-editor"
      aria-label="Your formula"
      onSubmit={(event) => {
        event.preventDefault();
        build();
      }}
    >
      <label class="formula-text">
        <span>Formula</span>
        <textarea
          class="field"
          rows={Math.min(10, Math.max(3, source.split("\n").length))}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          ref={field}
          aria-invalid={mistake !== null}
          aria-describedby={mistake && !silent ? `${id}-formula` : undefined}
          value={source}
          onInput={(event) => {
            const next = event.currentTarget.value;
            if (!isEdit(source, next)) setTexts({}); // a new formula does not get the old one's values
            setSource(next);
            setRefused(null);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) build();
          }}
        />
      </label>
      <p class="note">
        One formula, or several lines of <code>name = formula</code> with the result last. Formulas are
        parsed, never run as a program.
      </p>
      <MistakeShown id={`${id}-formula`} mistake={silent ? null : (mistake ?? refused)} />
      <div class="formula-values">
        {values.map(([name, value]) => (
          <label key={name}>
            <span class="name">{name}</span>
            <PlainInput
              class="field number"
              aria-invalid={value.mistake !== null}
              aria-describedby={value.mistake ? `${id}-${name}` : undefined}
              value={textOf(texts, name)}
              onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      {values.map(([name, value]) => (
        <MistakeShown key={name} id={`${id}-${name}`} before={`The value of ${name}: `} mistake={value.mistake} />
      ))}
      <div class="formula-buttons">
        <Button type="submit" look="primary" disabled={!sound && !silent}>
          Build the graph
        </Button>
        {onClose && <Button onClick={onClose}>Close</Button>}
      </div>
    </form>
  );
}

/** Whether a text comes from another by an edit, and is not another formula: half of it stays. */
function isEdit(before: string, after: string): boolean {
  const most = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < most && before[start] === after[start]) start++;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return start + end >= before.length / 2;
}

/** The text typed for a variable. A variable may be called "constructor". */
function textOf(texts: Record<string, string>, name: string): string {
  if (Object.hasOwn(texts, name)) return texts[name]!;
  const constant = SPELLED.get(name);
  return constant ? written(CONSTANTS[constant]!) : "1";
}

function asTexts(values: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, x]) => [name, written(x)]));
}
