/** A dialog that lists every key. */

import { useEffect, useRef } from "preact/hooks";
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
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal?.();
    if (!open) dialog.current?.close?.();
  }, [open]);
  return (
    <dialog ref={dialog} class="training-help" aria-label="Keyboard" onClose={onClose}>
      <header class="card-head">
        <h2>Keyboard</h2>
        <button type="button" class="button quiet" onClick={onClose}>
          Close
        </button>
      </header>
      <Keys title="Anywhere" rows={SHORTCUTS.map(({ shown, words }) => [shown, words])} />
      <Keys title="On the plane" rows={PLANE} />
      <Keys title="In the network" rows={NETWORK} />
    </dialog>
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
