import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Set once the first page was shown: the browser itself announces that one. */
let moved = false;

/** A page's title, what it is for, its one main action, and the rest. A page that is opened gets the focus. */
export function Page({ title, text, action, children }: {
  title: string;
  text?: ComponentChildren;
  action?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (moved) heading.current?.focus({ preventScroll: true });
    moved = true;
  }, []);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} class="clamped" title={title} tabIndex={-1}>{title}</h1>
          {text && <p class="lead">{text}</p>}
        </div>
        {action !== undefined && <div class="page-action">{action}</div>}
      </header>
      {children}
    </>
  );
}
