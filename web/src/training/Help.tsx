/** The keys of the training page. */

import { KeyDialog, Keys } from "../ui/KeyDialog";
import { SHORTCUTS } from "./keys";

const rows = (table: Record<string, string>) =>
  Object.entries(table).map(([key, words]) => ({ shown: [key], words }));

const PLANE = rows({
  "← ↑ → ↓": "Move the cursor; with Shift in small steps",
  Enter: "Add a point at the cursor",
  "n, p": "Choose the next or the previous point",
  m: "Move the chosen point with the arrow keys; press m again to put it down",
  l: "Give the chosen point the other label",
  Del: "Delete the chosen point",
  Esc: "Clear the choice",
});

const NETWORK = rows({
  "← ↑ → ↓": "Move from neuron to neuron",
  "[, ]": "Go through the weights of a neuron",
});

export function Help(props: { open: boolean; onClose: () => void }) {
  return (
    <KeyDialog {...props}>
      <Keys title="Anywhere" rows={SHORTCUTS} />
      <Keys title="On the plane" rows={PLANE} />
      <Keys title="In the network" rows={NETWORK} />
    </KeyDialog>
  );
}
