/** Asks once before a page is left that shows a value nobody will see again. */
import { signal } from "@preact/signals";
import { ask, type Question } from "../components/ask.tsx";

/** What to ask before leaving; null if nothing would be lost. */
export const guard = signal<(() => Question) | null>(null);

/** Resolves with true if the page may be left. */
export async function mayLeave(): Promise<boolean> {
  if (guard.value === null) return true;
  const leaves = await ask(guard.value());
  if (leaves) guard.value = null;
  return leaves;
}

/**
 * Puts the question between the person and every way out of the page. Call it before the router is rendered: browsers
 * tell the listeners of `popstate` in the order in which they came.
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
  // `here` is where the guard was set: no navigation passes while it stands.
  guard.subscribe(() => here = location.href);
}

/** Goes to a page of the console; the router follows as if the person had gone back to it. */
function go(url: string): void {
  history.pushState(null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
}
