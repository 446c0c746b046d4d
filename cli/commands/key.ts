import type { Command } from "commander";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { createKey } from "../../operator/keys.ts";
import { parseScopes } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { callOn, perform } from "../perform.ts";
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
    .option("--expires-at <moment>", "ISO 8601 (default: never)")
    .addHelpText(
      "after",
      `\nScopes in use:\n  ${SCOPES.join("\n  ")}\n` + formatExamples(
        'key create --workspace ID --name "Site" --scopes leads:write,pipelines:read',
        'key create --workspace ID --name "Teste" --scopes contacts:read --expires-at 2027-01-31T12:00:00Z',
      ),
    )
    .action(({ workspace, member, ...options }, command) =>
      perform(
        command,
        (sql) => createKey(sql, { workspaceId: workspace, memberId: member, ...options }),
        ({ id, key }) =>
          [`Key ${id} created. Its value is shown only now:`, "", key, ...warnOfUnusedScopes(options.scopes)]
            .join("\n"),
      )
    );

  addListCommand(key, "key_list", {
    description: "Show the keys of a workspace, oldest first; never their values",
    columns: ["id", "name", "prefix", "scopes", "creator", "expires_at", "revoked_at", "last_used_at"],
    nothing: "The workspace has no key",
  });

  key.command("revoke")
    .description("Revoke a key for good, from its next call on")
    .argument("<id>", "id of the key")
    .addHelpText("after", formatExamples("key revoke ID"))
    .action((id, _options, command) =>
      perform(
        command,
        callOn("key", id, "key_revoke", {}),
        (revoked) => `Key ${revoked.id} revoked at ${revoked.revoked_at}`,
      )
    );
}

/** Warns of scopes that no endpoint requires: they are valid (spec 5.3), but usually a mistake. */
function warnOfUnusedScopes(scopes: string[]): string[] {
  const unused = [...new Set(scopes)].filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  return unused.length === 0
    ? []
    : ["", `No endpoint requires ${unused.join(", ")}: stored, and grants nothing yet`];
}
