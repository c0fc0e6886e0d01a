/** The settings of a run as fields, and an error in its four parts. */

import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { NumberInput, Select } from "../../ui/fields";
import { numberIn, type Bounds } from "../../ui/numbers";
import type { Refusal } from "../run/protocol";

const PARTS = ["where", "expected", "got", "fix"] as const;

/** The id of the alert that says why a run has stopped. */
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

interface Labelled {
  label: string;
  refusal: Refusal | null;
}

/** A label, its field, and the error that belongs to it. */
function Setting({ label, refusal, field }: Labelled & { field: (shared: object) => VNode }) {
  const id = useId();
  const wrong = refusal ? `${id}-wrong` : undefined;
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      {field({ id, "aria-invalid": refusal !== null, "aria-describedby": wrong })}
      {refusal && <Complaint refusal={refusal} id={`${id}-wrong`} />}
    </div>
  );
}

interface ChoiceProps extends Labelled {
  value: string;
  options: [value: string, words: string][];
  onChoose: (value: string) => void;
}

export function Choice({ label, refusal, ...rest }: ChoiceProps) {
  return <Setting label={label} refusal={refusal} field={(shared) => <Select {...shared} {...rest} />} />;
}

interface NumberFieldProps extends Labelled, Bounds {
  value: number;
  step?: number;
  onChange: (value: number) => void;
  onWrong: (refusal: Refusal) => void;
}

export function NumberField({ label, refusal, value, step, onChange, onWrong, ...bounds }: NumberFieldProps) {
  const [refused, setRefused] = useState<string | null>(null);
  return (
    <Setting
      label={label}
      refusal={refusal}
      field={(shared) => (
        <NumberInput
          {...attributesOf(bounds)}
          {...(step !== undefined && { step })}
          {...shared}
          value={value}
          read={(text) => numberIn(text, bounds)}
          onNumber={(x) => onChange(x!)}
          refused={refusal && refused}
          onRefused={(text) => {
            setRefused(text);
            if (text !== null) onWrong(wrong(text, bounds));
          }}
        />
      )}
    />
  );
}

/** A number without a label of its own. A number that is refused is replaced by the last one. */
export function BareNumber({
  label,
  value,
  onChange,
  ...bounds
}: Omit<NumberFieldProps, "refusal" | "onWrong">) {
  return (
    <NumberInput
      {...attributesOf(bounds)}
      aria-label={label}
      value={value}
      read={(text) => numberIn(text, bounds)}
      onNumber={(x) => onChange(x!)}
    />
  );
}

function attributesOf({ low, high, whole = false }: Bounds) {
  const inputMode = whole ? ("numeric" as const) : ("decimal" as const);
  return { type: "number" as const, inputMode, min: low, max: high, step: whole ? 1 : "any" };
}

function wrong(text: string, { low, high, whole }: Bounds): Refusal {
  const kind = whole ? "an integer" : "a number";
  return {
    type: "refused",
    where: "",
    expected: `${kind} between ${low.toLocaleString("en")} and ${high.toLocaleString("en")}`,
    got: text.trim() === "" ? "no number" : text,
    fix: "Type a number in this range.",
  };
}
