import { signal } from "@preact/signals";
import { keepPreference, readPreference } from "./preferences_store.ts";

/** The id that each call sends as X-Workspace-Id; null for a person who belongs to only one workspace. */
export const chosenWorkspace = signal<string | null>(readPreference("workspace"));
/** True once a function answered that the person belongs to several workspaces. */
export const mustChoose = signal(false);

export function chooseWorkspace(id: string): void {
  keepPreference("workspace", id);
  chosenWorkspace.value = id;
  mustChoose.value = false;
}

/** Forgets the choice, for a person who no longer belongs to that workspace, or before another person signs in. */
export function forgetWorkspace(): void {
  keepPreference("workspace", null);
  keepPreference("workspace_name", null);
  chosenWorkspace.value = null;
  mustChoose.value = false;
}
