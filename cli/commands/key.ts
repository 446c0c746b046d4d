import type { Command } from "commander";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { createKey } from "../../operator/keys.ts";
import { scopes } from "../arguments.ts";
import { addListCommand } from "../list_command.ts";
import { callOn, perform } from "../perform.ts";
import { examples } from "../usage.ts";

/** `key …`: the API keys of a workspace. */
export function keyCommands(program: Command): void {
  const key = program.command("key").description("API keys of a workspace");

  key.command("create")
    .description("Make an API key; its value is shown this once and not kept")
    .requiredOption("--workspace <id>", "the workspace")
    .option("--member <id>", "the creator (default: the oldest active admin)")
    .requiredOption("--name <name>", "what it is for, 1 to 255 characters")
    .requiredOption("--scopes <list>", "what it may do, separated by commas", scopes)
    .option("--expires-at <moment>", "ISO 8601 (default: never)")
    .addHelpText(
      "after",
      `\nScopes in use:\n  ${SCOPES.join("\n  ")}\n` + examples(
        'key create --workspace ID --name "Site" --scopes leads:write,pipelines:read',
        'key create --workspace ID --name "Teste" --scopes contacts:read --expires-at 2027-01-31T12:00:00Z',
      ),
    )
    .action(({ workspace, member, ...options }, command) =>
      perform(
        command,
        (sql) => createKey(sql, { workspaceId: workspace, memberId: member, ...options }),
        (made) =>
          [`Key ${made.id} made. Its value is shown only now:`, "", made.key, ...hint(options.scopes)].join(
            "\n",
          ),
      )
    );

  addListCommand(key, "key_list", {
    description: "Show the keys of a workspace, oldest first; never their values",
    columns: ["id", "name", "prefix", "scopes", "creator", "expires_at", "revoked_at", "last_used_at"],
    nothing: "The workspace has no key",
  });

  key.command("revoke")
    .description("End a key for good, from its next call on")
    .argument("<id>", "of the key")
    .addHelpText("after", examples("key revoke ID"))
    .action((id, _options, command) =>
      perform(
        command,
        callOn("key", id, "key_revoke", {}),
        (revoked) => `Key ${revoked.id} revoked at ${revoked.revoked_at}`,
      )
    );
}

/** A scope that grants nothing is legal (spec 5.3), and more often a slip than meant. */
function hint(scopes: string[]): string[] {
  const idle = [...new Set(scopes)].filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  return idle.length === 0
    ? []
    : ["", `No endpoint asks for ${idle.join(", ")}: stored, and grants nothing yet`];
}
