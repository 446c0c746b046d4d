/** The open workspace, and what the person may do in it. */
import { computed, signal } from "@preact/signals";
import { setZone } from "../format/format.ts";
import { call } from "./api.ts";
import { rememberReply } from "./resource_cache.ts";
import type { Role, Workspace } from "./types.ts";
import { mustChoose } from "./workspace_choice.ts";

export const WORKSPACE_PATH = "app-v1-workspace";

/** The open workspace; undefined until it was read. */
export const workspace = signal<Workspace | undefined>(undefined);
/** Whether the last try to read the workspace failed. */
export const unreadable = signal(false);
/**
 * Whether pages may show their content. They wait for the person's role, because parts that depend on the role would
 * move other parts later. They do not wait if reading the workspace failed, or while a workspace must be chosen.
 */
export const settled = computed(() => workspace.value !== undefined || unreadable.value || mustChoose.value);
/** The role of the person in this workspace; null until it has been read. */
export const role = computed<Role | null>(() => workspace.value?.member.role ?? null);
/** Whether the person may change keys and webhooks. */
export const mayChange = computed(() => role.value === "gestor" || role.value === "admin");
/** Whether the person may change members and the workspace. */
export const mayAdminister = computed(() => role.value === "admin");

/** The workspace is not read again within this time, unless the person changed something. */
const FRESH_MS = 1_000;
let readAt = 0;

export function openWorkspace(read: Workspace): void {
  readAt = Date.now();
  setZone(read.time_zone);
  workspace.value = read;
  rememberReply(WORKSPACE_PATH, read);
}

/**
 * Reads the workspace again if the last reading is older than FRESH_MS, or if the person has `changed` something. Keeps
 * the old data if reading fails.
 */
export async function refreshWorkspace(changed = false): Promise<void> {
  if (workspace.value === undefined || (!changed && Date.now() - readAt < FRESH_MS)) return;
  const { id } = workspace.value;
  try {
    const read = await call<Workspace>("GET", WORKSPACE_PATH);
    // The person may have chosen another workspace meanwhile.
    if (workspace.value?.id === id && read.id === id) openWorkspace(read);
  } catch {
    // The page reads its own data at the same time and shows the failure.
  }
}
