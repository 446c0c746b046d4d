/** What this tab stores until its person signs out: drafts of forms, and the page to open after the next sign-in. */

const PREFIX = "crm.tab.";

/** Reads a stored value; undefined without one, or without storage, as in some private windows. */
export function readInTab<T>(name: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "");
  } catch {
    return undefined;
  }
}

/** Stores a value; undefined removes it. Does nothing if the browser has no storage. */
export function keepInTab(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Without storage the value lasts until the page is left.
  }
}

export function emptyTab(): void {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
    }
  } catch {
    // Without storage there is nothing to remove.
  }
}
