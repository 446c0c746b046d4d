import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { settled } from "../app/workspace.ts";
import "./shared.ts";

/** False until the first page is shown. Screen readers announce that page themselves, so its heading gets no focus. */
let moved = false;

/**
 * A page: the way back, title, explanation, main action, content. The title gets the focus when the page opens, except
 * on the first page.
 */
export function Page({ title, back, text, action, children }: {
  title: string;
  back?: ComponentChildren;
  text?: ComponentChildren;
  action?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The page is hidden until the workspace was read (app/shell.tsx), and a hidden heading cannot get the focus.
    if (heading.current?.closest("[hidden]")) return;
    if (moved) heading.current?.focus({ preventScroll: true });
    moved = true;
  }, [settled.value]);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          {back && <p class="lead">{back}</p>}
          <h1 ref={heading} class="clamped" title={title} tabIndex={-1}>{title}</h1>
          {text && <p class="lead">{text}</p>}
        </div>
        {action !== undefined && <div class="page-action">{action}</div>}
      </header>
      {children}
    </>
  );
}
