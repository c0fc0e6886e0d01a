/** Editing the value of a leaf: type it, drag its name, or move its slider. */

import { useId, useRef, useState } from "preact/hooks";
import type { GraphNode } from "../../engine";
import { Button, Icon } from "../../ui/Button";
import { valueDrag, type ValueDrag } from "../../ui/dragging";
import { NumberInput } from "../../ui/fields";
import { onGrid, reach, written } from "../../ui/numbers";
import { MistakeShown } from "../source/MistakeShown";
import type { Walk } from "../state/state";
import { typed, wrongIn } from "../source/typed";

/** Longer names have their slider below them. */
const LONG = 10;

interface Props {
  walk: Walk;
  node: GraphNode;
}

export function LeafEditor({ walk, node }: Props) {
  const value = walk.run.value.data[node.index] ?? NaN;
  const original = walk.original.value.data[node.index] ?? NaN;
  const edited = walk.edits.value.has(node.index);
  const [refused, setRefused] = useState<string | null>(null);
  const id = useId();
  const set = (x: number) => walk.edit(node.index, x);
  return (
    <div class={`leaf ${edited ? "edited" : ""} ${Array.from(node.name).length > LONG ? "long" : ""}`}>
      <DragName walk={walk} node={node} value={value} />
      <Slider walk={walk} node={node} value={value} most={reach(original, value)} />
      <NumberInput
        aria-label={`Value of ${node.name}`}
        value={value}
        read={(text) => typed(text).x ?? undefined}
        onNumber={(x) => set(x!)}
        refused={refused}
        onRefused={setRefused}
        aria-describedby={refused === null ? undefined : id}
      />
      {refused !== null && <MistakeShown id={id} look="leaf-wrong" mistake={wrongIn(refused)} />}
      <Button
        look="quiet leaf-reset"
        aria-label={`Reset ${node.name} to ${written(original)}`}
        title={`Reset to ${written(original)}`}
        disabled={!edited}
        onClick={() => set(original)}
      >
        <Icon name="close" />
      </Button>
    </div>
  );
}

function Slider({ walk, node, value, most }: Props & { value: number; most: number }) {
  return (
    <input
      type="range"
      aria-label={`Slider for ${node.name}`}
      min={-most}
      max={most}
      step={most / 200}
      value={Number.isFinite(value) ? value : 0}
      onInput={(event) => walk.edit(node.index, onGrid(Number(event.currentTarget.value), most / 200))}
    />
  );
}

/** The name is a handle, with the same drag as the numbers in the picture. */
function DragName({ walk, node, value }: Props & { value: number }) {
  const held = useRef<{ x: number; y: number; drag: ValueDrag } | null>(null);
  const end = () => {
    held.current?.drag.end();
    held.current = null;
  };
  return (
    <span
      class="leaf-name name"
      title={`${node.name}: drag to change the value, with Shift in small steps`}
      onPointerDown={(event) => {
        if (!Number.isFinite(value)) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const drag = valueDrag(value, (x) => walk.edit(node.index, x));
        held.current = { x: event.clientX, y: event.clientY, drag };
      }}
      onPointerMove={(event) => {
        const from = held.current;
        from?.drag.move({ x: event.clientX - from.x, y: event.clientY - from.y }, event);
      }}
      onPointerUp={end}
      onPointerCancel={end}
    >
      {node.name}
    </span>
  );
}
