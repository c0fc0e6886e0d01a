/** A dialog that lists every key. */

import { KeyDialog } from "../walk";
import { SHORTCUTS } from "./keys";

const PLANE: [string, string][] = [
  ["← ↑ → ↓", "Move the cursor; with Shift in small steps"],
  ["Enter", "Add a point at the cursor"],
  ["n, p", "Choose the next or the previous point"],
  ["m", "Move the chosen point with the arrows; m again puts it down"],
  ["l", "Give the chosen point the other label"],
  ["Del", "Delete the chosen point"],
  ["Esc", "Choose nothing"],
];

const NETWORK: [string, string][] = [
  ["← ↑ → ↓", "From neuron to neuron"],
  ["[, ]", "Through the weights of a neuron"],
];

export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <KeyDialog open={open} onClose={onClose} look="training-help" head="card-head">
      <Keys title="Anywhere" rows={SHORTCUTS.map(({ shown, words }) => [shown, words])} />
      <Keys title="On the plane" rows={PLANE} />
      <Keys title="In the network" rows={NETWORK} />
    </KeyDialog>
  );
}

function Keys({ title, rows }: { title: string; rows: [string, string][] }) {
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {rows.map(([key, words]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{words}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
