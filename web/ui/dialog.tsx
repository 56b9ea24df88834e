/** A dialog: the browser keeps the focus inside and gives it back. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Keys, useKeys } from "../keys.ts";

interface Props {
  label: string;
  class?: string;
  onClose(): void;
  /** Besides Escape. */
  keys?: Keys;
  children: ComponentChildren;
}

export function Dialog({ label, class: name = "", onClose, keys, children }: Props) {
  const place = useRef<HTMLDialogElement>(null);
  useKeys({ ...keys, Escape: onClose }, { modal: true });
  // Before the next key comes: what is typed at once must land inside.
  useLayoutEffect(() => {
    const dialog = place.current!;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={place}
      class={`dialog ${name}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === place.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
