import type { Command } from "commander";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { createKey } from "../../operator/keys.ts";
import { warningsOfScopes } from "../../operator/scope_warnings.ts";
import type { Result } from "../../operator/verbs.ts";
import { parseScopes } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { callOn, perform, performWithWarnings } from "../perform.ts";
import { formatTable } from "../table.ts";
import { formatExamples } from "../usage.ts";

/** `key …`: the API keys of a workspace. */
export function keyCommands(program: Command): void {
  const key = program.command("key").description("API keys of a workspace");

  key.command("create")
    .description("Create an API key; its value is shown only once and not stored")
    .requiredOption("--workspace <id>", "the workspace")
    .option("--member <id>", "the creator (default: the oldest active admin)")
    .requiredOption("--name <name>", "what it is for, 1 to 255 characters")
    .requiredOption("--scopes <list>", "its scopes, separated by commas", parseScopes)
    .option("--expires-at <moment>", "ISO 8601, in the future (default: never)")
    .addHelpText(
      "after",
      `\nScopes in use:\n  ${SCOPES.join("\n  ")}\n` + formatExamples(
        'key create --workspace ID --name "Site" --scopes leads:write,pipelines:read',
        'key create --workspace ID --name "Teste" --scopes contacts:read --expires-at 2027-01-31T12:00:00Z',
      ),
    )
    .action(({ workspace, member, ...options }, command) => {
      const warnings = warningsOfScopes(options.scopes);
      return performWithWarnings(
        command,
        async (sql) => {
          const { creatorIsActive, ...created } = await createKey(sql, {
            workspaceId: workspace,
            memberId: member,
            ...options,
          });
          if (!creatorIsActive && options.scopes.includes("notes:write")) {
            warnings.push(`The member ${member} is inactive: the key works, except for writing notes`);
          }
          return created;
        },
        ({ id, key }) => [`Key ${id} created. Its value is shown only now:`, "", key].join("\n"),
        () => warnings,
      );
    });

  addListCommand(key, "key_list", {
    description: "Show the keys of a workspace, oldest first; never their values",
    columns: ["id", "name", "prefix", "scopes", "creator", "expires_at", "revoked_at", "last_used_at"],
    nothing: "The workspace has no key",
  });

  key.command("revoke")
    .description(
      "Revoke a key for good, from its next call on, and end the webhook subscriptions that it made",
    )
    .argument("<id>", "id of the key")
    .option("--keep-webhooks", "leave its webhook subscriptions active")
    .addHelpText("after", formatExamples("key revoke ID", "key revoke ID --keep-webhooks"))
    .action((id, { keepWebhooks = false }, command) =>
      perform(
        command,
        callOn("key", id, "key_revoke", { keep_webhooks: keepWebhooks }),
        (revoked) =>
          [
            `Key ${revoked.id} ${revoked.was_revoked ? "was already " : ""}revoked at ${revoked.revoked_at}`,
            ...describeSubscriptions(revoked),
          ].join("\n"),
      )
    );
}

/** What revoking a key ended or, with --keep-webhooks, kept. Its other subscriptions, if any, were inactive before. */
function describeSubscriptions(
  { ended_subscriptions: ended, kept_subscriptions: kept }: Result<"key_revoke">,
): string[] {
  if (ended.length + kept.length === 0) return ["It had no active webhook subscription"];
  return [
    `These webhook subscriptions, which it made, ${ended.length > 0 ? "have ended" : "are kept"}:`,
    "",
    formatTable(ended.length > 0 ? ended : kept, ["id", "target_url"], ""),
  ];
}
