/** A formula of several lines and the values of its variables; mistakes are pointed at. */

import { useMemo, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { CONSTANTS, SPELLED } from "../expression";
import { asMistake, graphOf, mistakeIn, variablesOf, type Mistake } from "./formula";
import { MistakeShown } from "./MistakeShown";
import { written } from "./numbers";
import type { Origin } from "./state";
import { typed, type Typed } from "./typed";

interface Props {
  origin: Origin | null;
  onGraph: (document: WalkDocument, origin: Origin) => void;
  /** Where the editor can be put away. */
  onClose?: () => void;
}

const EXAMPLE = "d = a * b\ntanh(d + c)";

export function FormulaEditor({ origin, onGraph, onClose }: Props) {
  const [source, setSource] = useState(origin?.source ?? EXAMPLE);
  const [texts, setTexts] = useState(() => asTexts(origin?.values ?? { a: 2, b: -3, c: 5 }));
  const [asked, setAsked] = useState(false);
  const mistake = useMemo(() => mistakeIn(source), [source]);
  const names = useMemo(() => (mistake ? [] : variablesOf(source)), [source, mistake]);
  const values = names.map((name): [string, Typed] => [name, typed(textOf(texts, name))]);
  const [refused, setRefused] = useState<Mistake | null>(null);
  const sound = !mistake && values.every(([, value]) => value.mistake === null);
  const silent = source.trim() === "" && !asked; // who has not begun has made no mistake
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
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose?.();
      }}
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
          aria-invalid={mistake !== null}
          value={source}
          onInput={(event) => {
            setSource(event.currentTarget.value);
            setRefused(null);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) build();
          }}
        />
      </label>
      <p class="note">
        One formula, or several lines: <code>name = formula</code>, and the result last. It is read, never run
        as a program.
      </p>
      <MistakeShown mistake={silent ? null : (mistake ?? refused)} />
      <div class="formula-values">
        {values.map(([name, value]) => (
          <label key={name}>
            <span class="name">{name}</span>
            <input
              class="field number"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              aria-invalid={value.mistake !== null}
              value={textOf(texts, name)}
              onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      {values.map(([name, value]) => (
        <MistakeShown key={name} before={`The value of ${name}: `} mistake={value.mistake} />
      ))}
      <div class="formula-buttons">
        <button type="submit" class="button primary" disabled={!sound && !silent}>
          Walk this formula
        </button>
        {onClose && (
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        )}
      </div>
    </form>
  );
}

/** What was typed for a variable, which may be called "constructor". */
function textOf(texts: Record<string, string>, name: string): string {
  if (Object.hasOwn(texts, name)) return texts[name]!;
  const constant = SPELLED.get(name);
  return constant ? written(CONSTANTS[constant]!) : "1";
}

function asTexts(values: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, x]) => [name, written(x)]));
}
