/** The workspace that is open, and what the person may do in it. */
import { computed, signal } from "@preact/signals";
import { call } from "./api.ts";
import { rememberReply } from "./resource_cache.ts";
import type { Role, Workspace } from "./types.ts";
import { mustChoose } from "./workspace_choice.ts";

export const WORKSPACE_PATH = "app-v1-workspace";

/** Undefined until it has been read. */
export const workspace = signal<Workspace | undefined>(undefined);
/** Whether it could not be read just now. */
export const unreadable = signal(false);
/**
 * Whether a page can show what depends on the role, without moving when the role is known. Where the workspace must be
 * chosen first, nothing does.
 */
export const settled = computed(() => workspace.value !== undefined || unreadable.value || mustChoose.value);
/** The role of the person in this workspace; null until it has been read. */
export const role = computed<Role | null>(() => workspace.value?.member.role ?? null);
/** Whether the person may change keys and webhooks. */
export const mayChange = computed(() => role.value === "gestor" || role.value === "admin");
/** Whether the person may change members and the workspace. */
export const mayAdminister = computed(() => role.value === "admin");

/** A page that is opened right after the bar was read does not read it again. */
const FRESH_MS = 1_000;
let readAt = 0;

/** Takes a reply about the workspace, for the bar and for what the person may do. */
export function openWorkspace(read: Workspace): void {
  readAt = Date.now();
  workspace.value = read;
  rememberReply(WORKSPACE_PATH, read);
}

/** Reads it again unless that was done a moment ago; without a reply, what was read before stays. */
export async function refreshWorkspace(): Promise<void> {
  if (workspace.value === undefined || Date.now() - readAt < FRESH_MS) return;
  try {
    openWorkspace(await call<Workspace>("GET", WORKSPACE_PATH));
  } catch {
    // The list of members, which is read at the same time, says why.
  }
}
