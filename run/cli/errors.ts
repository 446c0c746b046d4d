import type { ErrorDetail, OperatorCode, OperatorError } from "../operator/errors.ts";
import type { NewStage } from "../operator/verbs.ts";
import { describeStageForm, RULES } from "./arguments.ts";

export function describeError(error: OperatorError): string {
  return SENTENCES[error.code](error);
}

const SENTENCES: Record<OperatorCode, (error: OperatorError) => string> = {
  validation_error: ({ details, call }) =>
    details.map((detail) => describeInvalid(detail, call.args)).join("; "),
  not_found: ({ details: [detail], call: { verb, args } }) => {
    if (detail?.field === "name") return `No job is called "${args["name"]}": the jobs are ${detail.value}`;
    if (detail?.field === "workspace_id") return `No workspace has the id "${args["workspace_id"]}"`;
    if (detail?.field === "subscription_id") {
      return `No webhook subscription has the id "${args["subscription_id"]}"`;
    }
    const object = String(args["object"] ?? /^(loss_reason|[a-z]+)_/.exec(verb)?.[1]);
    const thing = object === "subscription" ? "webhook subscription" : object.replace("_", " ");
    return `No ${thing} has the id "${args["id"]}"`;
  },
  invalid_reference: ({ details: [detail], call: { args } }) =>
    `No ${detail!.field.replace(/_id$/, "")} of the workspace has the id "${args[detail!.field]}"`,
  proposal_expired: () => "The proposal has expired: create another",
  proposal_closed: ({ details: [detail] }) =>
    `The proposal already has an answer (${detail!.value}), which is final: create another`,
  email_taken: ({ call: { args } }) =>
    `The workspace already has a member with the e-mail "${String(args["email"]).trim().toLowerCase()}"`,
  already_expired: ({ call: { args } }) =>
    `A key that expires at ${
      args["expires_at"]
    } could never be used: give --expires-at a moment in the future`,
  no_active_admin: () =>
    "The workspace has no active admin to be the key's creator: name a member with --member",
  key_revoked: ({ call: { args } }) =>
    `The key "${args["id"]}" is revoked or has expired, for good: create another`,
  already_signed_in: () => "The member has signed in and needs no invitation",
  last_admin: () => "The workspace would be left without an active admin",
  subscription_inactive: ({ details: [detail], call: { args } }) =>
    `The subscription "${detail?.value ?? args["id"]}" is inactive: reactivate it first`,
  queue_full: () =>
    "The subscription already has the maximum of waiting deliveries: try again when some are sent, or raise " +
    "max_waiting_deliveries in crm.workspaces",
  job_failed: ({ details: [detail], call: { args } }) => `The job "${args["name"]}" failed: ${detail!.value}`,
  wrong_encryption_key: () =>
    "The encryption key does not decrypt the current secret: set WEBHOOK_ENCRYPTION_KEY to the functions' key, or use " +
    "--force",
};

function describeInvalid({ field, message }: ErrorDetail, args: Readonly<Record<string, unknown>>): string {
  const [name = "", index, part] = field.split(".");
  if (name === "scopes" && index !== undefined) {
    const scope = (args["scopes"] as string[])[Number(index)];
    return `"${scope}" is not of the form <resource>:read, <resource>:write or <resource>:manage`;
  }
  if (name === "allowed_networks" && index !== undefined) {
    const network = (args["allowed_networks"] as string[])[Number(index)];
    return `"${network}" is not an address or a network with its first address, such as 203.0.113.7 or 203.0.113.0/24`;
  }
  if (name === "stages" && index !== undefined) {
    const stage = (args["stages"] as NewStage[])[Number(index)]!;
    const typed = `${stage.name}:${stage.type}`;
    return part === "name"
      ? `The name in "${typed}" must have 1 to 255 characters`
      : describeStageForm(typed);
  }
  // For a field that the operator did not type, such as the number of active subscriptions.
  if (args[name] === undefined) return RULES[name] ?? message ?? `The ${name} is invalid`;
  return `'${args[name]}' is invalid for ${name}. ${RULES[name] ?? message}`;
}
