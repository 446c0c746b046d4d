/** The workspace that is open, and what the person may do in it. */
import { computed, signal } from "@preact/signals";
import type { Role, Workspace } from "./types.ts";

export const WORKSPACE_PATH = "app-v1-workspace";

/** Undefined until it has been read. */
export const workspace = signal<Workspace | undefined>(undefined);
export const role = computed<Role | null>(() => workspace.value?.member.role ?? null);
/** Whether the person may change keys and webhooks. */
export const mayChange = computed(() => role.value === "gestor" || role.value === "admin");
/** Whether the person may change members and the workspace. */
export const mayAdminister = computed(() => role.value === "admin");
