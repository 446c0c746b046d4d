/** What this browser stores: the person's choices, and who the person was. */
export type Preference = "theme" | "locale" | "workspace" | "workspace_name" | "person";

const PREFIX = "crm.";

/** Null if nothing was chosen, or if the browser stores nothing, as some do in private windows. */
export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Stores a choice; null removes it. Does nothing if the browser stores nothing. */
export function keepPreference(name: Preference, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}
