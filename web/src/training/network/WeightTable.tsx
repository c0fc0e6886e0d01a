/** The weights of a layer as a table, beside the picture of the network. */

import { useSignal } from "@preact/signals";
import { formatted } from "../../engine";
import { Select } from "../../ui/fields";
import { captionOf, SHOWN } from "./diagram";
import type { TrainingRoom } from "../run/room";

/** Columns that are shown. */
const MOST = 16;

export function WeightTable({ room }: { room: TrainingRoom }) {
  const open = useSignal(false);
  const at = useSignal(0);
  return (
    <details class="weight-table" open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>Weights as a table</summary>
      {open.value && <Layer room={room} index={at.value} onIndex={(index) => (at.value = index)} />}
    </details>
  );
}

interface LayerProps {
  room: TrainingRoom;
  index: number;
  onIndex: (index: number) => void;
}

function Layer({ room, index, onIndex }: LayerProps) {
  const layers = room.frame.value?.layers ?? [];
  const layer = layers[Math.min(index, layers.length - 1)];
  if (!layer) return null;
  const inputs = layer.weights[0]?.length ?? 0;
  const first = layers.indexOf(layer) === 0;
  const nameOfInput = (k: number) => (first ? captionOf({ kind: "neuron", layer: -1, index: k }, 1) : `neuron ${k}`);
  const columns = Array.from({ length: Math.min(inputs, MOST) }, (_, k) => k);
  return (
    <>
      <Select
        aria-label="Layer of the table"
        value={String(layers.indexOf(layer))}
        options={layers.map(({ name }, k) => [String(k), name] as const)}
        onChoose={(k) => onIndex(Number(k))}
      />
      <div class="weight-rows" tabIndex={0} role="region" aria-label={`Weights of ${layer.name}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">to</th>
              {columns.map((k) => (
                <th key={k} scope="col">
                  from {nameOfInput(k)}
                </th>
              ))}
              <th scope="col">bias</th>
            </tr>
          </thead>
          <tbody>
            {layer.weights.slice(0, 4 * SHOWN).map((row, j) => (
              <tr key={j}>
                <th scope="row">neuron {j}</th>
                {columns.map((k) => (
                  <td key={k} class="number">
                    {formatted(row[k]!)}
                  </td>
                ))}
                <td class="number">{formatted(layer.biases[j]!)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
