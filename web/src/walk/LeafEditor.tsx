/** Another value for a leaf: type it, drag its name, or move its slider. */

import { useRef, useState } from "preact/hooks";
import type { GraphNode } from "../engine";
import { MistakeShown } from "./MistakeShown";
import { onGrid, reach, written } from "./numbers";
import { Icon } from "./parts";
import type { Walk } from "./state";
import { typed, wrongIn } from "./typed";

/** A longer name has its slider below it. */
const LONG = 10;

interface Props {
  walk: Walk;
  node: GraphNode;
}

export function LeafEditor({ walk, node }: Props) {
  const value = walk.run.value.data[node.index] ?? NaN;
  const original = walk.original.value.data[node.index] ?? NaN;
  const edited = walk.edits.value.has(node.index);
  return (
    <div class={`leaf ${edited ? "edited" : ""} ${Array.from(node.name).length > LONG ? "long" : ""}`}>
      <DragName walk={walk} node={node} value={value} step={reach(original, value) / 200} />
      <Slider walk={walk} node={node} value={value} original={original} />
      <Typed walk={walk} node={node} value={value} />
      <button
        type="button"
        class="button quiet leaf-reset"
        aria-label={`Reset ${node.name} to ${written(original)}`}
        title={`Back to ${written(original)}`}
        disabled={!edited}
        onClick={() => {
          walk.settle();
          walk.edit(node.index, original);
          walk.settle();
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

function Slider({ walk, node, value, original }: Props & { value: number; original: number }) {
  const most = reach(original, value);
  return (
    <input
      type="range"
      aria-label={`Slider for ${node.name}`}
      min={-most}
      max={most}
      step={most / 200}
      value={Number.isFinite(value) ? value : 0}
      onInput={(event) => walk.edit(node.index, onGrid(Number(event.currentTarget.value), most / 200))}
      onChange={() => walk.settle()}
    />
  );
}

function Typed({ walk, node, value }: Props & { value: number }) {
  const [wrong, setWrong] = useState<string | null>(null);
  const take = (event: { currentTarget: HTMLInputElement }) => {
    const text = event.currentTarget.value;
    const { x } = typed(text);
    setWrong(x === null ? text : null);
    if (x === null) return;
    walk.settle();
    walk.edit(node.index, x);
    walk.settle();
    event.currentTarget.value = written(x);
  };
  return (
    <>
      <input
        class="field number"
        autocomplete="off"
        spellcheck={false}
        aria-label={`Value of ${node.name}`}
        aria-invalid={wrong !== null}
        value={wrong ?? written(value)}
        onChange={take}
      />
      {wrong !== null && <MistakeShown look="leaf-wrong" mistake={wrongIn(wrong)} />}
    </>
  );
}

/** The name is a handle: drag it to the side, one pixel a step. */
function DragName({ walk, node, value, step }: Props & { value: number; step: number }) {
  const from = useRef<{ x: number; value: number } | null>(null);
  const end = () => {
    from.current = null;
    walk.settle();
  };
  return (
    <span
      class="leaf-name name"
      title={`${node.name}: drag to the side to change the value`}
      onPointerDown={(event) => {
        if (!Number.isFinite(value)) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, value };
        walk.settle();
      }}
      onPointerMove={(event) => {
        const start = from.current;
        if (start) walk.edit(node.index, onGrid(start.value + (event.clientX - start.x) * step, step));
      }}
      onPointerUp={end}
      onPointerCancel={end}
    >
      {node.name}
    </span>
  );
}
