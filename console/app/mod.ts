/** What most pages import from this folder. */
export { call } from "./api.ts";
export { now } from "./clock.ts";
export { clearDraft, draftOf } from "./drafts.ts";
export { asFailure, Failure } from "./failure.ts";
export { useGuard } from "./leaving.ts";
export { type Resource, useResource } from "./resource.ts";
export { href, queryOf, siteUrl, supabaseUrl } from "./settings.ts";
export { type Action, useAction } from "./use_action.ts";
export {
  mayAdminister,
  mayChange,
  openWorkspace,
  refreshWorkspace,
  role,
  settled,
  workspace,
  WORKSPACE_PATH,
} from "./workspace.ts";
export { chosenWorkspace, forgetWorkspace } from "./workspace_choice.ts";
