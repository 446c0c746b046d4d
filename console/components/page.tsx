import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Set once a page was shown: screen readers announce the first page by themselves. */
let moved = false;

/** A page: title, explanation, main action, content. Its title gets the focus when the page opens. */
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
