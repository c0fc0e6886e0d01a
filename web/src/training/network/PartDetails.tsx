/** The current numbers of one neuron or one weight. */

import { exact, formatted } from "../../engine";
import {
  gradientOf,
  nameOf,
  sourceOf,
  weightOf,
  wordsOf,
  type Link,
  type Neuron,
  type Part,
} from "./diagram";
import { meanInput } from "./paint-network";
import type { Frame } from "../run/protocol";
import type { TrainingRoom } from "../run/room";

type Row = { name: string; value: number | undefined; kind?: "gradient" };

export function PartDetails({ room, part }: { room: TrainingRoom; part: Part | null }) {
  const frame = room.frame.value;
  if (!frame || !part || part.layer >= frame.layers.length) {
    return (
      <p class="part-details note">
        Point at a line or a neuron, or move there with the arrow keys, to read its numbers.
      </p>
    );
  }
  const rows = part.kind === "link" ? ofLink(frame, part) : ofNeuron(frame, part);
  return (
    <div class="part-details" data-testid="part">
      <h3>
        <span class="number">{nameOf(part)}</span> {wordsOf(part, frame.layers.length)}
        {isDead(frame, part) && (
          <strong class="flow-verdict bad">dead: its output is 0 for every point</strong>
        )}
      </h3>
      <dl>
        {rows.map(({ name, value, kind }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={`number ${kind ?? ""}`} title={value === undefined ? undefined : exact(value)}>
              {value === undefined ? "–" : formatted(value)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function isDead(frame: Frame, part: Part): boolean {
  return part.kind === "neuron" && part.layer >= 0 && frame.layers[part.layer]!.dead.includes(part.index);
}

function ofLink({ layers }: Frame, part: Link): Row[] {
  return [{ name: "weight", value: weightOf(layers, part) }, ...slope("gradient", gradientOf(layers, part))];
}

function ofNeuron(frame: Frame, part: Neuron): Row[] {
  if (part.layer < 0) return [{ name: "mean over all points", value: meanInput(frame.points, part.index) }];
  const layer = frame.layers[part.layer]!;
  const weights = (layer.weights[part.index] ?? []).flatMap((value, input): Row[] => {
    const link: Link = { ...part, kind: "link", input };
    return [
      { name: `${nameOf(link)} from ${sourceOf(link)}`, value },
      ...slope(`gradient of ${nameOf(link)}`, gradientOf(frame.layers, link)),
    ];
  });
  return [
    { name: `mean output (${layer.activation})`, value: layer.outputs[part.index] },
    { name: `bias b[${part.layer}, ${part.index}]`, value: layer.biases[part.index] },
    ...slope("gradient of the bias", layer.gradients?.biases[part.index]),
    ...weights,
  ];
}

function slope(name: string, value: number | undefined): Row[] {
  return value === undefined ? [] : [{ name, value, kind: "gradient" }];
}
