/** The keys of the walk. */

import { KeyDialog, Keys } from "../ui/KeyDialog";
import { SHORTCUTS } from "./keys";

export function Help(props: { open: boolean; onClose: () => void }) {
  return (
    <KeyDialog {...props}>
      <Keys rows={SHORTCUTS} />
      <p class="note">
        In the picture, Shift and the arrow keys go from node to node. Enter selects a node, opens a group or
        edits a leaf. Digits select the edges of a node. Press + − 0 to zoom, and Backspace to fold.
      </p>
    </KeyDialog>
  );
}
