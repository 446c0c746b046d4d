import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A part of the page that replaces another. Its heading gets the focus, but not when the page opens. */
export function Step({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // If the clicked button has disappeared, no element has the focus.
    if (document.activeElement === document.body) heading.current?.focus();
  }, [title]);
  return (
    <section class="stack">
      <h2 ref={heading} tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}
