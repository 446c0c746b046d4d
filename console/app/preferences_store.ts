/** What is kept in this browser: what a person chose, and who it was. */
export type Preference = "theme" | "locale" | "workspace" | "workspace_name" | "person";

const PREFIX = "crm.";

/** Null if nothing was chosen, or if the browser keeps nothing (private windows of some). */
export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keeps a choice, null forgets it; silent where the browser keeps nothing. */
export function keepPreference(name: Preference, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // The choice holds until the page is left.
  }
}
