/** Keeps the focus on the page when the focused element disappears. */

/**
 * When a focused element is removed, such as a button whose action succeeded, the browser drops the focus, and a person
 * with a keyboard or a screen reader starts again at the top of the page. This moves the focus to the nearest heading
 * above the removed element instead, unless a component has moved it elsewhere.
 */
export function watchFocus(): void {
  let held: Element | null = null;
  /** The headings above the focused element, nearest first; while a dialog is open, those above what opened it. */
  let above: HTMLElement[] = [];
  addEventListener("focusin", ({ target }) => {
    held = target as Element;
    if (held.closest("dialog")) return;
    above = [...document.querySelectorAll<HTMLElement>("h1, h2, h3")].reverse().filter((heading) =>
      heading.compareDocumentPosition(held!) & Node.DOCUMENT_POSITION_FOLLOWING
    );
  });
  new MutationObserver(() => {
    if (held === null || held.isConnected || document.activeElement !== document.body) return;
    held = null;
    above.some((heading) => {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      return document.activeElement === heading;
    });
  }).observe(document.body, { childList: true, subtree: true });
}
