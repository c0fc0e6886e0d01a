/** The dialog that lists the keys of a page. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./Button";
import { Check } from "./fields";
import { allowLetters, letters } from "./keys";

interface Props {
  open: boolean;
  onClose: () => void;
  children: ComponentChildren;
}

export function KeyDialog({ open, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal?.();
    if (!open) dialog.current?.close?.();
  }, [open]);
  return (
    <dialog ref={dialog} class="key-dialog" aria-label="Keyboard" onClose={onClose}>
      <header>
        <h2>Keyboard</h2>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </header>
      <Check on={letters.value} onChange={allowLetters}>
        Use single-character shortcuts
      </Check>
      {children}
    </dialog>
  );
}

interface KeysProps {
  title?: string;
  rows: readonly { shown: readonly string[]; words: string }[];
}

export function Keys({ title, rows }: KeysProps) {
  return (
    <table>
      {title && <caption>{title}</caption>}
      <tbody>
        {rows.map(({ shown, words }) => (
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
  );
}
