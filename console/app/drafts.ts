/**
 * Keeps what a person types into a form until the form is saved, so that an expired session loses nothing. The drafts
 * are stored in this tab.
 */
import { type Signal, signal } from "@preact/signals";
import { emptyTab, keepInTab, readInTab } from "./tab_store.ts";

const OWNER = "owner";
const drafts = new Map<string, Signal<unknown>>();
let owner = readInTab<string>(OWNER);

/** The draft of a form. It must contain no secret: it is readable in the browser's storage until `clearDraft`. */
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

/** Deletes a draft, after the form was saved or cancelled. */
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
