import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { exact } from "../engine/numbers";
import { ExpressionError, readValue } from "../expression";
import type { Rect } from "./shared/plan";
import type { View } from "./shared/view";

interface ValueInputProps {
  name: string;
  value: number;
  rect: Rect;
  view: View;
  onDone(value: number | null): void;
}

/** The value of a typed text; null if it is not a number. */
export function readNumber(text: string): number | null {
  try {
    return readValue(text);
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** The field over a leaf in which its value is written. */
export function ValueInput({ name, value, rect, view, onDone }: ValueInputProps) {
  const [text, setText] = useState(exact(value));
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useLayoutEffect(() => field.current?.select(), []); // before the next key press, which would add to the old text
  const number = readNumber(text);
  const finish = (result: number | null) => {
    if (over.current) return; // closing takes the focus away, which must not count again
    over.current = true;
    onDone(result);
  };
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") finish(null);
    if (event.key === "Enter" && number !== null) finish(number);
  };
  const place = {
    left: `${view.x + rect.x * view.scale}px`,
    top: `${view.y + (rect.y + rect.height / 2) * view.scale}px`,
  };
  return (
    <input
      ref={field}
      class="picture-value field"
      style={place}
      inputMode="text"
      autocomplete="off"
      spellcheck={false}
      aria-label={`Value of ${name}`}
      aria-invalid={number === null}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={key}
      onBlur={() => finish(number)}
    />
  );
}
