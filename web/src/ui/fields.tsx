/** Fields of all pages: numbers, choices, checkboxes. */

import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from "preact";
import { useState } from "preact/hooks";
import { written } from "./numbers";

/** Without roles: each `type` of an input allows others. */
type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, "role" | "type"> & { type?: "number" | "text" };

/** A field for code, numbers and names, which no browser corrects or completes. */
export function PlainInput(props: InputProps) {
  return (
    <input class="field" autocomplete="off" autocapitalize="off" spellcheck={false} {...(props as object)} />
  );
}

interface NumberInputProps extends Omit<InputProps, "value" | "onChange" | "onInput" | "onBlur"> {
  /** The number in the field; null leaves it empty. */
  value: number | null;
  /** The number of a text; undefined refuses the text, null stands for an empty field. */
  read: (text: string) => number | null | undefined;
  onNumber: (x: number | null) => void;
  /** A refused text that the field still shows. */
  refused?: string | null;
  /** Called with a refused text, and with null when a number follows. Without it, the field returns to
   * its value. */
  onRefused?: (text: string | null) => void;
}

/** A field for a number, which counts on Enter or when the field is left. Until then no new value from
 * outside overwrites what is being typed. */
export function NumberInput({ value, read, onNumber, refused = null, onRefused, ...rest }: NumberInputProps) {
  const [draft, setDraft] = useState<{ text: string | null }>({ text: null });
  const finish = () => setDraft({ text: null });
  const take = (text: string) => {
    const x = read(text);
    if (x !== undefined) onNumber(x);
    onRefused?.(x === undefined ? text : null);
    finish();
  };
  return (
    <PlainInput
      class="field number"
      aria-invalid={refused !== null}
      {...rest}
      value={draft.text ?? refused ?? (value === null ? "" : written(value))}
      onInput={(event) => setDraft({ text: event.currentTarget.value })}
      onChange={(event) => take(event.currentTarget.value)}
      onBlur={finish}
    />
  );
}

interface SelectProps extends Omit<
  SelectHTMLAttributes<HTMLSelectElement>,
  "onChange" | "value" | "role" | "size"
> {
  value: string;
  /** Values and their words. */
  options: readonly (readonly [value: string, words: string])[];
  onChoose: (value: string) => void;
}

export function Select({ options, onChoose, ...rest }: SelectProps) {
  return (
    <select class="field" {...rest} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

interface CheckProps {
  on: boolean;
  onChange: (on: boolean) => void;
  look?: string;
  children: ComponentChildren;
}

/** A checkbox with its label. */
export function Check({ on, onChange, look = "check", children }: CheckProps) {
  return (
    <label class={look}>
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  );
}
