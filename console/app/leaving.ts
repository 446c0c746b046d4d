/** Asks for confirmation before the person leaves a page on which something would be lost. */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { ask, type Question } from "../components/ask.tsx";

/** Returns the question to ask before the page is left; null if nothing would be lost. */
export const guard = signal<(() => Question) | null>(null);

/** Asks the question before the page is left, while `active` is truthy. */
export function useGuard(active: unknown, question: () => Question): void {
  // A layout effect: an effect would run only after the next paint, and the person may leave before it.
  useLayoutEffect(() => {
    if (!active) return;
    guard.value = question;
    return () => {
      // Another component may have set its own question meanwhile.
      if (guard.value === question) guard.value = null;
    };
  }, [active]);
}

export async function mayLeave(): Promise<boolean> {
  if (guard.value === null) return true;
  const leaves = await ask(guard.value());
  if (leaves) guard.value = null;
  return leaves;
}

/**
 * Asks on every way out of the page: a link, Back, closing the tab. Call this before the router is rendered. Its
 * `popstate` listener must run first, and browsers call listeners in the order in which they were added.
 */
export function watchLeaving(): void {
  let here = location.href;
  addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a[href]") as HTMLAnchorElement | null;
    if (guard.value === null || !link || link.target || link.origin !== location.origin) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void mayLeave().then((leaves) => leaves && go(link.href));
  }, { capture: true });
  addEventListener("popstate", (event) => {
    if (guard.value === null) return void (here = location.href);
    event.stopImmediatePropagation();
    const wanted = location.href;
    history.pushState(null, "", here);
    void mayLeave().then((leaves) => leaves && go(wanted));
  }, { capture: true });
  addEventListener("beforeunload", (event) => {
    if (guard.value !== null) event.preventDefault();
  });
  // Remember the address when the guard is set: Back changes the address before this asks for confirmation.
  guard.subscribe(() => here = location.href);
}

/** Goes to a page of the console; the `popstate` event tells the router. */
function go(url: string): void {
  history.pushState(null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
}
