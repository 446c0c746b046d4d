/**
 * Stores what a person types into a form in this tab until the form is saved, so that an expired session loses nothing.
 */
import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { emptyTab, keepInTab, readInTab } from "./tab_store.ts";

const OWNER = "owner";
const drafts = new Map<string, Signal<unknown>>();
let owner = readInTab<string>(OWNER);

/** The draft of a form. Never give it a secret: it is readable in the browser's storage until `clearDraft`. */
export function draftOf<T>(name: string, initial: T): Signal<T> {
  const open = drafts.get(name);
  if (open) return open as Signal<T>;
  const draft = signal<T>(readInTab<T>(name) ?? initial);
  let first = true;
  draft.subscribe((value) => {
    if (first) first = false;
    else keepInTab(name, value);
  });
  drafts.set(name, draft);
  return draft;
}

/** Deletes a draft, once the form was saved or given up. */
export function clearDraft(name: string): void {
  drafts.delete(name);
  keepInTab(name, undefined);
}

export function clearTab(): void {
  drafts.clear();
  emptyTab();
}

/** Makes a person the owner of what this tab stores. If there was another owner, clears the tab and returns true. */
export function ownTab(personId: string): boolean {
  const isAnother = owner !== undefined && owner !== personId;
  if (isAnother) clearTab();
  keepInTab(OWNER, owner = personId);
  return isAnother;
}
