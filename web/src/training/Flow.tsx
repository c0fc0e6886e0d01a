/** The gradient of each layer: its norms over time, and a verdict. */

import { useSignal } from "@preact/signals";
import { formatted } from "../engine";
import type { LayerFrame } from "./run/protocol";
import type { TrainingRoom } from "./run/room";
import { axisNumber, type Range } from "./drawing/scale";

const WIDTH = 200;
const HEIGHT = 36;

export function Flow({ room }: { room: TrainingRoom }) {
  const layers = room.frame.value?.layers ?? [];
  const range = rangeOf(layers);
  return (
    <section class="card flow" aria-labelledby="flow-title">
      <header class="card-head">
        <h2 id="flow-title">Gradient flow</h2>
        {range && (
          <p class="note">
            norm of ∂loss/∂w, {lately(layers[0]!.norms.length)}, {axisNumber(range[0])} to{" "}
            {axisNumber(range[1])}, logarithmic
          </p>
        )}
      </header>
      <ol class="flow-layers">
        {layers.map((layer) => (
          <LayerFlow key={layer.name} layer={layer} range={range} />
        ))}
      </ol>
    </section>
  );
}

function lately(updates: number): string {
  return updates === 1 ? "one update" : `last ${updates} updates`;
}

function LayerFlow({ layer, range }: { layer: LayerFrame; range: Range | null }) {
  const at = useSignal<number | null>(null);
  const { norms } = layer;
  const index = Math.min(at.value ?? norms.length - 1, norms.length - 1);
  const ago = norms.length - 1 - index;
  const norm = norms[index];
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    at.value = Math.max(0, Math.round(((event.clientX - left) / width) * (norms.length - 1)));
  };
  return (
    <li>
      <div class="flow-name">
        <span class="number">{layer.name}</span>
        <strong class={`flow-verdict ${TONE[layer.verdict]}`}>{layer.verdict}</strong>
      </div>
      <svg
        class="spark"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerMove={point}
        onPointerLeave={() => (at.value = null)}
      >
        {range && <path d={sparkOf(norms, range)} />}
      </svg>
      <span class="number flow-norm">
        {norm === undefined ? "–" : formatted(norm)}
        {norm !== undefined && <span class="note">{ago === 0 ? "last update" : `${ago} before`}</span>}
      </span>
      <p class="note">{layer.words}</p>
    </li>
  );
}

const TONE: Record<LayerFrame["verdict"], string> = {
  "not yet": "none",
  healthy: "good",
  vanishing: "warn",
  exploding: "bad",
  "dead units": "warn",
  disconnected: "bad",
};

/** Returns one range for all layers, so that they can be compared; null before the first update. */
export function rangeOf(layers: readonly LayerFrame[]): Range | null {
  let [low, high] = [Infinity, 0];
  for (const { norms } of layers) {
    for (const norm of norms) {
      if (norm > 0) [low, high] = [Math.min(low, norm), Math.max(high, norm)];
    }
  }
  if (high === 0) return null;
  return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high) + 1e-9)];
}

/** Returns the line of the norms. A norm of 0 is at the bottom. */
export function sparkOf(norms: readonly number[], [low, high]: Range): string {
  const [bottom, span] = [Math.log10(low), Math.log10(high) - Math.log10(low)];
  const per = WIDTH / Math.max(1, norms.length - 1);
  const height = (norm: number) => (norm > 0 ? (Math.log10(norm) - bottom) / span : 0);
  return norms
    .map(
      (norm, i) =>
        `${i ? "L" : "M"}${(i * per).toFixed(1)} ${(HEIGHT - 2 - height(norm) * (HEIGHT - 4)).toFixed(1)}`,
    )
    .join("");
}
