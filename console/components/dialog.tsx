import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/**
 * A modal dialog. The browser keeps the focus inside it, and afterwards returns the focus to where it was. Escape calls
 * `onClose` too.
 */
export function Dialog({ title, children, onClose, kind = "box" }: {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  /** `sheet`: a menu that covers the screen. `palette`: a field above a scrolling list; covers a phone's screen. */
  kind?: "box" | "sheet" | "palette";
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opened = dialog.current!;
    opened.showModal();
    // Closes the dialog before it is removed: only then does the browser return the focus to where it was.
    return () => opened.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${kind}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id} class="clamped">{title}</h2>
      {children}
    </dialog>
  );
}
