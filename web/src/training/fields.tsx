/** The fields of the settings, and an error in its four parts. */

import { useId, useState } from "preact/hooks";
import type { Refusal } from "./protocol";

const PARTS = ["where", "expected", "got", "fix"] as const;

/** The id of what says why a run has stopped. */
export const STOPPED = "training-stopped";

export function Complaint({ refusal, id }: { refusal: Refusal; id?: string }) {
  return (
    <div class="complaint" role="alert" id={id}>
      <dl>
        {PARTS.map((part) => (
          <div key={part}>
            <dt>{part}</dt>
            <dd>{refusal[part]}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export interface ChoiceProps {
  label: string;
  value: string;
  options: { value: string; words: string }[];
  refusal: Refusal | null;
  onChange: (value: string) => void;
}

export function Choice({ label, value, options, refusal, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="field"
        value={value}
        aria-invalid={refusal !== null}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.words}
          </option>
        ))}
      </select>
      {refusal && <Complaint refusal={refusal} />}
    </div>
  );
}

export interface NumberFieldProps {
  label: string;
  value: number;
  low: number;
  high: number;
  step?: number;
  whole?: boolean;
  refusal: Refusal | null;
  onChange: (value: number) => void;
  onWrong: (refusal: Refusal) => void;
}

/** Takes effect on Enter or when it is left, so that half a number begins no run. */
export function NumberField({
  label,
  value,
  low,
  high,
  step,
  whole = false,
  refusal,
  onChange,
  onWrong,
}: NumberFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const take = (text: string) => {
    setTyped(text);
    if (isRight(text, { low, high, whole })) onChange(Number(text));
    else onWrong(wrong(text, { low, high, whole }));
  };
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="field"
        type="number"
        inputMode={whole ? "numeric" : "decimal"}
        min={low}
        max={high}
        step={step ?? (whole ? 1 : "any")}
        value={refusal && typed !== "" ? typed : value}
        aria-invalid={refusal !== null}
        aria-describedby={refusal ? `${id}-wrong` : undefined}
        onChange={(event) => take(event.currentTarget.value)}
      />
      {refusal && <Complaint refusal={refusal} id={`${id}-wrong`} />}
    </div>
  );
}

interface Bounds {
  low: number;
  high: number;
  whole: boolean;
}

export function isRight(text: string, { low, high, whole }: Bounds): boolean {
  const number = Number(text);
  return text.trim() !== "" && number >= low && number <= high && (!whole || Number.isInteger(number));
}

function wrong(text: string, { low, high, whole }: Bounds): Refusal {
  const kind = whole ? "a whole number" : "a number";
  return {
    type: "refused",
    where: "",
    expected: `${kind} from ${low.toLocaleString("en")} to ${high.toLocaleString("en")}`,
    got: text.trim() === "" ? "no number" : text,
    fix: "Choose one of this range.",
  };
}

/** A small box to tick, beside the title of a card. */
export function Tick(props: { words: string; on: boolean; onChange: (on: boolean) => void }) {
  const { words, on, onChange } = props;
  return (
    <label class="check small">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      {words}
    </label>
  );
}
