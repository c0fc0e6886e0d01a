/** The hidden layers: how many, and how many neurons in each. */

import { refusalAt, type SettingProps } from "./Controls";
import { Complaint, isRight } from "./fields";

export function HiddenLayers({ room, configuration, limits }: SettingProps) {
  const { hidden } = configuration;
  const set = (next: number[]) => room.configure({ hidden: next });
  const resize = (layer: number, neurons: number) => set(hidden.map((n, i) => (i === layer ? neurons : n)));
  const refusal = refusalAt(room, "hidden");
  return (
    <div class="setting" role="group" aria-label="Hidden layers">
      <span class="setting-name">Hidden layers</span>
      {hidden.length === 0 && <p class="note">None: the border is a straight line.</p>}
      {hidden.map((neurons, layer) => (
        <LayerRow
          key={layer}
          layer={layer}
          neurons={neurons}
          most={limits.neurons}
          resize={(n) => resize(layer, n)}
          remove={() => set(hidden.filter((_, i) => i !== layer))}
        />
      ))}
      {refusal && <Complaint refusal={refusal} />}
      <button
        type="button"
        class="button"
        disabled={hidden.length >= limits.layers}
        onClick={() => set([...hidden, hidden.at(-1) ?? 4])}
      >
        Add a layer
      </button>
    </div>
  );
}

interface RowProps {
  layer: number;
  neurons: number;
  most: number;
  resize: (neurons: number) => void;
  remove: () => void;
}

function LayerRow({ layer, neurons, most, resize, remove }: RowProps) {
  const name = `hidden layer ${layer + 1}`;
  const take = (input: HTMLInputElement) => {
    if (isRight(input.value, { low: 1, high: most, whole: true })) resize(Number(input.value));
    else input.value = String(neurons);
  };
  return (
    <div class="layer-row">
      <button
        type="button"
        class="button"
        disabled={neurons <= 1}
        aria-label={`One neuron fewer in ${name}`}
        onClick={() => resize(neurons - 1)}
      >
        −
      </button>
      <input
        class="field"
        type="number"
        min={1}
        max={most}
        value={neurons}
        aria-label={`Neurons in ${name}`}
        onChange={(event) => take(event.currentTarget)}
      />
      <button
        type="button"
        class="button"
        disabled={neurons >= most}
        aria-label={`One neuron more in ${name}`}
        onClick={() => resize(neurons + 1)}
      >
        +
      </button>
      <button type="button" class="button quiet" aria-label={`Remove ${name}`} onClick={remove}>
        ×
      </button>
    </div>
  );
}
