/** A dialog that lists every key. */

import { KeyDialog } from "./KeyDialog";
import { SHORTCUTS } from "./keys";

export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <KeyDialog open={open} onClose={onClose} look="help" head="inspector-head">
      <table>
        <tbody>
          {SHORTCUTS.map(({ shown, words }) => (
            <tr key={words}>
              <th scope="row">
                {shown.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        In the picture, Shift and the arrows go from node to node, Enter selects, opens a group or edits a
        leaf, digits select the edges of a node, + − 0 zoom, and Backspace folds. In a text field, keys write.
      </p>
    </KeyDialog>
  );
}
