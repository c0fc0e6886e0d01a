/** The hidden layers: how many, and how many neurons in each. */

import { Button } from "../../ui/Button";
import { BareNumber, Complaint } from "./fields";
import { refusalAt, type SettingProps } from "./settings";

export function HiddenLayers({ room, configuration, limits }: SettingProps) {
  const { hidden } = configuration;
  const set = (next: number[]) => room.configure({ hidden: next });
  const refusal = refusalAt(room, "hidden");
  return (
    <div class="setting" role="group" aria-label="Hidden layers">
      <span class="setting-name">Hidden layers</span>
      {hidden.length === 0 && <p class="note">None: the decision boundary is a straight line.</p>}
      {hidden.map((neurons, layer) => (
        <LayerRow
          key={layer}
          layer={layer}
          neurons={neurons}
          most={limits.neurons}
          resize={(next) => set(hidden.map((n, i) => (i === layer ? next : n)))}
          remove={() => set(hidden.filter((_, i) => i !== layer))}
        />
      ))}
      {refusal && <Complaint refusal={refusal} />}
      <Button disabled={hidden.length >= limits.layers} onClick={() => set([...hidden, hidden.at(-1) ?? 4])}>
        Add a layer
      </Button>
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
  return (
    <div class="layer-row">
      <Button
        disabled={neurons <= 1}
        aria-label={`Remove a neuron from ${name}`}
        onClick={() => resize(neurons - 1)}
      >
        −
      </Button>
      <BareNumber label={`Neurons in ${name}`} value={neurons} low={1} high={most} whole onChange={resize} />
      <Button
        disabled={neurons >= most}
        aria-label={`Add a neuron to ${name}`}
        onClick={() => resize(neurons + 1)}
      >
        +
      </Button>
      <Button look="quiet" aria-label={`Remove ${name}`} onClick={remove}>
        ×
      </Button>
    </div>
  );
}
