/**
 * Stores what a person types into a form in this tab until the form is saved, so that an expired session loses nothing.
 */
import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";

const PREFIX = "crm.draft.";
const drafts = new Map<string, Signal<unknown>>();

/** The draft of a form. Never give it a secret: it is readable in the browser's storage until `clearDraft`. */
export function draftOf<T>(name: string, initial: T): Signal<T> {
  const open = drafts.get(name);
  if (open) return open as Signal<T>;
  const draft = signal<T>(read<T>(name) ?? initial);
  let first = true;
  draft.subscribe((value) => {
    if (first) first = false;
    else store(name, value);
  });
  drafts.set(name, draft);
  return draft;
}

/** Deletes a draft, once the form was saved or given up. */
export function clearDraft(name: string): void {
  drafts.delete(name);
  store(name, undefined);
}

/** Deletes every draft. */
export function clearDrafts(): void {
  drafts.clear();
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
    }
  } catch {
    // Without storage there are no drafts to forget.
  }
}

function read<T>(name: string): T | undefined {
  try {
    const kept = sessionStorage.getItem(PREFIX + name);
    return kept === null ? undefined : JSON.parse(kept) as T;
  } catch {
    return undefined;
  }
}

function store(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Without storage the draft lasts until the page is left.
  }
}
