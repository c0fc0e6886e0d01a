/** A dialog about keys, as every room has one. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  open: boolean;
  onClose: () => void;
  /** Classes of the dialog and of its head, by which rooms give it their looks. */
  look: string;
  head: string;
  children: ComponentChildren;
}

export function KeyDialog({ open, onClose, look, head, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal?.();
    if (!open) dialog.current?.close?.();
  }, [open]);
  return (
    <dialog ref={dialog} class={look} aria-label="Keyboard" onClose={onClose}>
      <header class={head}>
        <h2>Keyboard</h2>
        <button type="button" class="button quiet" onClick={onClose}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}
