import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/** A modal dialog. The browser keeps the focus inside and gives it back. `onClose` is also called for Escape. */
export function Dialog({ title, children, onClose, kind = "box" }: {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  /** `sheet` covers a phone's screen, for menus. */
  kind?: "box" | "sheet";
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opened = dialog.current!;
    opened.showModal();
    // Closed before it leaves the page, so that the browser gives the focus back.
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
