import type { Signal } from "@preact/signals";
import { clearDraft, draftOf } from "../../app/mod.ts";
import type { ApiKey } from "../../app/types.ts";
import type { Expiry } from "./expiry.ts";

const DRAFT = "key";
const NOTHING = { name: "", scopes: [] as string[], expiry: "" as Expiry, day: "", networks: "" };

export type NewKeyDraft = typeof NOTHING;

export function newKeyDraft(): Signal<NewKeyDraft> {
  return draftOf(DRAFT, NOTHING);
}

export function clearNewKey(): void {
  clearDraft(DRAFT);
}

/**
 * Fills the form for a new key with the values of another key. The scopes of a key cannot be changed, so a key that
 * needs other scopes is replaced in this way. Without a copy of the networks the new key would work from everywhere.
 */
export function duplicateKey({ name, scopes, allowed_networks }: ApiKey): void {
  newKeyDraft().value = { ...NOTHING, name, scopes, networks: allowed_networks.join(", ") };
}
