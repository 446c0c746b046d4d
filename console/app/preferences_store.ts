/** Names of the values that this browser stores: the person's choices, and the id of the person who signed in last. */
export type Preference = "theme" | "locale" | "workspace" | "workspace_name" | "person";

const PREFIX = "crm.";

/** Reads a stored choice; null without one, or without storage, as in some private windows. */
export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Stores a choice; null removes it. Does nothing if the browser has no storage. */
export function keepPreference(name: Preference, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}
