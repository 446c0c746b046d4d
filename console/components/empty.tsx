import type { ComponentChildren } from "preact";

/** A list with nothing in it: a sentence that teaches, and the action that changes it. */
export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  );
}
