/** A dialog that lists every key. */

import { useEffect, useRef } from "preact/hooks";
import { SHORTCUTS } from "./keys";

export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal?.();
    if (!open) dialog.current?.close?.();
  }, [open]);
  return (
    <dialog ref={dialog} class="help" aria-label="Keyboard" onClose={onClose}>
      <header class="inspector-head">
        <h2>Keyboard</h2>
        <button type="button" class="button quiet" onClick={onClose}>
          Close
        </button>
      </header>
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
    </dialog>
  );
}
